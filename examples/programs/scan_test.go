package programs_test

import (
	"github.com/calliope-mlir/calliope/bridge"
	"github.com/calliope-mlir/calliope/builder"
	"github.com/calliope-mlir/calliope/tensor"
)

// A recurrent network runs over a sequence: a loop that carries a state, reads one row of
// its input in each iteration and writes one row of its output.
func Example_scan() {
	type state struct{ I, Hidden, Outputs builder.Value }

	results := run(func(b *builder.Builder) {
		f := b.Func("main", tensor.ShapeOf(tensor.F32, 5, 3), tensor.ShapeOf(tensor.F32, 3, 3))
		xs, w := f.Param(0), f.Param(1)
		last := builder.While(state{
			I:       builder.Scalar(f, int32(0)),
			Hidden:  builder.Zeros(f, tensor.ShapeOf(tensor.F32, 3)),
			Outputs: builder.ZerosLike(xs),
		}, func(s state) builder.Value {
			return builder.Lt(s.I, xs.Shape().Dims[0])
		}, func(s state) state {
			x := builder.DynamicIndex(xs, s.I, 0)
			hidden := builder.Tanh(builder.Add(builder.Dot(s.Hidden, w), x))
			return state{
				I:       builder.Add(s.I, 1),
				Hidden:  hidden,
				Outputs: builder.DynamicUpdateIndex(s.Outputs, hidden, s.I, 0),
			}
		})
		f.Return(last.Hidden, last.Outputs)
	}, bridge.CompileOptions{}, wave(0, 5, 3), wave(60, 3, 3))
	show("last", results[0])
	show("all", results[1])
	// Output:
	// last f32[3]: -0.6275 0.2283 0.7567
	// all f32[5,3]: 0.0000 0.6866 0.7208 0.2326 -0.6302 -0.7773 -0.4096 0.4757 0.7592 0.5345 -0.3453 -0.7555 -0.6275 0.2283 0.7567
}
