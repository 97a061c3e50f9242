package lower_test

import (
	"fmt"
	"testing"
)

// TestWhileBuffers has bodies that use what their results overwrite.
func TestWhileBuffers(t *testing.T) {
	const scatter = `"stablehlo.scatter"(%a, %e, %u) <{scatter_dimension_numbers = #stablehlo.scatter<
		inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
			^bb0(%v: tensor<i32>, %w: tensor<i32>):
				%s = stablehlo.add %v, %w : tensor<i32>
				stablehlo.return %s : tensor<i32>
		}) : (tensor<4xi32>, tensor<1x1xi32>, tensor<1xi32>) -> tensor<4xi32>`
	const update = `stablehlo.dynamic_update_slice %a, %u, %i : (tensor<4xi32>, tensor<1xi32>, tensor<i32>) -> tensor<4xi32>`
	const inner = `stablehlo.while(%g = %a, %k = %i) : tensor<4xi32>, tensor<i32>
		cond {
			%p = stablehlo.compare LT, %k, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
			stablehlo.return %p : tensor<i1>
		} do {
			%k1 = stablehlo.add %k, %one : tensor<i32>
			%h = stablehlo.add %g, %a : tensor<4xi32>
			stablehlo.return %h, %k1 : tensor<4xi32>, tensor<i32>
		}`
	var list []program
	for _, p := range []struct{ name, body, first, second string }{
		{"an update, and the old value after it", "%x = " + update + "\n%y = stablehlo.add %a, %b : tensor<4xi32>", "%x", "%y"},
		{"an update, and the old value before it", "%y = stablehlo.add %a, %b : tensor<4xi32>\n%x = " + update, "%x", "%y"},
		{"the old value in the other place", "%x = " + update, "%x", "%a"},
		{"an update in the other place", "%x = " + update, "%b", "%x"},
		{"one update in both places", "%x = " + update, "%x", "%x"},
		{"an update of a part of itself", `%q = stablehlo.slice %a [1:3] : (tensor<4xi32>) -> tensor<2xi32>
			%x = stablehlo.dynamic_update_slice %a, %q, %i : (tensor<4xi32>, tensor<2xi32>, tensor<i32>) -> tensor<4xi32>`,
			"%x", "%b"},
		{"a scatter, and the old value", "%x = " + scatter + "\n%y = stablehlo.multiply %a, %b : tensor<4xi32>", "%x", "%y"},
		{"a loop that uses what it changes", "%x:2 = " + inner, "%x#0", "%b"},
		{"a loop, and the old value", "%x:2 = " + inner, "%x#0", "%a"},
		{"one value in both places", "%x = stablehlo.add %a, %b : tensor<4xi32>", "%x", "%x"},
		{"a sum and a difference", `%x = stablehlo.add %a, %b : tensor<4xi32>
			%y = stablehlo.subtract %a, %b : tensor<4xi32>`, "%x", "%y"},
		{"a value of the other one", `%x = stablehlo.add %a, %b : tensor<4xi32>
			%y = stablehlo.subtract %x, %a : tensor<4xi32>`, "%x", "%y"},
		{"a value of the other one, in the other place", `%x = stablehlo.add %a, %b : tensor<4xi32>
			%y = stablehlo.subtract %x, %x : tensor<4xi32>`, "%y", "%x"},
		{"values in an order", `%w = stablehlo.or %a, %b : tensor<4xi32>
			%x = stablehlo.or %w, %c : tensor<4xi32>
			%y = stablehlo.add %x, %x : tensor<4xi32>
			%v = stablehlo.add %d, %y : tensor<4xi32>`, "%y", "%x"},
		{"a whole update", "%x = stablehlo.dynamic_update_slice %a, %b, %i : " +
			"(tensor<4xi32>, tensor<4xi32>, tensor<i32>) -> tensor<4xi32>", "%x", "%c"},
		{"a reversal of nothing", "%x = stablehlo.reverse %a, dims = [] : tensor<4xi32>", "%b", "%x"},
		{"a choice that is known", `%false = stablehlo.constant dense<false> : tensor<4xi1>
			%x = stablehlo.select %false, %c, %a : tensor<4xi1>, tensor<4xi32>`, "%b", "%x"},
		{"whole parts", `%w = stablehlo.slice %a [0:4] : (tensor<4xi32>) -> tensor<4xi32>
			%x = stablehlo.dynamic_slice %w, %i, sizes = [4] : (tensor<4xi32>, tensor<i32>) -> tensor<4xi32>
			%y = stablehlo.transpose %x, dims = [0] : (tensor<4xi32>) -> tensor<4xi32>`, "%b", "%y"},
		{"a reversal", "%x = stablehlo.reverse %a, dims = [0] : tensor<4xi32>", "%x", "%a"},
		{"a condition", `%q = stablehlo.compare LT, %i, %one : (tensor<i32>, tensor<i32>) -> tensor<i1>
			%x:2 = "stablehlo.if"(%q) ({
				stablehlo.return %b, %a : tensor<4xi32>, tensor<4xi32>
			}, {
				stablehlo.return %a, %b : tensor<4xi32>, tensor<4xi32>
			}) : (tensor<i1>) -> (tensor<4xi32>, tensor<4xi32>)`, "%x#0", "%x#1"},
	} {
		list = append(list, program{name: p.name, text: function("%x0: tensor<4xi32>, %y0: tensor<4xi32>",
			"tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>", fmt.Sprintf(`
			%%zero = stablehlo.constant dense<0> : tensor<i32>
			%%one = stablehlo.constant dense<1> : tensor<i32>
			%%n = stablehlo.constant dense<3> : tensor<i32>
			%%z = stablehlo.add %%x0, %%y0 : tensor<4xi32>
			%%r:5 = stablehlo.while(%%a = %%z, %%b = %%z, %%c = %%x0, %%d = %%y0, %%i = %%zero) :
				tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<i32>
			cond {
				%%p = stablehlo.compare LT, %%i, %%n : (tensor<i32>, tensor<i32>) -> tensor<i1>
				stablehlo.return %%p : tensor<i1>
			} do {
				%%j = stablehlo.add %%i, %%one : tensor<i32>
				%%u = stablehlo.reshape %%j : (tensor<i32>) -> tensor<1xi32>
				%%e = stablehlo.reshape %%i : (tensor<i32>) -> tensor<1x1xi32>
				%%sum = stablehlo.add %%c, %%a : tensor<4xi32>
				%s
				stablehlo.return %s, %s, %%sum, %%d, %%j :
					tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<i32>
			}
			return %%r#0, %%r#1, %%r#2, %%z : tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>`,
				p.body, p.first, p.second))})
	}
	interpreted(t, list)
}
