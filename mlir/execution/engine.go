package execution

import (
	"errors"
	"fmt"
	"os"
	"reflect"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/calliope-mlir/calliope/experimental/capi"
	"github.com/calliope-mlir/calliope/internal/ir/raw"
	"github.com/calliope-mlir/calliope/mlir"
)

// An Engine is a module that is compiled in this process. Its functions may be called by
// several goroutines at once. It is independent of the module and its context, which may be
// closed before it. The caller must close it.
type Engine struct {
	lib       *mlir.Library
	api       *capi.Table
	raw       capi.MlirExecutionEngine
	functions map[string]signature
	external  []string // symbols that the code uses and the module only declares
	libraries []string
	brain     bool // the code computes with bf16
	dump      bool
	calls     atomic.Int64
	closed    atomic.Bool

	mu          sync.Mutex
	symbols     map[string]bool // whether the module or the host defines a symbol
	free        []func()
	failed      error // the first error of a host function
	initialized bool
}

// Options are the settings of a new Engine.
type Options struct {
	Optimize int // optimization level from 0 to 3, like a compiler's -O
	// Libraries are the paths of shared libraries. A symbol that the module declares and does
	// not define is looked up in the process, and then in them.
	Libraries  []string
	ObjectDump bool // keep the object code for DumpObject
	// Functions are Go functions by the names of functions that the module declares but does
	// not define. The parameters and the result must have the layouts of those of the
	// declaration, as with Engine.Invoke; a memref is its two pointers, its offset, its sizes
	// and its strides. A second result may be an error. The functions are called on the thread
	// that runs the compiled code. If one panics or returns an error, Invoke returns a
	// *mlir.PanicError or the error after the compiled code has returned, which gets zero as
	// the result. A process can have at most 64 of these functions at a time.
	Functions map[string]any
	// Signatures are the types of functions before they were lowered, such as "(f32, memref<?xf32>) -> ()", by their
	// names. They are for modules that were in the LLVM dialect from the start: otherwise New knows them. New returns
	// an error if a function is not what its type is lowered to. Element types, sizes and layouts are taken from here
	// without a check.
	Signatures map[string]string
}

// New compiles a module. All its operations must belong to dialects that can be translated
// to LLVM IR, which is mainly the LLVM dialect. The error is an *mlir.UnsupportedError if
// the library has no execution engine.
func New(m *mlir.Module, o Options) (*Engine, error) {
	_, c := raw.Module(m), m.Context()
	l := c.Library()
	if err := raw.Need(l, "mlirExecutionEngineCreate", "mlirExecutionEngineLookupPacked"); err != nil {
		return nil, err
	}
	if o.Optimize < 0 || o.Optimize > 3 {
		return nil, fmt.Errorf("execution: Options.Optimize is %d: it must be from 0 to 3", o.Optimize)
	}
	for _, path := range o.Libraries {
		if _, err := os.Stat(path); err != nil {
			return nil, fmt.Errorf("execution: Options.Libraries: %w", err)
		}
	}
	if err := m.Verify(); err != nil {
		return nil, err
	}
	m, done, err := raw.WithoutSmallResources(m)
	if err != nil {
		return nil, err
	}
	defer done()
	handle := raw.Module(m)
	raw.RegisterTranslations(c)
	e := &Engine{lib: l, api: raw.LibraryTable(l), libraries: o.Libraries, dump: o.ObjectDump,
		functions: map[string]signature{}, symbols: map[string]bool{}}
	for op := range m.Body().Operations() {
		if err := e.declare(m, op, o.Signatures); err != nil {
			return nil, err
		}
	}
	for name := range o.Signatures {
		if _, ok := e.functions[name]; !ok {
			return nil, fmt.Errorf("execution: Options.Signatures: the module has no llvm.func @%s", name)
		}
	}
	e.external, e.brain = external(m)
	if len(o.Functions) > 0 {
		with, err := e.define(m, o.Functions)
		if err != nil {
			return nil, err
		}
		defer with.Close()
		handle = raw.Module(with)
	}
	_ = raw.Failure(c, "") // discard earlier diagnostics
	e.raw = capi.CreateEngine(raw.Table(c), handle, o.Optimize, o.Libraries, o.ObjectDump, false)
	if failure := raw.Failure(c, "compiling the module"); e.raw.Ptr == nil {
		return nil, failure
	}
	for name, f := range o.Functions {
		if err := e.serve(name, reflect.ValueOf(f)); err != nil {
			e.Close()
			return nil, err
		}
	}
	return e, nil
}

// declare records the symbol that a top-level operation defines.
func (e *Engine) declare(m *mlir.Module, op mlir.Operation, signatures map[string]string) error {
	name, ok := op.Symbol()
	if !ok {
		return nil
	}
	e.symbols[name] = defines(op)
	if op.Name() != "llvm.func" {
		return nil
	}
	typ, _ := op.Attribute("function_type")
	s, ok := parseSignature(typ.String())
	if !ok {
		return nil
	}
	s.defined = defines(op)
	s, err := s.typed(m, name, signatures[name])
	if err != nil {
		return fmt.Errorf("execution: Options.Signatures: @%s: %w", name, err)
	}
	e.functions[name] = s
	return nil
}

// live returns the function table. It panics if the engine is closed.
func (e *Engine) live(method string) *capi.Table {
	if e.closed.Load() {
		panic("execution: " + method + " called after Engine.Close")
	}
	return e.api
}

// Close frees the compiled code. It panics if one of its functions is running. A second call
// does nothing. The error is always nil.
func (e *Engine) Close() error {
	if e.calls.Load() > 0 {
		panic("execution: Engine.Close called while one of its functions runs")
	}
	if e.closed.Swap(true) {
		return nil
	}
	capi.MlirExecutionEngineDestroy(e.api, e.raw)
	for _, f := range e.free {
		f()
	}
	return nil
}

// Initialize runs the module's global constructors. It must be called after the symbols are
// registered and before the first call of a function. A second call does nothing. Libraries of
// LLVM 19 run them in New.
func (e *Engine) Initialize() error {
	t := e.live("Engine.Initialize")
	early := t.HasOf("mlirExecutionEngineCreate", 19)
	if err := raw.Need(e.lib, "mlirExecutionEngineInitialize"); err != nil && !early {
		return err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.initialized {
		return nil
	}
	e.initialized = true
	if !early {
		capi.MlirExecutionEngineInitialize(t, e.raw)
	}
	return nil
}

// Lookup returns the address of a function or global of the module, or nil if the module
// does not define it. The address is valid until Close.
func (e *Engine) Lookup(name string) unsafe.Pointer {
	t := e.live("Engine.Lookup")
	e.mu.Lock()
	known := e.symbols[name]
	e.mu.Unlock()
	if !known {
		return nil // the library would print an error
	}
	return capi.MlirExecutionEngineLookup(t, e.raw, name)
}

// Pointer returns the ptr of the MlirExecutionEngine, which the Engine still owns.
func (e *Engine) Pointer() unsafe.Pointer {
	e.live("Engine.Pointer")
	return e.raw.Ptr
}

// Register sets the address of a function or variable that the module declares but does
// not define. It must be called before the first Invoke or Lookup.
func (e *Engine) Register(name string, address unsafe.Pointer) error {
	t := e.live("Engine.Register")
	e.mu.Lock()
	defer e.mu.Unlock()
	switch {
	case address == nil:
		return fmt.Errorf("execution: the address of the symbol %q is nil", name)
	case e.symbols[name]:
		return fmt.Errorf("execution: the symbol %q is already defined", name)
	}
	e.symbols[name] = true
	capi.MlirExecutionEngineRegisterSymbol(t, e.raw, name, address)
	return nil
}

// RegisterFunc defines a function that the module declares as "llvm.func @name(!llvm.ptr)"
// as a Go function. The caller and the module agree on the meaning of the pointer. The
// function is called on the thread that runs the compiled code. If it panics, Invoke returns
// a *mlir.PanicError after the compiled code has returned. A process can have at most 64 of
// these functions at a time.
func (e *Engine) RegisterFunc(name string, f func(argument unsafe.Pointer)) error {
	e.live("Engine.RegisterFunc")
	s, ok := e.functions[name]
	if !ok || s.defined || s.result.kind != layoutVoid || len(s.arguments) != 1 ||
		s.arguments[0].kind != layoutPointer {
		return fmt.Errorf("execution: the module does not declare llvm.func @%s(!llvm.ptr)", name)
	}
	return e.registerHost(name, func(argument unsafe.Pointer) error {
		f(argument)
		return nil
	})
}

// registerHost sets a Go function as the address of a function that takes a pointer.
func (e *Engine) registerHost(name string, f func(argument unsafe.Pointer) error) error {
	address, free := capi.HostFunction(func(argument unsafe.Pointer) {
		var err error
		if panicked := recovered(func() { err = f(argument) }); panicked != nil {
			err = panicked
		}
		if err != nil {
			e.mu.Lock()
			defer e.mu.Unlock()
			if e.failed == nil {
				e.failed = err
			}
		}
	})
	if address == nil {
		return errors.New("execution: too many Go functions are registered: close an Engine that has some")
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

// DumpObject writes the compiled code to an object file. The engine must have been made
// with Options.ObjectDump.
func (e *Engine) DumpObject(path string) error {
	t := e.live("Engine.DumpObject")
	if !e.dump {
		return errors.New("execution: the engine does not keep its object code: make it with Options.ObjectDump")
	}
	capi.MlirExecutionEngineDumpToObjectFile(t, e.raw, path)
	if _, err := os.Stat(path); err != nil {
		return fmt.Errorf("execution: the object file was not written: %w", err)
	}
	return nil
}

// recovered calls f. It returns a panic as an error, because it must not unwind through the
// frames of compiled code.
func recovered(f func()) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = &mlir.PanicError{Value: v, Stack: debug.Stack()}
		}
	}()
	f()
	return nil
}
