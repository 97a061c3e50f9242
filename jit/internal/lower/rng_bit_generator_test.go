package lower_test

import (
	"fmt"
	"testing"
)

// TestRngBitGenerator holds that the bits are those of XLA.
func TestRngBitGenerator(t *testing.T) {
	var list []program
	for _, algorithm := range []string{"THREE_FRY", "PHILOX", "DEFAULT"} {
		for _, output := range []string{"tensor<ui32>", "tensor<7xui64>", "tensor<5x7xui32>", "tensor<3x4xui64>",
			"tensor<3x5x6xui8>", "tensor<1x9xui16>", "tensor<3x3xui64>"} {
			for words := 2; words <= 3; words++ {
				if algorithm == "DEFAULT" && output != "tensor<7xui64>" || words == 3 && algorithm != "PHILOX" {
					continue
				}
				state := fmt.Sprintf("tensor<%dxui64>", words)
				list = append(list, program{name: fmt.Sprint(algorithm, output, words),
					text: function("%s: "+state, state+", "+output, fmt.Sprintf(`
					%%t, %%r = stablehlo.rng_bit_generator %%s, algorithm = %s : (%s) -> (%[2]s, %[3]s)
					return %%t, %%r : %[2]s, %[3]s`, algorithm, state, output))})
			}
		}
	}
	onXLA(t, 0, list)
}
