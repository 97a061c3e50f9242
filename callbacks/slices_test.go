package callbacks_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/tensor"
)

func TestSlices(t *testing.T) {
	grid := check.Must(tensor.FromSlice([]float32{1, 2, 3, 4}, 2, 2))
	results := room([]tensor.View{grid, tensor.Vector[int32](0, 0)})
	type out struct {
		Grid [][]float32
		Sums []int32
	}
	check.NoError(t, call(func(_ context.Context, x [][]float32) (out, error) {
		x[0][1] = 7 // in the runtime's memory
		return out{[][]float32{x[1], x[0]}, []int32{int32(x[0][0]), int32(x[1][0])}}, nil
	}, []tensor.View{grid}, results))
	check.Diff(t, "argument", "f32[2,2] [1 7 3 4]", grid.String())
	check.Diff(t, "results", "[f32[2,2] [3 4 1 7] s32[2] [1 3]]", fmt.Sprint(results))

	check.Text(t, call(func(context.Context, struct{}) ([][]float32, error) { return [][]float32{{1, 2}, {3}}, nil },
		nil, results[:1]),
		`the function returned other results than the module expects:
  result 0: expected f32[2,2], returned a broken array (the slices in it differ in length)  <- differs`)
	check.Text(t,
		call(func(context.Context, []float32) (struct{}, error) { return struct{}{}, nil }, []tensor.View{grid}, nil),
		`the function takes other arguments than the module gives:
  argument 0: takes f32[?], given f32[2,2]  <- differs`)

	// A bool in Go is the byte 0 or 1.
	odd := tensor.Vector(true, false)
	odd.Data[0] = 2
	check.NoError(t, call(func(_ context.Context, b []bool) (struct{}, error) {
		check.Diff(t, "bools", []bool{true, false}, b)
		return struct{}{}, nil
	}, []tensor.View{odd}, nil))

	// A slice may start anywhere in memory.
	bytes := tensor.Vector[byte](0, 0, 0, 0, 128, 63, 0, 0)
	shifted := tensor.View{Shape: tensor.ShapeOf(tensor.F32, 1), Data: bytes.Data[2:6]}
	check.NoError(t, call(func(_ context.Context, x []float32) (struct{}, error) {
		check.Diff(t, "shifted", []float32{1}, x)
		return struct{}{}, nil
	}, []tensor.View{shifted}, nil))
}
