package mlir_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
)

// TestDamagedBytecode reads bytecode and portable artifacts of which a few bytes were changed, in a child process. The
// library ended the process on each of them, or did not come back.
func TestDamagedBytecode(t *testing.T) {
	wrong := map[string]string{
		"array.mlirbc":           "an array has another size than its type states",
		"artifact-array.mlirbc":  "an array has another size than its type states",
		"attribute-cycle.mlirbc": "an attribute or type contains itself",
		"call-kind.mlirbc":       "an attribute is of another kind than its operation takes",
		"complex-cycle.mlirbc":   "an attribute or type contains itself",
		"function-kind.mlirbc":   "an attribute is of another kind than its operation takes",
		"number-type.mlirbc":     "the type of a number or of an array is something else",
		"top-arguments.mlirbc":   "its outermost block has arguments",
		"type-cycle.mlirbc":      "an attribute or type contains itself",
	}
	mlirtest.Outlives(t, func(t *testing.T, start int) {
		c := mlirtest.Context(t)
		files := check.Must(filepath.Glob("testdata/damaged/*"))
		check.Diff(t, "the number of files", len(wrong), len(files))
		slices.Sort(files)
		for i, file := range files {
			if i < start {
				continue
			}
			fmt.Printf("%s%d %s\n", mlirtest.CaseMark, i, file)
			_, err := c.Parse(file, check.Must(os.ReadFile(file)))
			check.Error(t, err, "the bytecode is damaged: "+wrong[filepath.Base(file)])
		}
	})
}

// TestUndamagedNumbers reads bytecode with numbers of all sizes, which the guard against damaged bytecode looks at.
func TestUndamagedNumbers(t *testing.T) {
	c := mlirtest.Context(t)
	m := check.Must(c.Parse("", []byte(`func.func @main() attributes {x.a = array<i1: true, false>, x.b = 1 : i200,
    x.c = dense<true> : tensor<9xi1>, x.d = dense<[true, false]> : tensor<2xi1>, x.e = dense<> : tensor<0x3xi64>,
    x.f = dense<[1, -1]> : tensor<2xi2>, x.g = dense<[1.0, 2.0]> : tensor<2xf8E3M4>, x.h = dense<1.0> : vector<3xf80>,
    x.i = dense<[(1, 2), (3, 4)]> : tensor<2xcomplex<i16>>, x.j = array<i64>, x.k = dense<7> : tensor<index>,
    x.l = dense<[1.0, 2.0]> : tensor<2xf6E2M3FN>, x.n = dense<[5, 6]> : vector<2xi24>,
    x.o = dense<1> : tensor<2xi8, "x">, x.p = sparse<[[1]], [2]> : tensor<3xi8>} {
  %t = stablehlo.constant dense<[true, false, true, true, true, true, true, true, true]> : tensor<9xi1>
  return
}`)))
	for _, data := range [][]byte{check.Must(m.Bytecode()), check.Must(m.Operation().BytecodeVersion(1))} {
		again, err := c.Parse("again", data)
		check.NoError(t, err)
		check.Diff(t, "the module", m.String(), again.String())
	}
}
