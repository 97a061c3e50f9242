package xlafix_test

import (
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/passes"
)

// TestSharedOperands prepares chains of operations that each use the one before twice. Whoever looks at each path to
// the start never ends.
func TestSharedOperands(t *testing.T) {
	for name, text := range map[string]string{
		"doubled": `func.func @main(%x: tensor<2xi32>) -> tensor<2xbf16> {
			%0 = stablehlo.minimum %x, %x : tensor<2xi32>
			` + strings.Repeat("NEXT = stablehlo.maximum LAST, LAST : tensor<2xi32>\n", 64) + `
			%r = stablehlo.convert LAST : (tensor<2xi32>) -> tensor<2xbf16>
			return %r : tensor<2xbf16>
		}`,
		"moved": `func.func @main(%x: tensor<0xi4>) -> tensor<0xi8> {
			%0 = stablehlo.reshape %x : (tensor<0xi4>) -> tensor<0xi4>
			` + strings.Repeat("NEXT = stablehlo.concatenate LAST, LAST, dim = 0 : (tensor<0xi4>, tensor<0xi4>) -> "+
			"tensor<0xi4>\n", 64) + `
			%r = stablehlo.convert LAST : (tensor<0xi4>) -> tensor<0xi8>
			return %r : tensor<0xi8>
		}`,
	} {
		last := "%0"
		var lines []string
		for line := range strings.Lines(text) {
			next := last + "0"
			if strings.Contains(line, "NEXT") {
				lines = append(lines, strings.NewReplacer("NEXT", next, "LAST", last).Replace(line))
				last = next
			} else {
				lines = append(lines, strings.ReplaceAll(line, "LAST", last))
			}
		}
		t.Run(name, func(t *testing.T) {
			check.NoError(t, passes.Prepare(parse(t, strings.Join(lines, "")), passes.PrepareOptions{}))
		})
	}
}
