//go:build engines

package execution_test

import (
	"errors"
	"fmt"
	"testing"
	"unsafe"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/mlir/execution"
)

const calling = `
func.func private @mix(i1, i8, i32, f32, f64) -> f64
func.func private @turn(complex<f64>) -> complex<f64>
func.func private @sum(memref<2x?xf32>) -> f32
func.func private @note(index)
func.func @all(%a: i1, %b: i8, %c: i32, %d: f32, %e: f64) -> f64 {
  %0 = call @mix(%a, %b, %c, %d, %e) : (i1, i8, i32, f32, f64) -> f64
  %1 = arith.addf %0, %0 : f64
  return %1 : f64
}
func.func @twice(%z: complex<f64>) -> complex<f64> {
  %0 = call @turn(%z) : (complex<f64>) -> complex<f64>
  %1 = call @turn(%0) : (complex<f64>) -> complex<f64>
  return %1 : complex<f64>
}
func.func @total(%m: memref<2x?xf32>) -> f32 {
  %0 = call @sum(%m) : (memref<2x?xf32>) -> f32
  return %0 : f32
}
func.func @count(%n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  scf.for %i = %zero to %n step %one {
    func.call @note(%i) : (index) -> ()
  }
  return
}`

// TestFunctions checks that compiled code calls Go functions with their own types.
func TestFunctions(t *testing.T) {
	mine := errors.New("mine")
	var noted []int64
	e := engine(t, calling, execution.Options{Functions: map[string]any{
		"mix": func(a bool, b int8, c uint32, d float32, e float64) (float64, error) {
			if !a {
				return 7, mine
			}
			return float64(b) + float64(c) + float64(d) + e, nil
		},
		"turn": func(z complex128) complex128 { return z * 1i },
		"sum": func(_, p unsafe.Pointer, offset, rows, columns, rowStride, columnStride int64) (sum float32) {
			for i := range rows {
				for j := range columns {
					sum += *(*float32)(unsafe.Add(p, 4*(offset+i*rowStride+j*columnStride)))
				}
			}
			return sum
		},
		"note": func(i int64) {
			if i == 3 {
				panic("three")
			}
			noted = append(noted, i)
		},
	}})
	var number float64
	check.NoError(t, e.Invoke("all", &number, true, int8(-1), int32(20), float32(0.5), float64(0.25)))
	check.Diff(t, "mixed", 39.5, number)
	if err := e.Invoke("all", &number, false, int8(0), int32(0), float32(0), float64(0)); err != mine || number != 0 {
		t.Errorf("an error gave %v and %v", number, err)
	}
	var z complex128
	check.NoError(t, e.Invoke("twice", &z, 3+4i))
	check.Diff(t, "complex", -3-4i, z)
	var sum float32
	check.NoError(t, e.Invoke("total", &sum, execution.NewMemRef([]float32{1, 2, 3, 4, 5, 6}, 2, 3)))
	check.Diff(t, "sum", float32(21), sum)
	err := e.Invoke("count", nil, int64(5))
	check.Diff(t, "the panic", any("three"), check.As[*mlir.PanicError](t, err).Value)
	check.Diff(t, "the calls before and after it", []int64{0, 1, 2, 4}, noted)
	check.NoError(t, e.Invoke("count", nil, int64(1)))
}

func TestFunctionsErrors(t *testing.T) {
	m := lowered(t, calling)
	before := m.String()
	for name, test := range map[string]struct {
		function any
		want     string
	}{
		"nosuch": {func() {}, "the module does not declare a function @nosuch that can be defined"},
		"total":  {func() {}, "the module does not declare a function @total that can be defined"},
		"mix":    {func(a bool) float64 { return 0 }, "the Go function for @mix has the type func(bool) float64: the module's function has 5 parameters"},
		"turn": {func(z complex64) complex128 { return 0 },
			"its parameter 0 is struct<(f64, f64)> in the module, which complex64 does not match"},
		"sum":  {nil, "it must be a function with a fixed number of parameters"},
		"note": {func(int64) int { return 0 }, "the module's function has no result"},
	} {
		_, err := execution.New(m, execution.Options{Functions: map[string]any{name: test.function}})
		check.Error(t, err, "execution: Options.Functions: ", test.want)
	}
	_, err := execution.New(m, execution.Options{Functions: map[string]any{"turn": func(complex128) {}}})
	check.Error(t, err, "its result is struct<(f64, f64)> in the module")
	check.Diff(t, "the module", before, m.String())
}

// TestStrides checks memrefs whose elements are complex, or not next to one another.
func TestStrides(t *testing.T) {
	e := engine(t, `
func.func @weigh(%m: memref<2x3xcomplex<f32>, strided<[?, ?], offset: ?>>) -> complex<f32> {
  %zero = complex.constant [0.0 : f32, 0.0 : f32] : complex<f32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %0 = scf.for %i = %c0 to %c2 step %c1 iter_args(%a = %zero) -> complex<f32> {
    %1 = scf.for %j = %c0 to %c3 step %c1 iter_args(%b = %a) -> complex<f32> {
      %v = memref.load %m[%i, %j] : memref<2x3xcomplex<f32>, strided<[?, ?], offset: ?>>
      %ten = complex.constant [10.0 : f32, 0.0 : f32] : complex<f32>
      %2 = complex.mul %b, %ten : complex<f32>
      %3 = complex.add %2, %v : complex<f32>
      scf.yield %3 : complex<f32>
    }
    scf.yield %1 : complex<f32>
  }
  return %0 : complex<f32>
}`, execution.Options{})
	data := []complex64{1, 2, 3, 4, 5, 6i, 7, 8}
	for _, test := range []struct {
		name    string
		offset  int64
		strides []int64
	}{
		{"row by row", 0, []int64{3, 1}},
		{"column by column", 0, []int64{1, 2}},
		{"backwards", 7, []int64{-3, -1}},
		{"the same row twice", 1, []int64{0, 1}},
	} {
		var got complex64
		check.NoError(t,
			e.Invoke("weigh", &got, execution.NewStridedMemRef(data, test.offset, []int64{2, 3}, test.strides)))
		want := complex64(0)
		for i := range int64(2) {
			for j := range int64(3) {
				want = want*10 + data[test.offset+i*test.strides[0]+j*test.strides[1]]
			}
		}
		check.Diff(t, test.name, want, got)
	}
	for _, test := range []struct {
		offset         int64
		sizes, strides []int64
		want           string
	}{
		{0, []int64{2, 3}, []int64{3}, "give one stride for each size"},
		{0, []int64{2, -3}, []int64{3, 1}, "a memref has the size -3: it must not be negative"},
		{3, []int64{2, 3}, []int64{3, 1}, "has elements from 3 to 8, outside of the 8 of the slice"},
		{0, []int64{2, 3}, []int64{-1, 1}, "has elements from -1 to 2, outside of the 8 of the slice"},
		{0, []int64{2, 1 << 62}, []int64{1, 1 << 62}, "outside of the 8 of the slice"},
	} {
		var got complex64
		check.Error(t, e.Invoke("weigh", &got, execution.NewStridedMemRef(data, test.offset, test.sizes, test.strides)),
			test.want)
	}
}

// TestUnranked passes unranked memrefs to compiled code, and from there to Go.
func TestUnranked(t *testing.T) {
	type descriptor struct {
		base, data     *float32
		offset         int64
		sizes, strides [2]int64
	}
	var got []string
	e := engine(t, `
func.func private @show(memref<*xf32>)
func.func @pass(%m: memref<*xf32>) -> index {
  call @show(%m) : (memref<*xf32>) -> ()
  %rank = memref.rank %m : memref<*xf32>
  return %rank : index
}
func.func @set(%m: memref<*xf32>, %v: f32) {
  %r = memref.cast %m : memref<*xf32> to memref<f32>
  memref.store %v, %r[] : memref<f32>
  return
}`, execution.Options{Functions: map[string]any{"show": func(rank int64, p unsafe.Pointer) {
		d := (*descriptor)(p)
		last := *(*float32)(
			unsafe.Add(unsafe.Pointer(d.data), 4*(d.offset+(d.sizes[0]-1)*d.strides[0]+(d.sizes[1]-1)*d.strides[1])))
		got = append(got, fmt.Sprint(rank, d.offset, d.sizes, d.strides, *d.base, last))
	}}})
	var rank int64
	check.NoError(t, e.Invoke("pass", &rank, execution.NewMemRef([]float32{1, 2, 3, 4}, 2, 2).Unranked()))
	check.Diff(t, "the rank", int64(2), rank)
	check.NoError(t, e.Invoke("pass", &rank,
		execution.NewStridedMemRef([]float32{5, 6, 7, 8}, 1, []int64{3, 4}, []int64{1, 0}).Unranked()))
	check.Diff(t, "the memrefs", []string{"2 0 [2 2] [2 1] 1 4", "2 1 [3 4] [1 0] 5 8"}, got)
	one := []float32{0}
	check.NoError(t, e.Invoke("set", nil, execution.NewMemRef(one).Unranked(), float32(9)))
	check.Diff(t, "the element", []float32{9}, one)
	check.Error(t, e.Invoke("set", nil, execution.NewMemRef(one, 2).Unranked(), float32(9)), "has 2 elements, not 1")
}
