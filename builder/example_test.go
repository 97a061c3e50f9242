package builder_test

import (
	"fmt"
	"log"

	"github.com/calliope-mlir/calliope/builder"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
	"github.com/calliope-mlir/calliope/tensor"
)

func Example() {
	library, err := mlir.Open(mlir.OpenOptions{})
	if err != nil {
		log.Fatal(err) // says which command fetches the library
	}
	ctx := library.NewContext(mlir.ContextOptions{})
	defer ctx.Close()

	b := builder.New(ctx, builder.Options{})
	f := b.Func("main", tensor.ShapeOf(tensor.F32, 2), tensor.ShapeOf(tensor.F32, 2))
	sum := builder.Add(f.Param(0), f.Param(1))
	f.Return(builder.Tanh(sum))
	module, err := b.Module()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Print(module)
	// Output:
	// module {
	//   func.func @main(%arg0: tensor<2xf32>, %arg1: tensor<2xf32>) -> tensor<2xf32> {
	//     %0 = stablehlo.add %arg0, %arg1 : tensor<2xf32>
	//     %1 = stablehlo.tanh %0 : tensor<2xf32>
	//     return %1 : tensor<2xf32>
	//   }
	// }
}

// The arguments and results of a callback are trees: structs, slices and maps of values.
// The result has the structure of the template.
func ExampleRuntimeCall() {
	library, err := mlir.Open(mlir.OpenOptions{})
	if err != nil {
		log.Fatal(err)
	}
	ctx := library.NewContext(mlir.ContextOptions{})
	defer ctx.Close()

	type stats struct{ Mean, Deviation builder.Value }
	b := builder.New(ctx, builder.Options{})
	f := b.Func("main", tensor.ShapeOf(tensor.F32, 8))
	scalar := builder.Like(tensor.ShapeOf(tensor.F32))
	s := builder.RuntimeCall(stats{scalar, scalar}, f.Param(0), builder.Callback{Name: "stats"})
	f.Return(builder.Div(s.Mean, s.Deviation))
	if _, err := b.Module(); err != nil {
		log.Fatal(err)
	}
	fmt.Println(s.Mean.Shape(), s.Deviation.Shape())
	// Output: f32[] f32[]
}

// The gradient of a function of a tree is a tree like its argument.
func ExampleValueAndGrad() {
	library, err := mlir.Open(mlir.OpenOptions{})
	if err != nil {
		log.Fatal(err)
	}
	ctx := library.NewContext(mlir.ContextOptions{})
	defer ctx.Close()

	type params struct{ W, B builder.Value }
	b := builder.New(ctx, builder.Options{})
	f := b.Func("main", tensor.ShapeOf(tensor.F64), tensor.ShapeOf(tensor.F64))
	value, gradient := builder.ValueAndGrad(func(p params) builder.Value {
		return builder.Mul(p.W, builder.Square(p.B))
	})(params{f.Param(0), f.Param(1)})
	f.Return(value, gradient.W, gradient.B)
	module, err := b.Module()
	if err != nil {
		log.Fatal(err)
	}
	results, err := stablehlo.Evaluate(module, tensor.Scalar(2.0), tensor.Scalar(3.0))
	fmt.Println(results, err)
	// Output: [f64[] 18 f64[] 9 f64[] 12] <nil>
}
