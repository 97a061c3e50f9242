// Package cuda copies arrays between an NVIDIA GPU and pinned host memory, in the order of a
// stream, by CUDA's driver API. The driver's library is opened at run time.
package cuda

/*
#include <stdlib.h>
#include "cuda.h"
*/
import "C"

import (
	"fmt"
	"os"
	"strings"
	"sync"
	"unsafe"

	"github.com/calliope-mlir/calliope/internal/host/dl"
)

// Env is the environment variable with the path of a library to use instead of the driver's.
const Env = "CALLIOPE_CUDA_DRIVER"

const library = "libcuda.so.1"

// A Driver is the driver's library. It is safe for concurrent use.
type Driver struct{ c *C.calliope_cuda }

// Open returns the driver of the process. It opens it when it is first called.
var Open = sync.OnceValues(func() (*Driver, error) {
	path := os.Getenv(Env)
	if path == "" {
		path = library
	}
	return load(path)
})

func load(path string) (*Driver, error) {
	from, err := dl.Open(path)
	if err != nil {
		return nil, fmt.Errorf("CUDA's driver: %w: install NVIDIA's driver, or set %s to its library", err, Env)
	}
	// C memory, because each call passes it on.
	d := &Driver{(*C.calliope_cuda)(C.calloc(1, C.sizeof_calliope_cuda))}
	table := unsafe.Slice((*unsafe.Pointer)(unsafe.Pointer(d.c)), C.CALLIOPE_CUDA_FUNCTIONS)
	for i := range table {
		name := C.GoString(C.calliope_cuda_names[i])
		if table[i] = from.Symbol(name); table[i] == nil {
			return nil, fmt.Errorf(
				"CUDA's driver: the library %s has no function %s: it is no driver of CUDA 11 or later", path, name)
		}
	}
	if err := d.check(C.calliope_cuda_init(d.c)); err != nil {
		return nil, err
	}
	return d, nil
}

// An Error is an error of the driver.
type Error struct {
	Call string // the function, such as "cuMemHostAlloc"
	Code int    // a CUresult
	Name string // of the code, such as "CUDA_ERROR_OUT_OF_MEMORY"; "" if the driver knows none
	Text string // what the driver says of the code
}

func (e *Error) Error() string {
	name := e.Name
	if name == "" {
		name = "an unknown error"
	}
	text := fmt.Sprintf("CUDA's driver: %s: %s (%d)", e.Call, name, e.Code)
	if e.Text != "" {
		text += ": " + e.Text
	}
	return text
}

// check returns the *Error of a call, or nil.
func (d *Driver) check(r C.calliope_cuda_result) error {
	if r.code == C.CUDA_OK {
		return nil
	}
	call, _, _ := strings.Cut(C.GoString(C.calliope_cuda_names[r.function]), "_")
	return &Error{
		Call: call, Code: int(r.code),
		Name: C.GoString(C.calliope_cuda_error_name(d.c, r.code)),
		Text: C.GoString(C.calliope_cuda_error_text(d.c, r.code)),
	}
}
