package execution_test

import (
	"testing"
	"unsafe"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/mlir/execution"
)

const sourced = `
func.func @first(%m: memref<?xf32>, %x: f32) -> f32 {
  %0 = arith.constant 0 : index
  %1 = memref.load %m[%0] : memref<?xf32>
  %2 = arith.addf %1, %x : f32
  return %2 : f32
}
func.func @four(%n: index, %m: memref<4xi32>) { return }
func.func @matrix(%m: memref<?x3xf64>) { return }
func.func @strided(%m: memref<2x3xf32, strided<[?, 2], offset: 1>>) { return }
func.func @half(%m: memref<?xbf16>) { return }
func.func @bools(%m: memref<?xi1>) { return }
func.func @any(%m: memref<*xcomplex<f32>>) { return }
func.func @space(%m: memref<?xf32, 1>) { return }
func.func @id(%m: memref<2xi64>) -> memref<2xi64> { return %m : memref<2xi64> }
func.func @two(%m: memref<2xi64>) -> (i32, memref<2xi64>) {
  %0 = arith.constant 7 : i32
  return %0, %m : i32, memref<2xi64>
}
func.func @address(%p: !llvm.ptr) { return }`

const toLLVM = "builtin.module(convert-to-llvm,reconcile-unrealized-casts)"

func ranOn(t *testing.T, e mlirtest.Engine, text string, pipelines ...string) *mlir.Module {
	t.Helper()
	c := mlirtest.ContextOf(t, e.Library)
	m := mlirtest.Parse(t, c, text)
	for _, p := range pipelines {
		check.NoError(t, check.Must(c.NewPassManager(mlir.PassManagerOptions{Pipeline: p})).Run(m))
	}
	return m
}

// eachExecution runs a test on each library that has an execution engine.
func eachExecution(t *testing.T, test func(t *testing.T, e mlirtest.Engine)) {
	mlirtest.EachEngine(t, func(t *testing.T, e mlirtest.Engine) {
		if e.Library.Has("mlirExecutionEngineLookupPacked") {
			test(t, e)
		}
	})
}

func compile(t *testing.T, m *mlir.Module, o execution.Options) *execution.Engine {
	t.Helper()
	e, err := execution.New(m, o)
	check.NoError(t, err)
	check.Cleanup(t, e)
	return e
}

// TestInvokeSource checks arguments and results against the types that functions had before they were lowered. The
// compiled code would read and write outside of the memory of many of these.
func TestInvokeSource(t *testing.T) {
	eachExecution(t, func(t *testing.T, engine mlirtest.Engine) {
		e := compile(t, ranOn(t, engine, sourced, toLLVM), execution.Options{})
		f32, f64, i32, i64 := make([]float32, 12), make([]float64, 12), make([]int32, 12), []int64{5, 6}
		var sum float32
		var integers execution.MemRefResult[int64]
		var floats execution.MemRefResult[float64]
		var two struct {
			N int32
			M struct {
				_, Data      *int64
				_            int64
				Size, Stride [1]int64
			}
		}
		var wrongTwo struct {
			N int32
			M struct {
				_, Data      *float64
				_            int64
				Size, Stride [1]int64
			}
		}
		for _, test := range []struct {
			name      string
			result    any
			arguments []any
			want      string // an error
		}{
			{"first", &sum, []any{execution.NewMemRef(f32, 12), float32(1)}, ""},
			{"first", &sum, []any{execution.NewMemRef(f64, 12), float32(1)},
				"argument 0 of first has the type memref<?xf32>, which a memref of float64 of the sizes [12] does not match: its elements are float64, and float32 is wanted"},
			{"first", &sum, []any{execution.NewMemRef(i32, 12), float32(1)},
				"its elements are int32, and float32 is wanted"},
			{"first", &sum, []any{execution.NewMemRef(f32, 12), 1.0},
				"argument 1 of first has the type f32, which float64 does not match"},
			{"first", &sum, []any{execution.NewMemRef(f32, 3, 4), float32(1)}, "it has the rank 2, and 1 is wanted"},
			{"first", &sum, []any{execution.NewMemRef(f32, 12).Unranked(), float32(1)}, "it is not unranked"},
			{"first", &sum, []any{&f32[0], &f32[0], int64(0), int64(12), int64(1), float32(1)},
				"argument 0 of first has the type memref<?xf32>, which *float32 does not match: pass a MemRef"},
			{"first", &sum, []any{execution.NewStridedMemRef(f32, 0, []int64{4}, []int64{2}), float32(1)},
				"its stride 0 is 2, and 1 is wanted, because the order is row-major"},
			{"first", &sum, []any{execution.NewStridedMemRef(f32, 2, []int64{4}, []int64{1}), float32(1)},
				"its offset is 2, and 0 is wanted"},
			{"first", &sum, []any{execution.NewMemRef([]float32{}, -1), float32(1)},
				"the size -1: it must not be negative"},
			{"first", &sum, []any{execution.NewMemRef(f32[:0], 1<<32, 1<<32), float32(1)},
				"has 18446744073709551616 elements, not 0"},
			{"four", nil, []any{int64(1), execution.NewMemRef(i32[:4], 4)}, ""},
			{"four", nil, []any{int64(1), execution.NewMemRef([]uint32{1, 2, 3, 4}, 4)}, ""},
			{"four", nil, []any{int64(1), execution.NewMemRef(i32[:3], 3)},
				"argument 1 of four has the type memref<4xi32>, which a memref of int32 of the sizes [3] does not match: its size 0 is 3, and 4 is wanted"},
			{"four", nil, []any{int64(1), execution.NewMemRef(f32[:4], 4)},
				"its elements are float32, and int32 or uint32 is wanted"},
			{"four", nil, []any{execution.NewMemRef(i32[:4], 4), int64(1)},
				"argument 0 of four has the type index, which a memref of int32 of the sizes [4] does not match: it is not a memref"},
			{"matrix", nil, []any{execution.NewMemRef(f64, 4, 3)}, ""},
			{"matrix", nil, []any{execution.NewMemRef(f64, 3, 4)}, "its size 1 is 4, and 3 is wanted"},
			{"matrix", nil, []any{execution.NewStridedMemRef(f64, 0, []int64{2, 3}, []int64{1, 2})},
				"its stride 0 is 1, and 3 is wanted"},
			{"matrix", nil, []any{execution.NewStridedMemRef(f64, 0, []int64{1, 3}, []int64{9, 1})}, ""},
			{"strided", nil, []any{execution.NewStridedMemRef(f32, 1, []int64{2, 3}, []int64{5, 2})}, ""},
			{"strided", nil, []any{execution.NewStridedMemRef(f32, 1, []int64{2, 3}, []int64{3, 1})},
				"its stride 1 is 1, and 2 is wanted"},
			{"strided", nil, []any{execution.NewStridedMemRef(f32, 0, []int64{2, 3}, []int64{5, 2})},
				"its offset is 0, and 1 is wanted"},
			{"half", nil, []any{execution.NewMemRef([]uint16{1}, 1)}, ""},
			{"half", nil, []any{execution.NewMemRef([]float32{1}, 1)},
				"its elements are float32, and tensor.BFloat16, int16 or uint16 is wanted"},
			{"bools", nil, []any{execution.NewMemRef([]uint8{1}, 1)}, ""},
			{"bools", nil, []any{execution.NewMemRef([]int64{1}, 1)}, "int8 or uint8 is wanted"},
			{"any", nil, []any{execution.NewMemRef([]complex64{1}, 1, 1).Unranked()}, ""},
			{"any", nil, []any{execution.NewMemRef([]complex128{1}, 1).Unranked()},
				"its elements are complex128, and complex64 is wanted"},
			{"any", nil, []any{execution.NewMemRef([]complex64{1}, 1)}, "it is unranked: pass MemRef.Unranked"},
			{"space", nil, []any{execution.NewMemRef(f32, 12)}, "which *float32 does not match"},
			{"id", &integers, []any{execution.NewMemRef(i64, 2)}, ""},
			{"id", &floats, []any{execution.NewMemRef(i64, 2)},
				"it is a memref<2xi64>, whose elements are int64 or uint64"},
			{"two", &two, []any{execution.NewMemRef(i64, 2)}, ""},
			{"two", &wrongTwo, []any{execution.NewMemRef(i64, 2)},
				"result 1 is a memref<2xi64>, whose elements *float64 does not point to"},
			{"address", nil, []any{&sum}, ""},
			{"address", nil, []any{unsafe.Pointer(&sum)}, ""},
		} {
			err := e.Invoke(test.name, test.result, test.arguments...)
			if test.want == "" {
				check.Report(t, err)
			} else {
				check.Error(t, err, test.want)
			}
		}
		check.Diff(t, "the result of id", []int64{5, 6}, integers.Values())
		check.Diff(t, "the result of two", [2]int64{7, 5}, [2]int64{int64(two.N), *two.M.Data})
	})
}

// TestInvokeTensors checks functions of tensors, which passes make memrefs of in the run that lowers them, or earlier.
func TestInvokeTensors(t *testing.T) {
	const (
		text = `func.func @sum(%x: tensor<3xf32>) -> f32 {
  %0 = arith.constant 2 : index
  %1 = tensor.extract %x[%0] : tensor<3xf32>
  return %1 : f32
}
func.func @made() -> tensor<2xf32> {
  %0 = arith.constant dense<[1.0, 2.0]> : tensor<2xf32>
  return %0 : tensor<2xf32>
}`
		buffers = "one-shot-bufferize{bufferize-function-boundaries=1}"
		results = "buffer-results-to-out-params{modify-public-functions=1}"
		rest    = "convert-bufferization-to-memref,convert-to-llvm,reconcile-unrealized-casts"
	)
	eachExecution(t, func(t *testing.T, engine mlirtest.Engine) {
		data := []float32{1, 2, 3}
		var got float32
		for _, pipelines := range [][]string{{"builtin.module(" + buffers + "," + results + "," + rest + ")"},
			{"builtin.module(" + buffers + "," + results + ")", "builtin.module(" + rest + ")"}} {
			e := compile(t, ranOn(t, engine, text, pipelines...), execution.Options{})
			check.NoError(t, e.Invoke("sum", &got, execution.NewMemRef(data, 3)))
			check.Diff(t, "the sum", float32(3), got)
			check.Error(t, e.Invoke("sum", &got, execution.NewMemRef(data[:2], 2)), "its size 0 is 2, and 3 is wanted")
			check.Error(t, e.Invoke("sum", &got, execution.NewMemRef([]float64{1, 2, 3}, 3)), "float32 is wanted")
			strided := execution.NewStridedMemRef([]float32{1, 2, 3, 4, 5}, 0, []int64{3}, []int64{2})
			out := execution.NewMemRef(make([]float32, 2), 2)
			if len(pipelines) == 2 { // the memrefs of tensors have any layout
				check.NoError(t, e.Invoke("sum", &got, strided))
				check.Diff(t, "the strided sum", float32(5), got)
				check.NoError(t, e.Invoke("made", nil, out))
				continue
			}
			check.Error(t, e.Invoke("sum", &got, strided), "its stride 0 is 2, and 1 is wanted")
			check.Error(t, e.Invoke("made", nil, out),
				"argument 0 of made is a memref, and the types of the function are not known",
				"run passes that change the types of functions in an earlier run")
		}
	})
}

// TestSignatures checks modules that were in the LLVM dialect from the start, and copies of others.
func TestSignatures(t *testing.T) {
	eachExecution(t, func(t *testing.T, engine mlirtest.Engine) {
		source := ranOn(t, engine, sourced, toLLVM)
		data := []float32{41, 2, 3}
		var got float32
		check.Error(t, compile(t, source.Clone(), execution.Options{}).
			Invoke("first", &got, execution.NewMemRef([]int32{1}, 1), float32(1)), "its elements are int32")

		m := mlirtest.Parse(t, source.Context(), source.String())
		e := compile(t, m, execution.Options{})
		var id execution.MemRefResult[int64]
		for _, err := range []error{e.Invoke("first", &got, execution.NewMemRef(data, 3), float32(1)),
			e.Invoke("id", &id, execution.NewMemRef([]int64{1, 2}, 2)),
			e.Invoke("any", nil, execution.NewMemRef([]complex64{1}, 1).Unranked())} {
			check.Error(t, err, "the types of the function are not known",
				"the module was in the LLVM dialect from the start", "give its type in Options.Signatures")
		}
		check.NoError(t, e.Invoke("address", nil, &got))

		e = compile(t, m, execution.Options{Signatures: map[string]string{
			"first": "(memref<?xf32>, f32) -> f32", "id": "(memref<2xi64>) -> memref<2xi64>"}})
		check.NoError(t, e.Invoke("first", &got, execution.NewMemRef(data, 3), float32(1)))
		check.Diff(t, "first", float32(42), got)
		check.Error(t, e.Invoke("first", &got, execution.NewMemRef([]float64{1}, 1), float32(1)), "float32 is wanted")
		check.NoError(t, e.Invoke("id", &id, execution.NewMemRef([]int64{1, 2}, 2)))
		check.Diff(t, "id", []int64{1, 2}, id.Values())

		for name, test := range map[string][2]string{
			"no function":    {"nosuch", "() -> ()"},
			"no type":        {"first", "(memref<"},
			"not a function": {"first", "f32"},
			"too few":        {"first", "(memref<?xf32>) -> f32"},
			"another rank":   {"first", "(memref<?x?xf32>, f32) -> f32"},
			"another number": {"first", "(memref<?xf32>, f64) -> f32"},
			"no result":      {"first", "(memref<?xf32>, f32) -> ()"},
		} {
			_, err := execution.New(m, execution.Options{Signatures: map[string]string{test[0]: test[1]}})
			if err == nil {
				t.Errorf("%s is accepted", name)
				continue
			}
			check.Error(t, err, "execution: Options.Signatures: ")
		}
	})
}

// TestBarePointers checks functions that take nothing but the address of a memref.
func TestBarePointers(t *testing.T) {
	const text = `func.func @f(%m: memref<4xi32>, %n: index) -> i32 {
  %0 = memref.load %m[%n] : memref<4xi32>
  return %0 : i32
}`
	eachExecution(t, func(t *testing.T, engine mlirtest.Engine) {
		e := compile(t, ranOn(t, engine, text, "builtin.module(finalize-memref-to-llvm,"+
			"convert-func-to-llvm{use-bare-ptr-memref-call-conv=1},convert-to-llvm,reconcile-unrealized-casts)"),
			execution.Options{})
		var got int32
		check.NoError(t, e.Invoke("f", &got, execution.NewMemRef([]int32{5, 6, 7, 8}, 4), int64(2)))
		check.Diff(t, "the element", int32(7), got)
		check.Error(t, e.Invoke("f", &got, execution.NewMemRef([]int32{5}, 1), int64(2)),
			"its size 0 is 1, and 4 is wanted")
		check.Error(t, e.Invoke("f", &got, &got, int64(2)), "pass a MemRef")
	})
}

// TestFunctionPointers checks the addresses that a Go function takes for a memref.
func TestFunctionPointers(t *testing.T) {
	eachExecution(t, func(t *testing.T, engine mlirtest.Engine) {
		m := ranOn(t, engine, "func.func private @g(i32, memref<?xf32>)", toLLVM)
		compile(t, m, execution.Options{Functions: map[string]any{
			"g": func(int32, *float32, *float32, int64, int64, int64) {}}})
		_, err := execution.New(m, execution.Options{Functions: map[string]any{
			"g": func(int32, *float32, *float64, int64, int64, int64) {}}})
		check.Error(t, err, "its parameter 2 is an address of the memref<?xf32> that is parameter 1 in the module, to whose elements *float64 does not point")
	})
}
