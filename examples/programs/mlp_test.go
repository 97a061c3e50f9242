package programs_test

import (
	"github.com/calliope-mlir/calliope/bridge"
	"github.com/calliope-mlir/calliope/builder"
	"github.com/calliope-mlir/calliope/tensor"
)

// A network with two layers is trained for ten steps of gradient descent, in a loop on the
// device. The parameters are a struct of values, which the loop carries.
func Example_mlp() {
	type params struct{ W1, B1, W2, B2 builder.Value }

	forward := func(p params, x builder.Value) (hidden, y builder.Value) {
		hidden = builder.Tanh(builder.Add(builder.Dot(x, p.W1), builder.ExpandDims(p.B1, 0)))
		return hidden, builder.Add(builder.Dot(hidden, p.W2), builder.ExpandDims(p.B2, 0))
	}
	// step is one step of gradient descent on the mean squared error.
	step := func(p params, x, want builder.Value) params {
		hidden, y := forward(p, x)
		n := float64(y.Shape().NumElements())
		dy := builder.Mul(builder.Sub(y, want), 2/n)
		dh := builder.Mul(builder.Dot(dy, builder.Transpose(p.W2)), builder.Sub(1, builder.Square(hidden)))
		descend := func(p, gradient builder.Value) builder.Value {
			return builder.Sub(p, builder.Mul(gradient, 0.1))
		}
		return params{
			W1: descend(p.W1, builder.Dot(builder.Transpose(x), dh)),
			B1: descend(p.B1, builder.ReduceSum(dh, 0)),
			W2: descend(p.W2, builder.Dot(builder.Transpose(hidden), dy)),
			B2: descend(p.B2, builder.ReduceSum(dy, 0)),
		}
	}

	results := run(func(b *builder.Builder) {
		f := b.Func("main",
			tensor.ShapeOf(tensor.F32, 8, 3), tensor.ShapeOf(tensor.F32, 8, 1), // x and the expected output
			tensor.ShapeOf(tensor.F32, 3, 4), tensor.ShapeOf(tensor.F32, 4),
			tensor.ShapeOf(tensor.F32, 4, 1), tensor.ShapeOf(tensor.F32, 1))
		x, want := f.Param(0), f.Param(1)
		p := params{f.Param(2), f.Param(3), f.Param(4), f.Param(5)}
		p = builder.Loop(builder.Scalar(f, int32(10)), p, func(_ builder.Value, p params) params {
			return step(p, x, want)
		})
		_, y := forward(p, x)
		loss := builder.ReduceMean(builder.Square(builder.Sub(y, want)))
		f.Return(loss, p.W1, p.B1, p.W2, p.B2)
	}, bridge.CompileOptions{},
		wave(0, 8, 3), wave(40, 8, 1), wave(10, 3, 4), wave(20, 4), wave(30, 4, 1), wave(50, 1))
	for i, name := range []string{"loss", "w1", "b1", "w2", "b2"} {
		show(name, results[i])
	}
	// Output:
	// loss f32[]: 0.4579
	// w1 f32[3,4]: -0.6140 -1.0935 -0.4866 0.4506 0.9870 0.6770 -0.2609 -0.9354 -0.6849 0.2723 0.8921 0.8343
	// b1 f32[4]: 0.5788 0.6743 0.1725 -0.4960
	// w2 f32[4,1]: -0.4275 -0.2625 0.3477 0.4512
	// b2 f32[1]: 0.5647
}
