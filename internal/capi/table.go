package capi

/*
#cgo linux LDFLAGS: -ldl
#include "gen_mlir_api.h"
#include "gen_mlir_names.h"
#include "mlir_table.h"

static const char* name_at(size_t i) { return calliope_mlir_names[i].symbol; }
*/
import "C"

import (
	"fmt"
	"unsafe"

	"github.com/calliope-mlir/calliope/internal/dl"
	"github.com/calliope-mlir/calliope/internal/stack"
)

// Table holds the functions of one library. It is read only, lives as long as the
// process and may be used by any number of goroutines; but not one that is ForContext.
type Table struct {
	// functions is a calliope_mlir_api (gen_mlir_api.h): the functions in the order in
	// which they were generated, nil where the library has none.
	functions *[numFunctions]unsafe.Pointer
	lib       *dl.Library
	has       map[string]bool
	use       *use // nil but for a context's
	mark      *use // the same where uses by several goroutines at once are to be found
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
	t := &Table{functions: (*[numFunctions]unsafe.Pointer)(table), lib: lib, has: map[string]bool{}}
	for i, f := range t.functions {
		name := C.GoString(C.name_at(C.size_t(i)))
		t.has[name] = t.has[name] || f != nil
	}
	return t, nil
}

// pointer is the table as C code takes it.
func (t *Table) pointer() unsafe.Pointer { return unsafe.Pointer(t.functions) }

// Functions is the table as C code of other packages takes it: a const
// calliope_mlir_api*.
func (t *Table) Functions() unsafe.Pointer { return t.pointer() }

// Has reports whether the library exports the function of that name.
func (t *Table) Has(name string) bool { return t.has[name] }

// Names returns every name that the table has a place for, and whether it is filled.
func (t *Table) Names() map[string]bool { return t.has }

// Path is the path of the library.
func (t *Table) Path() string { return t.lib.Path() }

// RegisterDialects inserts every dialect of the library into the registry.
func (t *Table) RegisterDialects(registry MlirDialectRegistry) {
	C.calliope_mlir_register_dialects(t.lib.Handle(), t.pointer(), registry.Ptr)
}

// OnLargeStack runs f on a thread of its own with a large C stack.
func OnLargeStack(f func()) error { return stack.OnLarge(f) }

// Missing is the panic of a call to a function that the library lacks. mlir turns
// it into its UnsupportedError.
type Missing struct{ Function string }

func (m Missing) Error() string { return "the MLIR library does not export " + m.Function }

func missing(function string) { panic(Missing{function}) }
