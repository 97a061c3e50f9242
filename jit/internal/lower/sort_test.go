package lower_test

import "testing"

func TestSort(t *testing.T) {
	interpreted(t, []program{
		{name: "rows", text: function("%x: tensor<3x37xui8>", "tensor<3x37xui8>", `
			%r = "stablehlo.sort"(%x) <{dimension = 1 : i64, is_stable = true}> ({
				^bb0(%a: tensor<ui8>, %b: tensor<ui8>):
					%p = stablehlo.compare GT, %a, %b : (tensor<ui8>, tensor<ui8>) -> tensor<i1>
					stablehlo.return %p : tensor<i1>
			}) : (tensor<3x37xui8>) -> tensor<3x37xui8>
			return %r : tensor<3x37xui8>`)},
		{name: "columns of equal keys, stable", text: function(
			"%x: tensor<64x2xi32>, %y: tensor<64x2xi32>", "tensor<64x2xi32>, tensor<64x2xi32>, tensor<64x2xi32>", `
			%i = stablehlo.iota dim = 0 : tensor<64x2xi32>
			%r:3 = "stablehlo.sort"(%x, %y, %i) <{dimension = 0 : i64, is_stable = true}> ({
				^bb0(%a: tensor<i32>, %b: tensor<i32>, %c: tensor<i32>, %d: tensor<i32>, %e: tensor<i32>, %f: tensor<i32>):
					%l = stablehlo.compare LT, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>
					%m = stablehlo.compare EQ, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>
					%n = stablehlo.compare GT, %c, %d : (tensor<i32>, tensor<i32>) -> tensor<i1>
					%o = stablehlo.and %m, %n : tensor<i1>
					%p = stablehlo.or %l, %o : tensor<i1>
					stablehlo.return %p : tensor<i1>
			}) : (tensor<64x2xi32>, tensor<64x2xi32>, tensor<64x2xi32>) -> (tensor<64x2xi32>, tensor<64x2xi32>, tensor<64x2xi32>)
			return %r#0, %r#1, %r#2 : tensor<64x2xi32>, tensor<64x2xi32>, tensor<64x2xi32>`)},
		{name: "one element", text: function("%x: tensor<1xf32>", "tensor<1xf32>", `
			%r = "stablehlo.sort"(%x) ({
				^bb0(%a: tensor<f32>, %b: tensor<f32>):
					%p = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
					stablehlo.return %p : tensor<i1>
			}) : (tensor<1xf32>) -> tensor<1xf32>
			return %r : tensor<1xf32>`)},
	})
}
