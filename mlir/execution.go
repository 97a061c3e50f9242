package mlir

import (
	"errors"
	"fmt"
	"os"
	"reflect"
	"runtime"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/calliope-mlir/calliope/internal/capi"
)

// ExecutionEngine is a module that was compiled in this process. Its functions may be
// called from several goroutines at once. It belongs to no context: the module and its
// context may be closed before it. The caller closes it.
type ExecutionEngine struct {
	lib       *Library
	raw       capi.MlirExecutionEngine
	functions map[string]signature
	dump      bool
	calls     atomic.Int64
	closed    atomic.Bool

	mu          sync.Mutex
	symbols     map[string]bool // what the module or the host defined
	free        []func()
	failed      error // of a function of the host
	initialized bool
}

// EngineOptions are the settings of a new ExecutionEngine.
type EngineOptions struct {
	Optimize            int      // from 0 to 3, as of a compiler's -O
	Libraries           []string // paths of shared libraries whose symbols the code may use
	ObjectDump          bool     // keep what DumpObject needs
	PositionIndependent bool
}

// NewExecutionEngine compiles a module whose operations are all of dialects that can be
// translated to LLVM IR: in the main the LLVM dialect. It is an UnsupportedError where
// the library has no execution engine.
func (m *Module) NewExecutionEngine(o EngineOptions) (*ExecutionEngine, error) {
	t := m.life.check("Module.NewExecutionEngine")
	c := m.ctx
	if err := c.lib.needAll("mlirExecutionEngineCreate", "mlirExecutionEngineLookupPacked"); err != nil {
		return nil, err
	}
	if o.Optimize < 0 || o.Optimize > 3 {
		return nil, fmt.Errorf("mlir: EngineOptions.Optimize is %d: give a number from 0 to 3", o.Optimize)
	}
	for _, path := range o.Libraries {
		if _, err := os.Stat(path); err != nil {
			return nil, fmt.Errorf("mlir: a library of the execution engine: %w", err)
		}
	}
	if err := m.Verify(); err != nil {
		return nil, err
	}
	c.registerTranslations()
	e := &ExecutionEngine{lib: c.lib, dump: o.ObjectDump, functions: map[string]signature{}, symbols: map[string]bool{}}
	for op := range m.Body().Operations() {
		e.declare(op)
	}
	c.takeDiagnostics("")
	e.raw = capi.CreateEngine(t, m.raw, o.Optimize, o.Libraries, o.ObjectDump, o.PositionIndependent)
	diagnostics := c.takeDiagnostics("")
	if e.raw.Ptr == nil {
		return nil, &DiagnosticError{Op: "compiling the module", Diagnostics: diagnostics}
	}
	return e, nil
}

// registerTranslations makes the dialects' ways to LLVM IR known, where that is not
// part of registering the dialects.
func (c *Context) registerTranslations() {
	if !c.translates && c.lib.Has("mlirRegisterAllLLVMTranslations") {
		capi.MlirRegisterAllLLVMTranslations(c.lib.api, c.raw)
	}
	c.translates = true
}

// declare notes what a top-level operation defines.
func (e *ExecutionEngine) declare(op Operation) {
	attribute, _ := op.Attribute("sym_name")
	if attribute.IsNil() {
		return
	}
	name, _ := attribute.Text()
	if op.Name() != "llvm.func" {
		e.symbols[name] = true
		return
	}
	typ, _ := op.Attribute("function_type")
	s, ok := parseSignature(typ.String())
	s.defined = op.NumRegions() > 0 && !op.Region(0).First().IsNil()
	e.symbols[name] = s.defined
	if ok {
		e.functions[name] = s
	}
}

// live panics after Close.
func (e *ExecutionEngine) live(method string) *capi.Table {
	if e.closed.Load() {
		panic("mlir: " + method + " called after ExecutionEngine.Close")
	}
	return e.lib.api
}

// Close frees the compiled code. It panics while a function of it is called. Closing twice
// does nothing. The error is always nil.
func (e *ExecutionEngine) Close() error {
	if e.calls.Load() > 0 {
		panic("mlir: ExecutionEngine.Close called while a function of it runs")
	}
	if e.closed.Swap(true) {
		return nil
	}
	capi.MlirExecutionEngineDestroy(e.lib.api, e.raw)
	for _, f := range e.free {
		f()
	}
	return nil
}

// Initialize runs the module's global constructors. It is called at most once, after
// the symbols were registered and before the first call.
func (e *ExecutionEngine) Initialize() error {
	t := e.live("ExecutionEngine.Initialize")
	if err := e.lib.need("mlirExecutionEngineInitialize"); err != nil {
		return err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.initialized {
		return errors.New("mlir: the execution engine is initialized already")
	}
	e.initialized = true
	capi.MlirExecutionEngineInitialize(t, e.raw)
	return nil
}

// Lookup is the address of a function or global of the module, nil where there is none.
// It is good until Close.
func (e *ExecutionEngine) Lookup(name string) unsafe.Pointer {
	t := e.live("ExecutionEngine.Lookup")
	e.mu.Lock()
	known := e.symbols[name]
	e.mu.Unlock()
	if !known {
		return nil // asking the library prints an error
	}
	return capi.MlirExecutionEngineLookup(t, e.raw, name)
}

// Register gives compiled code the address of a function or variable that it declares
// and does not define. It must be done before the first call or Lookup.
func (e *ExecutionEngine) Register(name string, address unsafe.Pointer) error {
	t := e.live("ExecutionEngine.Register")
	e.mu.Lock()
	defer e.mu.Unlock()
	switch {
	case address == nil:
		return fmt.Errorf("mlir: the symbol %q was given no address", name)
	case e.symbols[name]:
		return fmt.Errorf("mlir: the symbol %q is defined already", name)
	}
	e.symbols[name] = true
	capi.MlirExecutionEngineRegisterSymbol(t, e.raw, name, address)
	return nil
}

// RegisterFunc gives compiled code a Go function under a name that the module declares
// as "llvm.func @name(!llvm.ptr)". What the pointer means is for the two to agree upon.
// The function is called on the thread that compiled code runs on; a panic in it comes
// out of Invoke as a *PanicError, after compiled code has returned. At most 64 of them
// exist in a process at one time.
func (e *ExecutionEngine) RegisterFunc(name string, f func(argument unsafe.Pointer)) error {
	e.live("ExecutionEngine.RegisterFunc")
	s, ok := e.functions[name]
	if !ok || s.defined || s.result.kind != layoutVoid || len(s.arguments) != 1 || s.arguments[0].kind != layoutPointer {
		return fmt.Errorf("mlir: the module does not declare llvm.func @%s(!llvm.ptr)", name)
	}
	address, free := capi.HostFunction(func(argument unsafe.Pointer) {
		if err := recovered(func() error { f(argument); return nil }); err != nil {
			e.mu.Lock()
			defer e.mu.Unlock()
			if e.failed == nil {
				e.failed = err
			}
		}
	})
	if address == nil {
		return errors.New("mlir: there is no room for a further Go function: close an execution engine that has some")
	}
	if err := e.Register(name, address); err != nil {
		free()
		return err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.free = append(e.free, free)
	return nil
}

// DumpObject writes the compiled code as an object file. The engine must have been made
// with ObjectDump.
func (e *ExecutionEngine) DumpObject(path string) error {
	t := e.live("ExecutionEngine.DumpObject")
	if !e.dump {
		return errors.New("mlir: the execution engine keeps no object: make it with EngineOptions.ObjectDump")
	}
	capi.MlirExecutionEngineDumpToObjectFile(t, e.raw, path)
	if _, err := os.Stat(path); err != nil {
		return fmt.Errorf("mlir: the object file was not written: %w", err)
	}
	return nil
}

// Invoke calls a function of the module. Arguments are Go values of the same layout as
// the function's: i1 takes a bool, iN an integer of N bits, f32 and f64 a float,
// !llvm.ptr any pointer, and the group of arguments that stands for a memref takes a
// MemRef. What pointers point to stays in place for the call, but must not itself hold
// Go pointers. result is nil for a function without one, and else a pointer to where it
// goes: a struct for a struct. What does not match is an error; what compiled code does
// with good arguments is its own affair, and it may crash.
func (e *ExecutionEngine) Invoke(name string, result any, arguments ...any) error {
	t := e.live("ExecutionEngine.Invoke")
	e.calls.Add(1)
	defer e.calls.Add(-1)
	s, ok := e.functions[name]
	switch {
	case !ok || !s.defined:
		return fmt.Errorf("mlir: the module defines no function %q that can be called", name)
	case s.variadic:
		return fmt.Errorf("mlir: %s takes a variable number of arguments, and such a function cannot be called", name)
	}
	var values []reflect.Value
	for _, a := range arguments {
		if m, ok := a.(MemRef); ok {
			if m.err != nil {
				return m.err
			}
			for _, piece := range m.pieces {
				values = append(values, reflect.ValueOf(piece))
			}
			continue
		}
		values = append(values, reflect.ValueOf(a))
	}
	if len(values) != len(s.arguments) {
		return fmt.Errorf("mlir: %s takes %d arguments, and %d were given (a memref counts as its pieces)", name, len(s.arguments), len(values))
	}
	for i, v := range values {
		if !v.IsValid() || !s.arguments[i].accepts(v.Type()) {
			return fmt.Errorf("mlir: argument %d of %s is of type %s, for which a %T does not do", i, name, s.arguments[i].text, anyOf(v))
		}
	}
	to := reflect.ValueOf(result)
	switch {
	case s.result.kind == layoutVoid && result != nil:
		return fmt.Errorf("mlir: %s has no result: give nil for it", name)
	case s.result.kind == layoutVoid:
	case to.Kind() != reflect.Pointer || to.IsNil() || !s.result.accepts(to.Type().Elem()):
		return fmt.Errorf("mlir: %s gives a result of type %s, which does not go into a %T", name, s.result.text, result)
	}
	f := capi.MlirExecutionEngineLookupPacked(t, e.raw, name)
	if f == nil {
		return fmt.Errorf("mlir: %s cannot be linked: something that it uses is defined nowhere", name)
	}
	callPacked(f, values, to)

	e.mu.Lock()
	defer e.mu.Unlock()
	err := e.failed
	e.failed = nil
	return err
}

func anyOf(v reflect.Value) any {
	if !v.IsValid() {
		return nil
	}
	return v.Interface()
}

// callPacked lays arguments and result out in C memory and calls a packed function.
func callPacked(f unsafe.Pointer, values []reflect.Value, result reflect.Value) {
	var pins runtime.Pinner
	defer pins.Unpin()
	const align = 16
	sizes := func(v reflect.Type) int { return (int(v.Size()) + align - 1) &^ (align - 1) }
	table := (int(unsafe.Sizeof(uintptr(0)))*(len(values)+1) + align - 1) &^ (align - 1)
	total := table
	for _, v := range values {
		total += sizes(v.Type())
	}
	if result.IsValid() {
		total += sizes(result.Type().Elem())
	}
	memory := capi.Alloc(total)
	defer capi.Free(memory)
	addresses := unsafe.Slice((*unsafe.Pointer)(memory), len(values)+1)
	at := table
	place := func(t reflect.Type) reflect.Value {
		slot := reflect.NewAt(t, unsafe.Add(memory, at))
		at += sizes(t)
		return slot
	}
	for i, v := range values {
		slot := place(v.Type())
		switch v.Kind() {
		case reflect.Pointer, reflect.UnsafePointer:
			pin(&pins, v.UnsafePointer())
		}
		slot.Elem().Set(v)
		addresses[i] = slot.UnsafePointer()
	}
	if !result.IsValid() {
		capi.CallPacked(f, &addresses[0])
		return
	}
	slot := place(result.Type().Elem())
	addresses[len(values)] = slot.UnsafePointer()
	capi.CallPacked(f, &addresses[0])
	result.Elem().Set(slot.Elem())
}

// pin keeps Go memory in place. Memory of C needs no pin, and Pin panics on it.
func pin(pins *runtime.Pinner, p unsafe.Pointer) {
	if p == nil {
		return
	}
	defer func() { _ = recover() }()
	pins.Pin(p)
}
