package lower_test

import (
	"fmt"
	"testing"
)

// TestCumulative has windows of all elements up to one, or from one on: of the last dimension and of another one, wider
// than the dimension, of a type without a sign, and with an initial value that counts.
func TestCumulative(t *testing.T) {
	sum := func(name, typ, window, padding, inside, initial string) program {
		return program{name: name, text: function("%x: tensor<"+typ+">", "tensor<"+typ+">", fmt.Sprintf(`
			%%i = stablehlo.constant dense<%[6]s> : tensor<%[1]s>
			%%r = "stablehlo.reduce_window"(%%x, %%i) <{window_dimensions = array<i64: %[2]s>,
				padding = dense<%[3]s> : tensor<2x2xi64>}> ({
				^bb0(%%a: tensor<%[1]s>, %%b: tensor<%[1]s>):
					%%t = stablehlo.%[4]s %%a, %%b : tensor<%[1]s>
					stablehlo.return %%t : tensor<%[1]s>
			}) : (tensor<%[5]s>, tensor<%[1]s>) -> tensor<%[5]s>
			return %%r : tensor<%[5]s>`, typ[len("5x7x"):], window, padding, inside, typ, initial))}
	}
	list := []program{
		sum("last dimension", "5x7xf32", "1, 7", "[[0, 0], [6, 0]]", "add", "0.0"),
		sum("last dimension, from one on", "5x7xi32", "1, 7", "[[0, 0], [0, 6]]", "multiply", "1"),
		sum("first dimension", "5x7xf32", "5, 1", "[[4, 0], [0, 0]]", "maximum", "0xFF800000"),
		sum("first dimension, from one on", "5x7xui8", "5, 1", "[[0, 4], [0, 0]]", "maximum", "0"),
		sum("wide", "5x7xf32", "1, 9", "[[0, 0], [8, 0]]", "add", "0.0"),
	}
	t.Run("XLA", func(t *testing.T) { onXLA(t, 1e-6, list) })
	// XLA counts it once, and StableHLO for each element outside.
	list = append(list, sum("initial value", "5x7xf32", "1, 7", "[[0, 0], [6, 0]]", "add", "3.0"))
	t.Run("interpreter", func(t *testing.T) { interpreted(t, list) })
}
