package programs_test

import (
	"github.com/calliope-mlir/calliope/bridge"
	"github.com/calliope-mlir/calliope/builder"
	"github.com/calliope-mlir/calliope/tensor"
)

// A histogram: ones are added at the indices of the bins.
func Example_histogram() {
	const low, high, bins = -1, 1, 8

	results := run(func(b *builder.Builder) {
		f := b.Func("main", tensor.ShapeOf(tensor.F32, 100))
		x := f.Param(0)
		bin := builder.Floor(builder.Mul(builder.Sub(x, low), float64(bins)/(high-low)))
		bin = builder.Convert(builder.Clamp(0, bin, bins-1), tensor.S32)
		counts := builder.Zeros(f, tensor.ShapeOf(tensor.S32, bins))
		f.Return(builder.ScatterAdd(counts, bin, builder.OnesLike(bin), builder.ScatterOptions{}))
	}, bridge.CompileOptions{}, wave(0, 100))
	show("counts", results[0])
	// Output:
	// counts s32[8]: 24 10 8 7 8 9 11 23
}
