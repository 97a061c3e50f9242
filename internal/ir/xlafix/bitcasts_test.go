package xlafix_test

import (
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/ir/xlafix"
	"github.com/calliope-mlir/calliope/internal/test/check"
)

// TestKeepBitcasts states between which conversions a barrier is; tests/deviations runs one of them.
func TestKeepBitcasts(t *testing.T) {
	for _, test := range []struct {
		from, by, to string
		want         bool
	}{
		{"8xi64", "8x2xi32", "8x2x2xi16", true},
		{"8x2x2xi16", "8x2xi32", "8xi64", true},
		{"8x2xf32", "8xi64", "8x4xi16", true},
		{"8xi64", "8x2xi32", "8xi64", false},
		{"8xi64", "8x2xi32", "8x2xf32", false},
		{"8xi64", "8xf64", "8x4xi16", false},
		{"i64", "f64", "i64", false},
	} {
		m := parse(t, strings.NewReplacer("X", "tensor<"+test.from+">", "Y", "tensor<"+test.by+">", "Z",
			"tensor<"+test.to+">").Replace(`
func.func @main(%x: X) -> Z {
  %y = stablehlo.bitcast_convert %x : (X) -> Y
  %z = stablehlo.bitcast_convert %y : (Y) -> Z
  return %z : Z
}`))
		for _, want := range []bool{test.want, false} {
			n, err := xlafix.KeepBitcasts(m)
			check.NoError(t, err)
			check.NoError(t, m.Verify())
			check.Diff(t, test.from+" to "+test.to, want, n == 1)
		}
	}
}
