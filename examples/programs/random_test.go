package programs_test

import (
	"github.com/calliope-mlir/calliope/bridge"
	"github.com/calliope-mlir/calliope/builder"
	"github.com/calliope-mlir/calliope/tensor"
)

// The area of a quarter of a circle, estimated from random points. Each call takes a state
// and returns the state for the next one, so the same state gives the same numbers.
func Example_random() {
	const points = 10000

	results := run(func(b *builder.Builder) {
		f := b.Func("main", tensor.ShapeOf(tensor.U64, 2))
		state := f.Param(0)
		state, x := builder.Uniform01(state, tensor.ShapeOf(tensor.F32, points))
		state, y := builder.Uniform01(state, tensor.ShapeOf(tensor.F32, points))
		inside := builder.Lt(builder.Add(builder.Square(x), builder.Square(y)), 1)
		pi := builder.Mul(builder.ReduceMean(builder.Convert(inside, tensor.F32)), 4)
		f.Return(state, builder.SliceAxis(x, 0, 0, 4), pi)
	}, bridge.CompileOptions{}, tensor.Vector[uint64](42, 7))
	for i, name := range []string{"state", "x", "pi"} {
		show(name, results[i])
	}
	// Output:
	// state u64[2]: 42 10007
	// x f32[4]: 0.6153 0.8005 0.0831 0.4043
	// pi f32[]: 3.1716
}
