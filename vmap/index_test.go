package vmap_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/ir/transform/transformtest"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/tensor"
	"github.com/calliope-mlir/calliope/vmap"
)

// wave returns an array of numbers between -1 and 1.
func wave(dims ...int) tensor.View {
	list := make([]float32, tensor.ShapeOf(tensor.F32, dims...).NumElements())
	for i := range list {
		list[i] = float32((i*37+11)%101)/50 - 1
	}
	return check.Must(tensor.FromSlice(list, dims...))
}

// indicesOf returns n indices, which repeat those of a list.
func indicesOf[T int8 | uint8 | int16](n int, list ...T) tensor.View {
	return check.Must(tensor.FromSlice(slices.Repeat(list, n)[:n], n))
}

// TestSmallIndices batches what moves elements to indices of types that count neither to the size of the array nor,
// but for i16, to that of the batch.
func TestSmallIndices(t *testing.T) {
	client := newClient(t)
	for _, c := range []struct {
		element     string
		batch, size int
		indices     func(n int) tensor.View
	}{
		{"i8", 130, 200, func(n int) tensor.View { return indicesOf[int8](n, -3, 100, 127) }},
		{"ui8", 260, 300, func(n int) tensor.View { return indicesOf[uint8](n, 3, 100, 255) }},
		{"i16", 3, 40000, func(n int) tensor.View { return indicesOf[int16](n, -3, 100, 32767) }},
	} {
		for name, operation := range map[string]string{
			"dynamic_update_slice": `%r = stablehlo.dynamic_update_slice %x, %u, %i : (tensor<Nxf32>, tensor<2xf32>, tensor<I>) -> tensor<Nxf32>
				return %r : tensor<Nxf32>`,
			"dynamic_slice": `%r = stablehlo.dynamic_slice %x, %i, sizes = [2] : (tensor<Nxf32>, tensor<I>) -> tensor<2xf32>
				return %r : tensor<2xf32>`,
			"gather": `%j = stablehlo.reshape %i : (tensor<I>) -> tensor<1xI>
				%r = "stablehlo.gather"(%x, %j) {dimension_numbers = #stablehlo.gather<offset_dims = [0], start_index_map = [0]>, slice_sizes = array<i64: 2>} : (tensor<Nxf32>, tensor<1xI>) -> tensor<2xf32>
				return %r : tensor<2xf32>`,
			"scatter": `%j = stablehlo.reshape %i : (tensor<I>) -> tensor<1xI>
				%r = "stablehlo.scatter"(%x, %j, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0], scatter_dims_to_operand_dims = [0]>}> ({
				^bb0(%a: tensor<f32>, %b: tensor<f32>):
					stablehlo.return %b : tensor<f32>
				}) : (tensor<Nxf32>, tensor<1xI>, tensor<2xf32>) -> tensor<Nxf32>
				return %r : tensor<Nxf32>`,
		} {
			t.Run(name+" "+c.element, func(t *testing.T) {
				result := operation[strings.LastIndex(operation, ":")+1:]
				text := "func.func @main(%x: tensor<Nxf32>, %u: tensor<2xf32>, %i: tensor<I>) -> " + result + "{\n" + operation + "\n}"
				text = strings.NewReplacer("Nxf32", fmt.Sprintf("%dxf32", c.size), "<I>", "<"+c.element+">",
					"1xI", "1x"+c.element).Replace(text)
				f := function(t, parse(t, text), "main")
				arguments := []tensor.View{wave(c.batch, c.size), wave(c.batch, 2), c.indices(c.batch)}
				batched, err := vmap.Batch(f, vmap.Options{Size: int64(c.batch)})
				check.NoError(t, err)
				got := compile(t, client, batched)(arguments...)[0]
				one := evaluate(t, f) // XLA's scatter drops an update at such an index, in bounds
				for _, i := range []int64{0, 1, 2, int64(c.batch) - 1} {
					want := one(part(t, arguments[0], i), part(t, arguments[1], i), part(t, arguments[2], i))[0]
					transformtest.Near(t, fmt.Sprintf("element %d", i), want, part(t, got, i))
				}
			})
		}
	}
}
