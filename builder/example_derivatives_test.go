package builder_test

import (
	"fmt"
	"log"

	"github.com/calliope-mlir/calliope/builder"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
	"github.com/calliope-mlir/calliope/tensor"
)

// show prints what a function computes of the numbers 1, 2 and 3.
func show(f func(x builder.Value) []builder.Value) {
	library, err := mlir.Open(mlir.OpenOptions{})
	if err != nil {
		log.Fatal(err)
	}
	ctx := library.NewContext(mlir.ContextOptions{})
	defer ctx.Close()
	b := builder.New(ctx, builder.Options{})
	main := b.Func("main", tensor.ShapeOf(tensor.F64, 3))
	main.Return(f(main.Param(0))...)
	module, err := b.Module()
	if err != nil {
		log.Fatal(err)
	}
	x, err := tensor.FromSlice([]float64{1, 2, 3}, 3)
	if err != nil {
		log.Fatal(err)
	}
	results, err := stablehlo.Evaluate(module, x)
	if err != nil {
		log.Fatal(err)
	}
	for _, v := range results {
		fmt.Println(v)
	}
}

// The rows of the Jacobian of an array are those of the result.
func ExampleJacFwd() {
	show(func(x builder.Value) []builder.Value {
		ends := func(x builder.Value) builder.Value { return builder.Square(builder.SliceAxis(x, 0, 0, 2)) }
		return []builder.Value{builder.JacFwd[builder.Value](ends)(x)}
	})
	// Output: f64[2,3] [2 0 0 0 4 0]
}

// With respect to a tree, the Jacobian of a value is such a tree.
func ExampleJacRev() {
	type line[T any] struct{ Slope, Height T }
	show(func(x builder.Value) []builder.Value {
		points := func(p line[builder.Value]) builder.Value { return builder.Add(builder.Mul(p.Slope, x), p.Height) }
		p := line[builder.Value]{builder.Scalar(x.Func(), 2.0), builder.Scalar(x.Func(), 1.0)}
		j := builder.JacRev[line[builder.Value]](points)(p)
		return []builder.Value{j.Slope, j.Height}
	})
	// Output:
	// f64[3] [1 2 3]
	// f64[3] [1 1 1]
}

func ExampleHessian() {
	show(func(x builder.Value) []builder.Value {
		product := func(x builder.Value) builder.Value { return builder.ReduceProd(builder.Square(x)) }
		return []builder.Value{builder.Hessian[builder.Value](product)(builder.SliceAxis(x, 0, 1, 3))}
	})
	// Output: f64[2,2] [18 24 24 8]
}

// The value is computed once, and the derivative along several directions.
func ExampleLinearize() {
	show(func(x builder.Value) []builder.Value {
		y, linear := builder.Linearize(builder.Square, x)
		return []builder.Value{y, linear(builder.OnesLike(x)), linear(x)}
	})
	// Output:
	// f64[3] [1 4 9]
	// f64[3] [2 4 6]
	// f64[3] [2 8 18]
}

// The transpose of a cumulative sum adds up from the end.
func ExampleLinearTranspose() {
	show(func(x builder.Value) []builder.Value {
		sums := func(x builder.Value) builder.Value { return builder.Cumsum(x, 0) }
		return []builder.Value{builder.LinearTranspose(sums, builder.Like(x.Shape()))(x)}
	})
	// Output: f64[3] [6 5 3]
}

// In a batch each element is compared with the others.
func ExampleCustomBatch() {
	show(func(x builder.Value) []builder.Value {
		share := builder.CustomBatch(builder.OnesLike, func(size int, x builder.Value) builder.Value {
			return builder.Div(x, builder.ReduceSum(x))
		})
		return []builder.Value{share(x), builder.Batch(share, builder.BatchOptions{})(x)}
	})
	// Output:
	// f64[3] [1 1 1]
	// f64[3] [0.16666666666666666 0.3333333333333333 0.5]
}

// The products of the numbers so far.
func ExampleScan() {
	show(func(x builder.Value) []builder.Value {
		one := builder.Scalar(x.Func(), 1.)
		last, all := builder.Scan(one, x, func(product, x builder.Value) (builder.Value, builder.Value) {
			product = builder.Mul(product, x)
			return product, product
		}, builder.ScanOptions{})
		return []builder.Value{last, all}
	})
	// Output:
	// f64[] 6
	// f64[3] [1 2 6]
}

// halve finds what a function takes to 0, by steps that are too small rather than too large.
func halve(f func(x builder.Value) builder.Value, x builder.Value) builder.Value {
	return builder.Loop(builder.Scalar(x.Func(), int32(200)), x, func(_, x builder.Value) builder.Value {
		return builder.Sub(x, builder.Div(f(x), 8))
	}, builder.LoopOptions{})
}

// scaled solves a system whose matrix has numbers between 0 and 16 on its diagonal, and no others.
func scaled(product func(x builder.Value) builder.Value, b builder.Value) builder.Value {
	return halve(func(x builder.Value) builder.Value { return builder.Sub(product(x), b) }, b)
}

// The square root has the derivative 1/(2·√p), however it was found.
func ExampleRoot() {
	show(func(x builder.Value) []builder.Value {
		root := builder.Root(func(p, x builder.Value) builder.Value {
			return builder.Sub(builder.Square(x), p)
		}, halve, scaled)
		of := func(p builder.Value) builder.Value { return builder.ReduceSum(root(p, builder.OnesLike(p))) }
		squares := builder.Square(x)
		slope := builder.Grad(of)(squares)
		return []builder.Value{root(squares, x), builder.Round(builder.Mul(slope, 1000))}
	})
	// Output:
	// f64[3] [1 2 3]
	// f64[3] [500 250 167]
}

// The solution of p·x = 1 has the derivative -1/p².
func ExampleLinearSolve() {
	show(func(x builder.Value) []builder.Value {
		solve := builder.LinearSolve(func(p, x builder.Value) builder.Value { return builder.Mul(p, x) }, scaled)
		of := func(p builder.Value) builder.Value { return builder.ReduceSum(solve(p, builder.OnesLike(p))) }
		return []builder.Value{builder.Round(builder.Mul(builder.Grad(of)(builder.Mul(x, 2)), 1000))}
	})
	// Output: f64[3] [-250 -62 -28]
}
