//go:build engines

package execution_test

import (
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/mlir/execution"
)

// TestMemRefResult takes memrefs that compiled code allocates, passes on or has as globals.
func TestMemRefResult(t *testing.T) {
	e := engine(t, `
memref.global "private" constant @two : memref<2xf32> = dense<[5.0, 6.0]>
func.func @fresh(%n: index) -> memref<2x?xf32> {
  %c1 = arith.constant 1 : index
  %c0 = arith.constant 0 : index
  %v = arith.constant 7.0 : f32
  %m = memref.alloc(%n) : memref<2x?xf32>
  scf.for %i = %c0 to %n step %c1 {
    memref.store %v, %m[%c0, %i] : memref<2x?xf32>
    memref.store %v, %m[%c1, %i] : memref<2x?xf32>
  }
  return %m : memref<2x?xf32>
}
func.func @one() -> memref<f32> {
  %v = arith.constant 3.0 : f32
  %m = memref.alloc() : memref<f32>
  memref.store %v, %m[] : memref<f32>
  return %m : memref<f32>
}
func.func @same(%m: memref<3x2xf32>) -> memref<2x3xf32, strided<[1, 2]>> {
  %t = memref.transpose %m (i, j) -> (j, i) : memref<3x2xf32> to memref<2x3xf32, strided<[1, 2]>>
  return %t : memref<2x3xf32, strided<[1, 2]>>
}
func.func @constant() -> memref<2xf32> {
  %m = memref.get_global @two : memref<2xf32>
  return %m : memref<2xf32>
}
func.func @number() -> i32 {
  %0 = arith.constant 1 : i32
  return %0 : i32
}`, execution.Options{})
	for _, test := range []struct {
		function  string
		arguments []any
		sizes     []int64
		values    []float32
	}{
		{"fresh", []any{int64(2)}, []int64{2, 2}, []float32{7, 7, 7, 7}},
		{"fresh", []any{int64(0)}, []int64{2, 0}, nil},
		{"one", nil, nil, []float32{3}},
		{"same", []any{execution.NewMemRef([]float32{1, 2, 3, 4, 5, 6}, 3, 2)}, []int64{2, 3},
			[]float32{1, 3, 5, 2, 4, 6}},
		{"constant", nil, []int64{2}, []float32{5, 6}},
	} {
		var m execution.MemRefResult[float32]
		check.NoError(t, e.Invoke(test.function, &m, test.arguments...))
		check.Diff(t, test.function+": sizes", test.sizes, m.Sizes())
		check.Diff(t, test.function+": values", test.values, m.Values())
		check.NoError(t, m.Close())
		check.NoError(t, m.Close())
	}
	var m execution.MemRefResult[float32]
	check.Error(t, e.Invoke("number", &m), "returns a result of type i32, which *execution.MemRefResult[float32] cannot hold: it is not a memref with a rank")
}
