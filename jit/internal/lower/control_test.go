package lower_test

import (
	"testing"

	"github.com/calliope-mlir/calliope/tensor"
)

func TestWhile(t *testing.T) {
	interpreted(t, []program{
		{name: "exchanges two tensors", text: function("%x: tensor<3xf32>, %y: tensor<3xf32>, %n: tensor<i32>",
			"tensor<3xf32>, tensor<3xf32>, tensor<i32>", `
			%c = stablehlo.constant dense<7> : tensor<i32>
			%r:3 = stablehlo.while(%a = %x, %b = %y, %i = %n) : tensor<3xf32>, tensor<3xf32>, tensor<i32>
			cond {
				%p = stablehlo.compare LT, %i, %c : (tensor<i32>, tensor<i32>) -> tensor<i1>
				stablehlo.return %p : tensor<i1>
			} do {
				%one = stablehlo.constant dense<1> : tensor<i32>
				%j = stablehlo.add %i, %one : tensor<i32>
				%s = stablehlo.add %a, %b : tensor<3xf32>
				stablehlo.return %s, %a, %j : tensor<3xf32>, tensor<3xf32>, tensor<i32>
			}
			return %r#0, %r#1, %r#2 : tensor<3xf32>, tensor<3xf32>, tensor<i32>`)},
		{name: "rotates three tensors, and shifts one into itself", text: function(
			"%x: tensor<4xui32>, %y: tensor<4xui32>, %z: tensor<4xui32>",
			"tensor<4xui32>, tensor<4xui32>, tensor<4xui32>, tensor<4xui32>, tensor<4xui32>", `
			%zero = stablehlo.constant dense<0> : tensor<ui32>
			%r:5 = stablehlo.while(%a = %x, %b = %y, %c = %z, %d = %x, %i = %zero) :
				tensor<4xui32>, tensor<4xui32>, tensor<4xui32>, tensor<4xui32>, tensor<ui32>
			cond {
				%k = stablehlo.constant dense<5> : tensor<ui32>
				%p = stablehlo.compare LT, %i, %k : (tensor<ui32>, tensor<ui32>) -> tensor<i1>
				stablehlo.return %p : tensor<i1>
			} do {
				%one = stablehlo.constant dense<1> : tensor<ui32>
				%j = stablehlo.add %i, %one : tensor<ui32>
				%o = stablehlo.slice %d [0:3] : (tensor<4xui32>) -> tensor<3xui32>
				%e = stablehlo.reshape %i : (tensor<ui32>) -> tensor<1xui32>
				%f = stablehlo.concatenate %e, %o, dim = 0 : (tensor<1xui32>, tensor<3xui32>) -> tensor<4xui32>
				stablehlo.return %b, %c, %a, %f, %j :
					tensor<4xui32>, tensor<4xui32>, tensor<4xui32>, tensor<4xui32>, tensor<ui32>
			}
			return %r#0, %r#1, %r#2, %r#3, %x : tensor<4xui32>, tensor<4xui32>, tensor<4xui32>, tensor<4xui32>, tensor<4xui32>`)},
		{name: "nested, with an update and a condition in it", text: function("%x: tensor<4x4xf32>", "tensor<4x4xf32>", `
			%zero = stablehlo.constant dense<0> : tensor<i32>
			%one = stablehlo.constant dense<1> : tensor<i32>
			%n = stablehlo.constant dense<4> : tensor<i32>
			%r:2 = stablehlo.while(%a = %x, %i = %zero) : tensor<4x4xf32>, tensor<i32>
			cond {
				%p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
				stablehlo.return %p : tensor<i1>
			} do {
				%s:2 = stablehlo.while(%b = %a, %j = %i) : tensor<4x4xf32>, tensor<i32>
				cond {
					%p = stablehlo.compare LT, %j, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
					stablehlo.return %p : tensor<i1>
				} do {
					%e = stablehlo.dynamic_slice %b, %j, %i, sizes = [1, 1] :
						(tensor<4x4xf32>, tensor<i32>, tensor<i32>) -> tensor<1x1xf32>
					%p = stablehlo.compare EQ, %i, %j : (tensor<i32>, tensor<i32>) -> tensor<i1>
					%f = "stablehlo.if"(%p) ({
						%g = stablehlo.negate %e : tensor<1x1xf32>
						stablehlo.return %g : tensor<1x1xf32>
					}, {
						stablehlo.return %e : tensor<1x1xf32>
					}) : (tensor<i1>) -> tensor<1x1xf32>
					%h = stablehlo.dynamic_update_slice %b, %f, %i, %j :
						(tensor<4x4xf32>, tensor<1x1xf32>, tensor<i32>, tensor<i32>) -> tensor<4x4xf32>
					%k = stablehlo.add %j, %one : tensor<i32>
					stablehlo.return %h, %k : tensor<4x4xf32>, tensor<i32>
				}
				%j = stablehlo.add %i, %one : tensor<i32>
				stablehlo.return %s#0, %j : tensor<4x4xf32>, tensor<i32>
			}
			return %r#0 : tensor<4x4xf32>`)},
	})
}

func TestCase(t *testing.T) {
	text := function("%i: tensor<i32>, %x: tensor<3xf32>, %n: tensor<ui32>", "tensor<3xf32>, tensor<ui32>, tensor<3xf32>", `
		%r:3 = "stablehlo.case"(%i) ({
			stablehlo.return %x, %n, %x : tensor<3xf32>, tensor<ui32>, tensor<3xf32>
		}, {
			%y = stablehlo.add %x, %x : tensor<3xf32>
			%m = stablehlo.multiply %n, %n : tensor<ui32>
			stablehlo.return %y, %m, %x : tensor<3xf32>, tensor<ui32>, tensor<3xf32>
		}, {
			%y = stablehlo.negate %x : tensor<3xf32>
			stablehlo.return %y, %n, %y : tensor<3xf32>, tensor<ui32>, tensor<3xf32>
		}) : (tensor<i32>) -> (tensor<3xf32>, tensor<ui32>, tensor<3xf32>)
		return %r#0, %r#1, %r#2 : tensor<3xf32>, tensor<ui32>, tensor<3xf32>`)
	var list []program
	for _, p := range []struct {
		name  string
		index int32
	}{{"first", 0}, {"middle", 1}, {"last", 2}, {"too large", 7}, {"negative", -1}} {
		list = append(list, program{p.name, text, []tensor.View{
			tensor.Scalar(p.index), tensor.Vector[float32](1, -2, 3), tensor.Scalar[uint32](5)}})
	}
	interpreted(t, list)
}

func TestIf(t *testing.T) {
	text := function("%p: tensor<i1>, %x: tensor<3xui8>", "tensor<3xui8>, tensor<3xui8>", `
		%r:2 = "stablehlo.if"(%p) ({
			%y = stablehlo.add %x, %x : tensor<3xui8>
			stablehlo.return %x, %y : tensor<3xui8>, tensor<3xui8>
		}, {
			%y = stablehlo.multiply %x, %x : tensor<3xui8>
			stablehlo.return %y, %x : tensor<3xui8>, tensor<3xui8>
		}) : (tensor<i1>) -> (tensor<3xui8>, tensor<3xui8>)
		return %r#0, %r#1 : tensor<3xui8>, tensor<3xui8>`)
	x := tensor.Vector[uint8](1, 20, 200)
	interpreted(t, []program{
		{"true", text, []tensor.View{tensor.Scalar(true), x}},
		{"false", text, []tensor.View{tensor.Scalar(false), x}},
	})
}
