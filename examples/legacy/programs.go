package main

import (
	"encoding/binary"

	"github.com/calliope-mlir/calliope/builder"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/tensor"
)

// A program has one custom call.
type program struct {
	title  string
	build  func(b *builder.Builder, ir *mlir.Context)
	inputs []tensor.View
}

func f32(dims ...int) tensor.Shape { return tensor.ShapeOf(tensor.F32, dims...) }

// numbers returns n numbers from a first one on.
func numbers(n int, first float32) tensor.View {
	list := make([]float32, n)
	for i := range list {
		list[i] = first + float32(i)
	}
	return tensor.Vector(list...)
}

// opaque is a string with bytes that are no text.
const opaque = "\x00\xff\x00"

// programs returns the programs for a platform of functions. The versions of the calls are those of their
// signatures.
func programs(platform string) []program {
	gpu := platform == "CUDA"
	b, c := numbers(128, 0), numbers(2048, 1000)
	tupleInputs := []tensor.View{numbers(32, 1), numbers(64, 1), numbers(128, 1), numbers(256, 1)}
	return []program{
		{"A[i] = B[i % 128] + C[i]", periodic, []tensor.View{b, c}},
		{"with sizes from the program", sized(gpu), []tensor.View{b, c}},
		{"counts of the opaque bytes", counts, nil},
		{"sums of a nested tuple", tuples, tupleInputs},
		{"copy of positive elements", checked, []tensor.View{tensor.Vector[float32](1, 2, 3, 4)}},
		{"copy of others", checked, []tensor.View{tensor.Vector[float32](1, -2, 3, 4)}},
	}
}

func periodic(b *builder.Builder, _ *mlir.Context) {
	f := b.Func("main", f32(128), f32(2048))
	f.Return(builder.CustomCall(builder.CustomCallOptions{
		Target: "periodic", APIVersion: 1, Results: []tensor.Shape{f32(2048)},
	}, f.Param(0), f.Param(1))...)
}

// sized gives the sizes as operands to a function for hosts, and in the opaque string to one for GPUs.
func sized(gpu bool) func(*builder.Builder, *mlir.Context) {
	return func(b *builder.Builder, _ *mlir.Context) {
		f := b.Func("main", f32(128), f32(2048))
		o := builder.CustomCallOptions{Target: "sized", APIVersion: 1, Results: []tensor.Shape{f32(2048)}}
		operands := []builder.Value{f.Param(0), f.Param(1)}
		if gpu {
			o.APIVersion = 2
			o.Config = string(binary.NativeEndian.AppendUint32(binary.NativeEndian.AppendUint32(nil, 128), 2048))
		} else {
			operands = append(operands, f.Constant(tensor.Scalar[int32](128)), f.Constant(tensor.Scalar[int32](2048)))
		}
		f.Return(builder.CustomCall(o, operands...)...)
	}
}

func counts(b *builder.Builder, _ *mlir.Context) {
	f := b.Func("main")
	f.Return(builder.CustomCall(builder.CustomCallOptions{
		Target: "counts", APIVersion: 3, Config: opaque, Results: []tensor.Shape{tensor.ShapeOf(tensor.S32, 256)},
		In: f,
	})...)
}

// tuples has an operand (f32[32], (f32[64], f32[128]), f32[256]), and reads only the first element of the result. The
// other one is memory for the function.
func tuples(b *builder.Builder, ir *mlir.Context) {
	f := b.Func("main", f32(32), f32(64), f32(128), f32(256))
	operand := builder.Tuple(f.Param(0), builder.Tuple(f.Param(1), f.Param(2)), f.Param(3))
	result, err := ir.ParseType("tuple<tensor<4xf32>, tensor<256xf32>>")
	if err != nil {
		panic(err) // the type is a constant
	}
	call := builder.CustomCall(builder.CustomCallOptions{
		Target: "tuples", APIVersion: 1, Types: []mlir.Type{result},
	}, operand)
	f.Return(builder.GetTupleElement(call[0], 0))
}

func checked(b *builder.Builder, _ *mlir.Context) {
	f := b.Func("main", f32(4))
	f.Return(builder.CustomCall(builder.CustomCallOptions{
		Target: "checked", APIVersion: 2, Results: []tensor.Shape{f32(4)},
	}, f.Param(0))...)
}
