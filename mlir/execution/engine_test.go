//go:build engines

package execution_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"unsafe"

	"github.com/google/go-cmp/cmp"

	"github.com/calliope-mlir/calliope/experimental/capi"
	"github.com/calliope-mlir/calliope/internal/ir/raw"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/mlir/execution"
	"github.com/calliope-mlir/calliope/native"
)

// lower lowers a module to the LLVM dialect.
const lower = "builtin.module(convert-scf-to-cf,convert-to-llvm,reconcile-unrealized-casts)"

func lowered(t testing.TB, text string) *mlir.Module {
	t.Helper()
	c := mlirtest.ContextOf(t, mlirtest.Upstream(t))
	m := mlirtest.Parse(t, c, text)
	check.NoError(t, check.Must(c.NewPassManager(mlir.PassManagerOptions{Pipeline: lower})).Run(m))
	return m
}

// upstream opens the library of the example.
func upstream() (*mlir.Library, error) {
	found, err := native.Ensure(context.Background(), native.LLVM, native.EnsureOptions{})
	if err != nil {
		return nil, err
	}
	return mlir.Open(mlir.OpenOptions{Path: found.Path})
}

func engine(t testing.TB, text string, o execution.Options) *execution.Engine {
	t.Helper()
	m := lowered(t, text)
	e, err := execution.New(m, o)
	check.NoError(t, err)
	check.Cleanup(t, e)
	m.Context().Close() // the engine outlives it
	return e
}

const compiled = `
func.func @add(%a: i32, %b: i32) -> i32 {
  %0 = arith.addi %a, %b : i32
  return %0 : i32
}
func.func @mixed(%a: f64, %b: i1, %c: i8) -> (f64, i1, i8) {
  return %a, %b, %c : f64, i1, i8
}
func.func @scale(%m: memref<?x?xf32>, %by: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %rows = memref.dim %m, %c0 : memref<?x?xf32>
  %columns = memref.dim %m, %c1 : memref<?x?xf32>
  scf.for %i = %c0 to %rows step %c1 {
    scf.for %j = %c0 to %columns step %c1 {
      %x = memref.load %m[%i, %j] : memref<?x?xf32>
      %y = arith.mulf %x, %by : f32
      memref.store %y, %m[%i, %j] : memref<?x?xf32>
    }
  }
  return
}
llvm.func @host(!llvm.ptr)
llvm.func @missing()
func.func @call_host(%p: !llvm.ptr) {
  llvm.call @host(%p) : (!llvm.ptr) -> ()
  return
}
func.func @call_missing() {
  llvm.call @missing() : () -> ()
  return
}
func.func @wide(%a: i128) { return }
llvm.mlir.global external @answer(42 : i32) : i32
`

func TestInvoke(t *testing.T) {
	e := engine(t, strings.ReplaceAll(compiled, "@call_missing() {\n  llvm.call @missing() : () -> ()",
		"@call_missing() {"), execution.Options{Optimize: 2})
	var seen []int32
	boom := false
	if err := e.RegisterFunc("host", func(p unsafe.Pointer) {
		if boom {
			panic("boom")
		}
		seen = append(seen, *(*int32)(p))
	}); err != nil {
		t.Fatal(err)
	}
	var sum int32
	if err := e.Invoke("add", &sum, int32(40), int32(2)); err != nil || sum != 42 {
		t.Errorf("add returned %d, %v", sum, err)
	}
	var mixed struct {
		A float64
		B bool
		C int8
	}
	if err := e.Invoke("mixed", &mixed, 1.5, true, int8(-3)); err != nil || mixed.A != 1.5 || !mixed.B ||
		mixed.C != -3 {
		t.Errorf("mixed returned %+v, %v", mixed, err)
	}
	data := []float32{1, 2, 3, 4, 5, 6}
	check.Report(t, e.Invoke("scale", nil, execution.NewMemRef(data, 2, 3), float32(10)))
	if diff := cmp.Diff([]float32{10, 20, 30, 40, 50, 60}, data); diff != "" {
		t.Errorf("scaled (-want +got):\n%s", diff)
	}
	check.Report(t, e.Invoke("scale", nil, execution.NewMemRef([]float32(nil), 0, 3), float32(10)))
	x := int32(7)
	check.Report(t, e.Invoke("call_host", nil, &x))
	if diff := cmp.Diff([]int32{7}, seen); diff != "" {
		t.Errorf("the host function's arguments (-want +got):\n%s", diff)
	}
	boom = true
	var panicked *mlir.PanicError
	if err := e.Invoke("call_host", nil, &x); !errors.As(err, &panicked) || panicked.Value != "boom" {
		t.Errorf("a host function that panics: %v", err)
	}
	if p := (*int32)(e.Lookup("answer")); p == nil || *p != 42 {
		t.Errorf("the global is %v", p)
	}
	c := mlirtest.ContextOf(t, mlirtest.Upstream(t))
	if p := capi.MlirExecutionEngineLookup(raw.Table(c), capi.MlirExecutionEngine{Ptr: e.Pointer()}, "answer"); p ==
		nil || p != e.Lookup("answer") {
		t.Errorf("C code finds the global at %v", p)
	}
	if e.Lookup("nosuch") != nil {
		t.Error("an undefined name has an address")
	}
	for range 2 { // the second call does nothing
		check.Report(t, e.Initialize())
	}
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for j := range 200 {
				var sum int32
				if err := e.Invoke("add", &sum, int32(i), int32(j)); err != nil || sum != int32(i+j) {
					t.Errorf("add(%d, %d) returned %d, %v", i, j, sum, err)
					return
				}
			}
		})
	}
	wg.Wait()
}

// TestInvokeErrors checks that arguments and results of the wrong layout are rejected before
// the compiled code is called.
func TestInvokeErrors(t *testing.T) {
	e := engine(t, compiled, execution.Options{})
	var i32 int32
	var i64 int64
	for _, test := range []struct {
		want      string
		name      string
		result    any
		arguments []any
	}{
		{`does not define a function "nosuch"`, "nosuch", nil, nil},
		{`does not define a function "missing"`, "missing", nil, nil},
		{"takes 2 arguments, but 1 are given", "add", &i32, []any{int32(1)}},
		{"argument 1 of add has the type i32, which int64 does not match", "add", &i32, []any{int32(1), int64(2)}},
		{"which <nil> does not match", "add", &i32, []any{int32(1), nil}},
		{"returns a result of type i32, which *int64 cannot hold", "add", &i64, []any{int32(1), int32(2)}},
		{"which <nil> cannot hold", "add", nil, []any{int32(1), int32(2)}},
		{"has no result", "call_missing", &i32, nil},
		{`call_missing cannot be linked: nothing in this process defines "host", "missing": make`, "call_missing", nil,
			nil},
		{"argument 0 of wide has the type i128", "wide", nil, []any{int64(1)}},
		{"has 6 elements, not 5", "scale", nil, []any{execution.NewMemRef(make([]float32, 5), 2, 3), float32(1)}},
		{"takes 8 arguments, but 6 are given", "scale", nil,
			[]any{execution.NewMemRef(make([]float32, 6), 6), float32(1)}},
	} {
		if err := e.Invoke(test.name, test.result, test.arguments...); err == nil ||
			!strings.Contains(err.Error(), test.want) {
			t.Errorf("%s(%v): the error is %v, want it to say %q", test.name, test.arguments, err, test.want)
		}
	}
	nothing := func(unsafe.Pointer) {}
	for _, name := range []string{"add", "nosuch", "missing"} {
		if err := e.RegisterFunc(name, nothing); err == nil {
			t.Errorf("a Go function was registered as %s", name)
		}
	}
	if err := e.Register("answer", unsafe.Pointer(&i32)); err == nil {
		t.Error("a symbol of the module was registered")
	}
	if err := e.Register("missing", nil); err == nil {
		t.Error("a symbol without an address was registered")
	}
	if err := e.DumpObject(filepath.Join(t.TempDir(), "x.o")); err == nil {
		t.Error("an engine without object code wrote it")
	}
	e.Close()
	e.Close()
	check.Panics(t, "called after Engine.Close", func() { e.Lookup("add") })
	check.Panics(t, "called after Engine.Close", func() { e.Pointer() })

	c := mlirtest.ContextOf(t, mlirtest.Upstream(t))
	high := mlirtest.Parse(t, c, "func.func @f(%x: i32) -> i32 { return %x : i32 }") // not lowered
	var d *mlir.DiagnosticError
	if _, err := execution.New(high, execution.Options{}); !errors.As(err, &d) {
		t.Errorf("compiling a module that is not lowered: %v", err)
	}
	if _, err := high.LLVMIR(); !errors.As(err, &d) {
		t.Errorf("translating a module that is not lowered: %v", err)
	}
	if _, err := execution.New(high, execution.Options{Optimize: 4}); err == nil {
		t.Error("-O4 was accepted")
	}
	if _, err := execution.New(high, execution.Options{Libraries: []string{"/nonexistent.so"}}); !errors.Is(err,
		fs.ErrNotExist) {
		t.Errorf("a library that is missing: %v", err)
	}
}

// TestInvokeUnlinked checks that the error names the symbols that are in no library of the engine,
// and no others.
func TestInvokeUnlinked(t *testing.T) {
	has := mlirtest.Upstream(t).Path() // it exports mlirContextCreate
	const text = `
llvm.func @mlirContextCreate() -> !llvm.ptr
llvm.func @getenv(!llvm.ptr) -> !llvm.ptr
llvm.func @unused()
llvm.func @missing()
llvm.mlir.global external @absent() : i32
llvm.func @f() {
  %0 = llvm.call @mlirContextCreate() : () -> !llvm.ptr
  %1 = llvm.call @getenv(%0) : (!llvm.ptr) -> !llvm.ptr
  %2 = llvm.mlir.addressof @absent : !llvm.ptr
  %3 = llvm.load volatile %2 : !llvm.ptr -> i32
  llvm.call @missing() : () -> ()
  llvm.return
}`
	for _, test := range []struct {
		libraries []string
		want      string
	}{
		{nil, `nothing in this process defines "absent", "missing", "mlirContextCreate":`},
		{[]string{has}, `nothing in this process and Options.Libraries (` + has + `) defines "absent", "missing":`},
	} {
		e := engine(t, text, execution.Options{Libraries: test.libraries})
		if err := e.Invoke("f", nil); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("with the libraries %v the error is %v, want it to say %q", test.libraries, err, test.want)
		}
		if p := e.Lookup("absent"); p != nil {
			t.Errorf("a global that is only declared has the address %v", p)
		}
	}
}

// TestRegisterVariable gives the address of a global that the module only declares.
func TestRegisterVariable(t *testing.T) {
	e := engine(t, `
llvm.mlir.global external @count() : i32
llvm.func @f() -> i32 {
  %0 = llvm.mlir.addressof @count : !llvm.ptr
  %1 = llvm.load %0 : !llvm.ptr -> i32
  llvm.return %1 : i32
}`, execution.Options{})
	count := (*int32)(capi.Alloc(4))
	defer capi.Free(unsafe.Pointer(count))
	*count = 7
	check.NoError(t, e.Register("count", unsafe.Pointer(count)))
	var got int32
	if err := e.Invoke("f", &got); err != nil || got != 7 {
		t.Errorf("f returned %d, %v", got, err)
	}
}

func TestDumpObject(t *testing.T) {
	e := engine(t, "func.func @f() { return }", execution.Options{ObjectDump: true})
	path := filepath.Join(t.TempDir(), "f.o")
	check.NoError(t, e.DumpObject(path))
	if data, err := os.ReadFile(path); err != nil || len(data) < 100 {
		t.Errorf("the object has %d bytes, %v", len(data), err)
	}
}

// ExampleNew lowers a function of func and arith to the LLVM dialect, compiles it and calls
// it.
func ExampleNew() {
	library, err := upstream()
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx := library.NewContext(mlir.ContextOptions{})
	defer ctx.Close()
	module, err := ctx.Parse("sum.mlir", []byte(`
func.func @sum(%x: f64, %y: f64) -> f64 {
  %0 = arith.addf %x, %y : f64
  return %0 : f64
}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	passes, err := ctx.NewPassManager(mlir.PassManagerOptions{
		Pipeline: "builtin.module(convert-to-llvm,reconcile-unrealized-casts)",
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := passes.Run(module); err != nil {
		fmt.Println(err)
		return
	}
	engine, err := execution.New(module, execution.Options{Optimize: 2})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer engine.Close()
	var sum float64
	if err := engine.Invoke("sum", &sum, 1.25, 3.0); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(sum)
	// Output: 4.25
}
