package xlafix_test

import (
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/ir/xlafix"
	"github.com/calliope-mlir/calliope/internal/test/check"
)

func TestStateSignedness(t *testing.T) {
	for _, test := range []struct{ operands, stated, want string }{
		{"i32", "", "SIGNED"},
		{"ui8", "", "UNSIGNED"},
		{"i1", "", "UNSIGNED"},
		{"f32", "", ""},
		{"i32", "SIGNED", "SIGNED"},
		{"f32", "TOTALORDER", "TOTALORDER"},
	} {
		t.Run(test.operands+" "+test.stated, func(t *testing.T) {
			comma := func(kind string) string { return strings.TrimSuffix(", "+kind, ", ") }
			m := parse(t, strings.ReplaceAll(`func.func @main(%x: tensor<T>, %y: tensor<T>) -> tensor<i1> {
  %0 = stablehlo.compare LT, %x, %y`+comma(test.stated)+` : (tensor<T>, tensor<T>) -> tensor<i1>
  return %0 : tensor<i1>
}`, "<T>", "<"+test.operands+">"))
			n, err := xlafix.StateSignedness(m)
			check.NoError(t, err)
			if (n == 1) != (test.stated != test.want) {
				t.Errorf("it changed %d comparisons", n)
			}
			check.NoError(t, m.Verify())
			if want := "compare LT, %arg0, %arg1" + comma(test.want) + " :"; !strings.Contains(m.String(), want) {
				t.Errorf("want %s in\n%s", want, m)
			}
		})
	}
}
