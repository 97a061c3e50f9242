package execution

import (
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/calliope-mlir/calliope/internal/capi"
	"github.com/calliope-mlir/calliope/internal/raw"
	"github.com/calliope-mlir/calliope/mlir"
)

// An Engine is a module that was compiled in this process. Its functions may be
// called from several goroutines at once. It belongs to no context: the module and its
// context may be closed before it. The caller closes it.
type Engine struct {
	lib       *mlir.Library
	api       *capi.Table
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

// Options are the settings of a new Engine.
type Options struct {
	Optimize            int      // from 0 to 3, as of a compiler's -O
	Libraries           []string // paths of shared libraries whose symbols the code may use
	ObjectDump          bool     // keep what DumpObject needs
	PositionIndependent bool
}

// New compiles a module whose operations are all of dialects that can be translated to LLVM
// IR: in the main the LLVM dialect. The error is an *mlir.UnsupportedError if the library has
// no execution engine.
func New(m *mlir.Module, o Options) (*Engine, error) {
	handle, c := raw.Module(m), m.Context()
	l := c.Library()
	if err := raw.Need(l, "mlirExecutionEngineCreate", "mlirExecutionEngineLookupPacked"); err != nil {
		return nil, err
	}
	if o.Optimize < 0 || o.Optimize > 3 {
		return nil, fmt.Errorf("execution: Options.Optimize is %d: give a number from 0 to 3", o.Optimize)
	}
	for _, path := range o.Libraries {
		if _, err := os.Stat(path); err != nil {
			return nil, fmt.Errorf("execution: Options.Libraries: %w", err)
		}
	}
	if err := m.Verify(); err != nil {
		return nil, err
	}
	raw.RegisterTranslations(c)
	e := &Engine{lib: l, api: raw.LibraryTable(l), dump: o.ObjectDump, functions: map[string]signature{}, symbols: map[string]bool{}}
	for op := range m.Body().Operations() {
		e.declare(op)
	}
	_ = raw.Failure(c, "") // takes what was reported before
	e.raw = capi.CreateEngine(raw.Table(c), handle, o.Optimize, o.Libraries, o.ObjectDump, o.PositionIndependent)
	if failure := raw.Failure(c, "compiling the module"); e.raw.Ptr == nil {
		return nil, failure
	}
	return e, nil
}

// declare notes what a top-level operation defines.
func (e *Engine) declare(op mlir.Operation) {
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
func (e *Engine) live(method string) *capi.Table {
	if e.closed.Load() {
		panic("execution: " + method + " called after Engine.Close")
	}
	return e.api
}

// Close frees the compiled code. It panics while a function of it is called. Closing twice
// does nothing. The error is always nil.
func (e *Engine) Close() error {
	if e.calls.Load() > 0 {
		panic("execution: Engine.Close called while a function of it runs")
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

// Initialize runs the module's global constructors. It is called at most once, after
// the symbols were registered and before the first call.
func (e *Engine) Initialize() error {
	t := e.live("Engine.Initialize")
	if err := raw.Need(e.lib, "mlirExecutionEngineInitialize"); err != nil {
		return err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.initialized {
		return errors.New("execution: the engine is initialized already")
	}
	e.initialized = true
	capi.MlirExecutionEngineInitialize(t, e.raw)
	return nil
}

// Lookup is the address of a function or global of the module, nil where there is none.
// It is good until Close.
func (e *Engine) Lookup(name string) unsafe.Pointer {
	t := e.live("Engine.Lookup")
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
func (e *Engine) Register(name string, address unsafe.Pointer) error {
	t := e.live("Engine.Register")
	e.mu.Lock()
	defer e.mu.Unlock()
	switch {
	case address == nil:
		return fmt.Errorf("execution: the symbol %q was given no address", name)
	case e.symbols[name]:
		return fmt.Errorf("execution: the symbol %q is defined already", name)
	}
	e.symbols[name] = true
	capi.MlirExecutionEngineRegisterSymbol(t, e.raw, name, address)
	return nil
}

// RegisterFunc gives compiled code a Go function under a name that the module declares
// as "llvm.func @name(!llvm.ptr)". What the pointer means is for the two to agree upon.
// The function is called on the thread that compiled code runs on; a panic in it comes
// out of Invoke as a *mlir.PanicError, after compiled code has returned. At most 64 of them
// exist in a process at one time.
func (e *Engine) RegisterFunc(name string, f func(argument unsafe.Pointer)) error {
	e.live("Engine.RegisterFunc")
	s, ok := e.functions[name]
	if !ok || s.defined || s.result.kind != layoutVoid || len(s.arguments) != 1 || s.arguments[0].kind != layoutPointer {
		return fmt.Errorf("execution: the module does not declare llvm.func @%s(!llvm.ptr)", name)
	}
	address, free := capi.HostFunction(func(argument unsafe.Pointer) {
		if err := recovered(func() { f(argument) }); err != nil {
			e.mu.Lock()
			defer e.mu.Unlock()
			if e.failed == nil {
				e.failed = err
			}
		}
	})
	if address == nil {
		return errors.New("execution: there is no room for a further Go function: close an Engine that has some")
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
func (e *Engine) DumpObject(path string) error {
	t := e.live("Engine.DumpObject")
	if !e.dump {
		return errors.New("execution: the engine keeps no object: make it with Options.ObjectDump")
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
