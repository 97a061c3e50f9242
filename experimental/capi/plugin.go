package capi

/*
#include "gen_mlir_api.h"

static void insert_dialect(const void* table, MlirDialectRegistry registry, void* handle) {
  const calliope_mlir_api* api = table;
  api->mlirDialectHandleInsertDialect(((MlirDialectHandle (*)(void))handle)(), registry);
}
static void register_passes(void* f) { ((void (*)(void))f)(); }
*/
import "C"

import (
	"fmt"
	"sync"
	"unsafe"

	"github.com/calliope-mlir/calliope/internal/host/dl"
)

// plugins are the dialects that further libraries have for the MLIR of a table.
type plugins struct {
	mu      sync.Mutex
	paths   map[string]bool
	handles []unsafe.Pointer // functions that return a dialect handle
}

// AddPlugin loads a shared library with dialects and passes. handles are the names of its
// functions that return a dialect's handle, and passes those that register passes. It does
// nothing if the library was added before.
func (t *Table) AddPlugin(path string, handles, passes []string) error {
	p := t.plugins
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.paths[path] {
		return nil
	}
	lib, err := dl.Open(path)
	if err != nil {
		return err
	}
	var found []unsafe.Pointer
	for _, name := range append(append([]string(nil), handles...), passes...) {
		f := lib.Symbol(name)
		if f == nil {
			return fmt.Errorf("%s does not export %s", path, name)
		}
		found = append(found, f)
	}
	for _, f := range found[len(handles):] {
		C.register_passes(f)
	}
	p.handles = append(p.handles, found[:len(handles)]...)
	if p.paths == nil {
		p.paths = map[string]bool{}
	}
	p.paths[path] = true
	return nil
}

// RegisterDialect inserts a dialect of the library into the registry, if the library exports its handle.
func (t *Table) RegisterDialect(registry MlirDialectRegistry, name string) {
	if handle := t.lib.Symbol("mlirGetDialectHandle__" + name + "__"); handle != nil {
		C.insert_dialect(t.pointer(), *(*C.MlirDialectRegistry)(unsafe.Pointer(&registry)), handle)
	}
}

func (p *plugins) register(t *Table, registry MlirDialectRegistry) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, handle := range p.handles {
		C.insert_dialect(t.pointer(), *(*C.MlirDialectRegistry)(unsafe.Pointer(&registry)), handle)
	}
}
