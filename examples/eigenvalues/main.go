// Eigenvalues computes what XLA cannot: the eigenvalues of matrices that are not symmetric. The program calls Go for
// them, which calls LAPACK for each matrix of the batch.
package main

import (
	"context"
	"fmt"
	"log"

	"github.com/calliope-mlir/calliope"
	"github.com/calliope-mlir/calliope/builder"
	"github.com/calliope-mlir/calliope/tensor"
)

// eigenvalues returns the eigenvalues of matrices of f32, as their real and their imaginary parts. Given an input of
// shape (…, d, d), each part has the shape (…, d). info is 0 for each matrix whose eigenvalues LAPACK found.
func eigenvalues(m builder.Value) (re, im, info builder.Value) {
	type options struct {
		Left  uint8 `mlir:"compute_left"`
		Right uint8 `mlir:"compute_right"`
	}
	dims := m.Shape().Dims
	rank := len(dims)
	line := tensor.ShapeOf(tensor.F32, dims[:rank-1]...)
	vectors := tensor.ShapeOf(tensor.C64, dims...)
	rows := make([]int64, rank) // row-major, minor to major
	for i := range rows {
		rows[i] = int64(rank - 1 - i)
	}
	columns := append([]int64{int64(rank - 2), int64(rank - 1)}, rows[2:]...) // each matrix by columns
	results := builder.CustomCall(builder.CustomCallOptions{
		Target:         "lapack_sgeev_ffi",
		Results:        []tensor.Shape{line, line, vectors, vectors, tensor.ShapeOf(tensor.S32, dims[:rank-2]...)},
		Config:         options{Left: 'N', Right: 'N'}, // no eigenvectors
		OperandLayouts: [][]int64{columns},
		ResultLayouts:  [][]int64{rows[1:], rows[1:], columns, columns, rows[2:]},
	}, m)
	return results[0], results[1], results[4]
}

func main() {
	f := calliope.Func(eigenvalues)
	defer f.Close()
	got, err := calliope.Call[struct {
		Real, Imaginary [][]float32
		Info            []int32
	}](context.Background(), f, [][][]float32{
		{{1, 1, 0}, {-1, 1, 0}, {0, 0, 2}},
		{{1, 2, 3}, {2, 1, 2}, {1, 1, 3}},
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("real %.4f\nimaginary %.4f\ninfo %d\n", got.Real, got.Imaginary, got.Info)
}
