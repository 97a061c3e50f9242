package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/native"
	"github.com/calliope-mlir/calliope/tensor"
	"github.com/calliope-mlir/calliope/tensor/npz"
)

// cholesky is a module that factors a matrix. The arguments are inserted before its return.
func cholesky(more string) string {
	return `func.func @main(%a: tensor<2x2xf64>) -> (tensor<2x2xf64>, tensor<i32>) {
  %r:2 = stablehlo.custom_call @lapack_dpotrf_ffi(%a) {backend_config = "", mhlo.backend_config = {uplo = 76 : ui8},
    operand_layouts = [dense<[0, 1]> : tensor<2xindex>], result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<> : tensor<0xindex>]
  } : (tensor<2x2xf64>) -> (tensor<2x2xf64>, tensor<i32>)
` + more + `  return %r#0, %r#1 : tensor<2x2xf64>, tensor<i32>
}`
}

// TestLAPACK runs calls of LAPACK, in a module that MLIR reads and in one that only XLA reads
// (see testdata/svd.py).
func TestLAPACK(t *testing.T) {
	folder := t.TempDir()
	write(t, folder, "cholesky.mlir", cholesky(""))
	write(t, folder, "other.mlir", cholesky("  %o = stablehlo.custom_call @other(%a) {has_side_effect = true} : (tensor<2x2xf64>) -> tensor<2x2xf64>\n"))
	write(t, folder, "attribute.mlir", strings.Replace(cholesky(""), "76", "77", 1))
	data := check.Must(os.ReadFile("testdata/svd.mlirbc"))
	check.NoError(t, os.WriteFile(filepath.Join(folder, "svd.mlirbc"), data, 0o644))
	square := check.Must(tensor.FromSlice([]float64{4, 2, 2, 5}, 2, 2))
	diagonals := check.Must(tensor.FromSlice([]float32{3, 0, 0, -4, 0, 0, 0, 0, 0, 5, 12, 0}, 2, 3, 2))
	for name, v := range map[string]tensor.View{"square.npz": square, "diagonals.npz": diagonals} {
		check.NoError(t, npz.WriteFile(filepath.Join(folder, name), []npz.Named{{Name: "in0", View: v}}))
	}
	for args, test := range map[string]struct {
		status         int
		stdout, stderr string
		env            []string
	}{
		"cholesky.mlir --in square.npz": {exitDone, "out0 f64[2,2] [[2 2] [1 2]]\nout1 s32[] 0\n", "",
			nil},
		"cholesky.mlir --in square.npz --stub zeros": {exitDone, "out0 f64[2,2] [[2 2] [1 2]]\nout1 s32[] 0\n", "",
			nil},
		"svd.mlirbc --in diagonals.npz": {exitDone, "out0 f32[2,2] [[4 3] [12 5]]\n", "", nil},
		"other.mlir --in square.npz": {exitFailed, "",
			"these custom calls have no handler:\n  other.mlir:5:8: other\n", nil},
		"other.mlir --in square.npz --tap": {exitDone, "other", "", nil},
		"attribute.mlir --in square.npz": {exitFailed, "", `lapack: the attribute "uplo" is 77 (uint8)`,
			nil},
		"cholesky.mlir --in square.npz --cache absent": {exitFailed, "", "native: $" + native.LAPACK.Env(),
			[]string{native.LAPACK.Env() + "=absent"}},
	} {
		t.Run(args, func(t *testing.T) {
			t.Parallel()
			command{folder: folder, env: test.env}.run(t, strings.Fields(args)...).want(t, test.status, test.stdout,
				test.stderr)
		})
	}
}
