package capi

/*
#cgo linux LDFLAGS: -ldl
#include "gen_mlir_api.h"
#include "gen_mlir_names.h"
#include "mlir_table.h"

static const char* name_at(size_t i) { return calliope_mlir_names[i].symbol; }
static int release_at(size_t i) { return calliope_mlir_names[i].release; }
*/
import "C"

import (
	"fmt"
	"unsafe"

	"github.com/calliope-mlir/calliope/internal/host/dl"
	"github.com/calliope-mlir/calliope/internal/host/stack"
)

// A Table holds the functions of one library. It is read-only, lives until the process ends,
// and may be used by several goroutines at once. One that ForContext returns may not.
type Table struct {
	// functions is a calliope_mlir_api (gen_mlir_api.h): the functions in the order in which
	// they were generated, nil for those that the library lacks.
	functions *[numFunctions]unsafe.Pointer
	lib       *dl.Library
	has       map[string]bool
	first     map[string]int // the first release of LLVM with the prototype that a function has, if it changed
	plugins   *plugins
	use       *use // nil if the table is not of ForContext
	mark      *use // use, or nil if the library calls Go from several threads
}

// Open loads a shared library and reads its table. The library stays open until the
// process ends.
func Open(path string) (*Table, error) {
	lib, err := dl.Open(path)
	if err != nil {
		return nil, err
	}
	table := C.calliope_mlir_table(lib.Handle())
	if table == nil {
		return nil, fmt.Errorf("no memory for the function table of %s", path)
	}
	t := &Table{functions: (*[numFunctions]unsafe.Pointer)(table), lib: lib, has: map[string]bool{},
		first: map[string]int{}, plugins: &plugins{}}
	for i, f := range t.functions {
		name := C.GoString(C.name_at(C.size_t(i)))
		t.has[name] = t.has[name] || f != nil
		if f != nil {
			t.first[name] = int(C.release_at(C.size_t(i)))
		}
	}
	return t, nil
}

// pointer converts the table for C code.
func (t *Table) pointer() unsafe.Pointer { return unsafe.Pointer(t.functions) }

// Functions returns the table for C code of other packages: a const calliope_mlir_api*.
func (t *Table) Functions() unsafe.Pointer { return t.pointer() }

// Has reports whether the library exports the function of that name.
func (t *Table) Has(name string) bool { return t.has[name] }

// HasOf reports whether the library has the function of that name with the prototype that it
// has since a release of LLVM.
func (t *Table) HasOf(name string, release int) bool { return t.first[name] == release && release != 0 }

// Refused returns why the library's function of that name is not called, or "" if it is, or if there is none.
func (t *Table) Refused(name string) string {
	if t.has[name] || t.lib.Symbol(name) == nil {
		return ""
	}
	if release := C.calliope_mlir_release(t.lib.Handle()); release != 0 {
		return fmt.Sprintf("its parameters in LLVM %d are not known", release)
	}
	return "the library does not state its release of LLVM, on which its parameters depend"
}

// Names returns the name of every function of the table, and whether the library has it.
func (t *Table) Names() map[string]bool { return t.has }

// Path returns the path of the library.
func (t *Table) Path() string { return t.lib.Path() }

// RegisterDialects inserts every dialect of the library into the registry.
func (t *Table) RegisterDialects(registry MlirDialectRegistry) {
	C.calliope_mlir_register_dialects(t.lib.Handle(), t.pointer(), registry.Ptr)
	t.plugins.register(t, registry)
}

// OnLargeStack runs f on another thread, which has a large C stack.
func OnLargeStack(f func()) error { return stack.OnLarge(f) }

// IsLargeStack reports whether the caller runs in a function that OnLargeStack runs.
func IsLargeStack() bool { return stack.IsLarge() }

// Missing makes the panic of a call to a function that the library lacks. Package mlir sets it.
var Missing = func(function string) error {
	return fmt.Errorf("the MLIR library does not export %s", function)
}

func missing(function string) { panic(Missing(function)) }
