package lower_test

import "testing"

// TestIntegerPower has exponents of more than six bits, and negative ones.
func TestIntegerPower(t *testing.T) {
	interpreted(t, []program{
		{name: "constant", text: function("%x: tensor<8xi32>", "tensor<8xi32>", `
			%n = stablehlo.constant dense<100> : tensor<8xi32>
			%r = stablehlo.power %x, %n : tensor<8xi32>
			return %r : tensor<8xi32>`)},
		{name: "variable", text: function("%x: tensor<64xi64>, %n: tensor<64xi64>", "tensor<64xi64>", `
			%c = stablehlo.constant dense<17> : tensor<64xi64>
			%m = stablehlo.multiply %n, %c : tensor<64xi64>
			%r = stablehlo.power %x, %m : tensor<64xi64>
			return %r : tensor<64xi64>`)},
	})
}
