package operations_test

import (
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/mlir/dialect/arith"
	"github.com/calliope-mlir/calliope/mlir/dialect/async"
	"github.com/calliope-mlir/calliope/mlir/dialect/function"
	"github.com/calliope-mlir/calliope/mlir/dialect/memref"
	"github.com/calliope-mlir/calliope/mlir/dialect/tensor"
)

// TestBodies builds operations whose bodies are Go functions and whose sizes are numbers and values.
func TestBodies(t *testing.T) {
	c := mlirtest.Context(t)
	m := c.NewModule(mlir.Location{})
	b := mlir.NewBuilder(m.Body(), mlir.Location{})
	f32 := c.F32Type()
	types := []mlir.Type{b.Type("memref<4x?xf32, strided<[16, 2], offset: 3>, 1>"), b.Type("tensor<?x4xf32>"),
		c.IndexType()}
	function.Func(b, "f", types, nil, func(in []mlir.Value) {
		n := mlir.Computed(in[2])
		part := memref.SubView(b, in[0], []mlir.Size{mlir.Fixed(1), n}, []mlir.Size{n, mlir.Fixed(2)},
			[]mlir.Size{mlir.Fixed(2), mlir.Fixed(3)})
		check.Diff(t, "part", "memref<?x2xf32, strided<[32, 6], offset: ?>, 1>", part.Type().String())
		first := memref.SubView(b, in[0], mlir.FixedSizes(2, 1), mlir.FixedSizes(1, 1), nil)
		check.Diff(t, "first", "memref<1x1xf32, strided<[16, 2], offset: 37>, 1>", first.Type().String())
		old := memref.GenericAtomicRMW(b, in[0], []mlir.Value{in[2], in[2]},
			func(old mlir.Value) mlir.Value { return arith.AddF(b, old, old) })
		check.Diff(t, "old", "f32", old.Type().String())
		out := memref.AllocaScope(b, func() []mlir.Value { return []mlir.Value{old} })
		check.Diff(t, "out", 1, len(out))

		slice := tensor.ExtractSlice(b, in[1], []mlir.Size{n, mlir.Fixed(0)}, []mlir.Size{n, mlir.Fixed(2)}, nil)
		check.Diff(t, "slice", "tensor<?x2xf32>", slice.Type().String())
		whole := tensor.InsertSlice(b, slice, in[1], []mlir.Size{n, mlir.Fixed(0)}, []mlir.Size{n, mlir.Fixed(2)}, nil)
		check.Diff(t, "whole", "tensor<?x4xf32>", whole.Type().String())
		padded := tensor.Pad(b, in[1], []mlir.Size{n, mlir.Fixed(1)}, mlir.FixedSizes(0, 2),
			func(i []mlir.Value) mlir.Value { return old })
		check.Diff(t, "padded", "tensor<?x7xf32>", padded.Type().String())
		made := tensor.Generate(b, b.Type("tensor<?xf32>"), in[2:],
			func(i []mlir.Value) mlir.Value { return tensor.Extract(b, padded, i[0], i[0]) })
		check.Diff(t, "made", "tensor<?xf32>", made.Type().String())

		token, values := async.Execute(b, nil, func() []mlir.Value { return []mlir.Value{old} })
		check.Diff(t, "token", "!async.token", token.Type().String())
		check.Diff(t, "value", "!async.value<f32>", values[0].Type().String())
		async.Execute(b, []mlir.Value{token}, func() []mlir.Value { return nil })
		function.Return(b)
	})
	async.Func(b, "later", []mlir.Type{f32}, []mlir.Type{b.Type("!async.token"), b.Type("!async.value<f32>")},
		func(in []mlir.Value) { async.Return(b, in...) })
	check.NoError(t, b.Err())
	check.NoError(t, m.Verify())
}

// TestSizesRefused checks the errors about sizes.
func TestSizesRefused(t *testing.T) {
	c := mlirtest.Context(t)
	one := mlir.FixedSizes(1)
	for want, build := range map[string]func(b *mlir.Builder, x mlir.Value){
		"the offsets of tensor.extract_slice: there are 2, and 1 are needed": func(b *mlir.Builder, x mlir.Value) {
			tensor.ExtractSlice(b, x, mlir.FixedSizes(0, 0), one, nil)
		},
		"the sizes of tensor.extract_slice: the value of number 0 is missing": func(b *mlir.Builder, x mlir.Value) {
			tensor.ExtractSlice(b, x, one, []mlir.Size{mlir.Computed(mlir.Value{})}, nil)
		},
		"the source of memref.subview is missing":       nil,
		"the source of memref.subview has the type f32": nil,
	} {
		b := mlir.NewBuilder(c, mlir.Location{})
		x := c.NewBlock(mlir.Location{}, b.Type("tensor<4xf32>"), c.F32Type())
		switch {
		case build != nil:
			build(b, x.Argument(0))
		case strings.HasSuffix(want, "missing"):
			want = "value 0 of the source of memref.subview is missing"
			memref.SubView(b, mlir.Value{}, one, one, nil)
		default:
			memref.SubView(b, x.Argument(1), one, one, nil)
		}
		check.Error(t, b.Err(), want)
	}
}
