package programs_test

import (
	"github.com/calliope-mlir/calliope/bridge"
	"github.com/calliope-mlir/calliope/builder"
	"github.com/calliope-mlir/calliope/tensor"
)

// A convolution with stride two, a nonlinearity, and max pooling over squares of two by
// two.
func Example_convolution() {
	results := run(func(b *builder.Builder) {
		f := b.Func("main", tensor.ShapeOf(tensor.F32, 1, 8, 8, 2), tensor.ShapeOf(tensor.F32, 3, 3, 2, 3))
		x := builder.Conv(f.Param(0), f.Param(1), builder.ConvOptions{Strides: []int{2, 2}, Same: true})
		x = builder.Max(x, 0)
		x = builder.MaxPool(x, builder.WindowOptions{Dims: []int{1, 2, 2, 1}, Strides: []int{1, 2, 2, 1}})
		f.Return(x)
	}, bridge.CompileOptions{}, wave(0, 1, 8, 8, 2), wave(300, 3, 3, 2, 3))
	show("pooled", results[0])
	// Output:
	// pooled f32[1,2,2,3]: 0.1849 0.2182 0.0852 0.4263 0.1384 0.1775 0.2300 0.3176 0.1131 0.1691 0.3035 0.7412
}
