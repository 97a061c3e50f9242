package programs_test

import (
	"log"

	"github.com/calliope-mlir/calliope/bridge"
	"github.com/calliope-mlir/calliope/bridge/lapack"
	"github.com/calliope-mlir/calliope/builder"
	"github.com/calliope-mlir/calliope/tensor"
)

// eigenvalues returns the eigenvalues of matrices of f32, as their real and their imaginary
// parts. Given an input of shape (…, d, d), each part has the shape (…, d). info is 0 for each
// matrix whose eigenvalues LAPACK found.
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

// XLA has no eigenvalues of matrices that are not symmetric. The program calls Go for them,
// which calls LAPACK for each matrix of the batch.
func Example_eigenvalues() {
	plugin, err := bridge.Open(bridge.OpenOptions{})
	if err != nil {
		log.Fatal(err)
	}
	if err := lapack.Register(plugin); err != nil {
		log.Fatal(err) // names the command that fetches the library
	}
	results := run(func(b *builder.Builder) {
		f := b.Func("main", tensor.ShapeOf(tensor.F32, 2, 3, 3))
		re, im, info := eigenvalues(f.Param(0))
		f.Return(re, im, info)
	}, bridge.CompileOptions{}, wave(0, 2, 3, 3))
	for i, name := range []string{"real", "imaginary", "info"} {
		show(name, results[i])
	}
	// Output:
	// real f32[2,3]: 0.1163 0.1163 0.0000 -0.0646 -0.0646 0.0000
	// imaginary f32[2,3]: 0.0553 -0.0553 0.0000 0.1114 -0.1114 0.0000
	// info s32[2]: 0 0
}
