package cudatest

/*
#include <stdlib.h>

static void call_open(void* f, void** driver, void* stream, void* api, void* instantiate, void* execute) {
  ((void (*)(void**, void*, void*, void*, void*))f)(driver, stream, api, instantiate, execute);
}
static char* call_register(void* f, const char* target) { return ((char* (*)(const char*))f)(target); }
*/
import "C"

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"testing"
	"unsafe"

	"github.com/calliope-mlir/calliope/internal/host/dl"
)

// An Onto registers handlers with an XLA for the CPU so that they find the arrays of calls on the
// device, and a stream.
type Onto struct{ library *dl.Library }

// Onto opens one. table is XLA's (XLA_FFI_Api), and the two functions
// (XLA_FFI_Handler) are the handlers.
func (s *Stream) Onto(t testing.TB, table, instantiate, execute unsafe.Pointer) *Onto {
	t.Helper()
	c, err := source()
	if err != nil {
		t.Fatal(err)
	}
	testdata := filepath.Dir(c)
	path := filepath.Join(t.TempDir(), "onto.so")
	out, err := exec.Command("cc", "-shared", "-fPIC", "-O1", "-I"+filepath.Join(testdata, "..", "..", "..", "ffi"),
		"-o", path, filepath.Join(testdata, "onto.c"), "-lpthread").CombinedOutput()
	if err != nil {
		t.Fatalf("a C compiler is needed: %v\n%s", err, out)
	}
	library, err := dl.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	functions := []string{"alloc", "free", "move", "drain"}
	driver := (*unsafe.Pointer)(C.calloc(C.size_t(len(functions)), C.size_t(unsafe.Sizeof(uintptr(0)))))
	for i, name := range functions {
		unsafe.Slice(driver, len(functions))[i] = s.driver.symbol(name)
	}
	C.call_open(library.Symbol("onto_open"), driver, s.c, table, instantiate, execute)
	return &Onto{library}
}

// Register registers the handlers under the name of a target.
func (o *Onto) Register(target string) error {
	name := C.CString(target)
	defer C.free(unsafe.Pointer(name))
	if text := C.call_register(o.library.Symbol("onto_register"), name); text != nil {
		defer C.free(unsafe.Pointer(text))
		return fmt.Errorf("%s", C.GoString(text))
	}
	return nil
}
