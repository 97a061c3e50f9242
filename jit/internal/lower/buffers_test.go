package lower_test

import "testing"

// TestBuffers holds that results of one type are computed in buffers of their own, and those without elements in none.
func TestBuffers(t *testing.T) {
	interpreted(t, []program{{name: "no elements", text: function("%a: tensor<2x0x3xf32>", "tensor<2x0x3xf32>", `
		%x = stablehlo.add %a, %a : tensor<2x0x3xf32>
		return %x : tensor<2x0x3xf32>`)}, {name: "products", text: function(
		"%a: tensor<1x2xi32>, %b: tensor<2x1xi32>, %c: tensor<1x2xi8>, %d: tensor<2x1xi8>",
		"tensor<1x1xi32>, tensor<1x1xi32>", `
		%x = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] :
			(tensor<1x2xi32>, tensor<2x1xi32>) -> tensor<1x1xi32>
		%y = stablehlo.dot_general %c, %d, contracting_dims = [1] x [0] :
			(tensor<1x2xi8>, tensor<2x1xi8>) -> tensor<1x1xi32>
		return %x, %y : tensor<1x1xi32>, tensor<1x1xi32>`)}})
}
