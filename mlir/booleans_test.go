package mlir_test

import (
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
)

// TestHexBooleans parses constants of booleans in both hexadecimal forms, by a library that has the one and a library
// that has the other.
func TestHexBooleans(t *testing.T) {
	constant := func(hex, typ string) []byte {
		return []byte(`func.func @f() { %0 = stablehlo.constant dense<"0x` + hex + `"> : ` + typ + "\n return }")
	}
	const ten = "[true, false, false, true, true, false, false, false, false, true]"
	for library, c := range map[string]*mlir.Context{
		"default": mlirtest.Context(t), "jaxlib": mlirtest.ContextOf(t, mlirtest.Jaxlib(t)),
	} {
		for name, test := range map[string]struct{ hex, typ, want string }{
			"a byte each":    {"01000001010000000001", "tensor<10xi1>", ten},
			"a bit each":     {"1902", "tensor<10xi1>", ten},
			"two dimensions": {"010000010100", "tensor<2x3xi1>", "[[true, false, false], [true, true, false]]"},
		} {
			t.Run(library+", "+name, func(t *testing.T) {
				m, err := c.Parse("x", constant(test.hex, test.typ))
				check.NoError(t, err)
				if text := m.String(); !strings.Contains(text, test.want) {
					t.Errorf("it is\n%s", text)
				}
			})
		}
		for _, hex := range []string{"010001", "0100000101000000000101", "zz"} {
			_, err := c.Parse("x", constant(hex, "tensor<10xi1>"))
			check.Error(t, err, "hex")
		}
	}
}
