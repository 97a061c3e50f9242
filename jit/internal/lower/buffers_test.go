package lower_test

import (
	"fmt"
	"testing"
)

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

// TestSharedResults has results of which others are made by changing them.
func TestSharedResults(t *testing.T) {
	const sort = `"stablehlo.sort"(%z) ({
		^bb0(%a: tensor<i32>, %b: tensor<i32>):
			%p = stablehlo.compare LT, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>
			stablehlo.return %p : tensor<i1>
		}) : (tensor<4xi32>) -> tensor<4xi32>`
	const choice = `"stablehlo.if"(%q) ({
			%b = stablehlo.add %z, %z : tensor<4xi32>
			stablehlo.return %b : tensor<4xi32>
		}, {
			stablehlo.return %z : tensor<4xi32>
		}) : (tensor<i1>) -> tensor<4xi32>`
	const update = "stablehlo.dynamic_update_slice %z, %u, %i : (tensor<4xi32>, tensor<2xi32>, tensor<i32>) -> tensor<4xi32>"
	var list []program
	for _, p := range []struct{ name, op, first, second string }{
		{"update", update, "%r", "%z"},
		{"update", update, "%z", "%r"},
		{"update", update, "%r", "%r"},
		{"sort", sort, "%r", "%z"},
		{"sort", sort, "%z", "%r"},
		{"sort", sort, "%r", "%r"},
		{"condition", choice, "%r", "%z"},
		{"condition", choice, "%z", "%r"},
		{"condition", choice, "%r", "%r"},
		{"reversal", "stablehlo.reverse %z, dims = [0] : tensor<4xi32>", "%r", "%z"},
		{"input", "stablehlo.add %z, %z : tensor<4xi32>", "%x", "%x"},
	} {
		list = append(list, program{name: p.name + p.first + p.second, text: function(
			"%x: tensor<4xi32>, %u: tensor<2xi32>, %i: tensor<i32>, %q: tensor<i1>", "tensor<4xi32>, tensor<4xi32>",
			fmt.Sprintf(`
			%%z = stablehlo.multiply %%x, %%x : tensor<4xi32>
			%%r = %s
			return %s, %s : tensor<4xi32>, tensor<4xi32>`, p.op, p.first, p.second))})
	}
	interpreted(t, list)
}
