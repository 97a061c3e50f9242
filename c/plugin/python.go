package main

// #include "plugin.h"
import "C"

import (
	"errors"
	"sync/atomic"
	"unsafe"

	"github.com/calliope-mlir/calliope/callbacks"
)

// python is the target of the calls of Python functions in programs of JAX. Its attribute is the function's number.
const python = "calliope_jax_python"

// pythonFunction is what calls a Python function by its number: a calliope_python_function, or 0.
var pythonFunction atomic.Uintptr

//export calliope_pjrt_serve_python
func calliope_pjrt_serve_python(f C.uintptr_t) { pythonFunction.Store(uintptr(f)) }

func callPython(f *callbacks.Frame) error {
	var a struct {
		Number int64 `attr:"number"`
	}
	if err := f.Attributes.Decode(&a); err != nil {
		return err
	}
	call := pythonFunction.Load()
	if call == 0 {
		return errors.New("no Python serves it: the package calliope_jax registers what does")
	}
	args, results := make([]uintptr, len(f.Args)+1), make([]uintptr, len(f.Results)+1)
	for i, v := range f.Args {
		args[i] = uintptr(unsafe.Pointer(unsafe.SliceData(v.Data)))
	}
	for i, v := range f.Results {
		results[i] = uintptr(unsafe.Pointer(unsafe.SliceData(v.Data)))
	}
	text := C.calliope_call_python(C.uintptr_t(call), C.int64_t(a.Number), (*C.uintptr_t)(unsafe.Pointer(&args[0])),
		(*C.uintptr_t)(unsafe.Pointer(&results[0])))
	if text != nil {
		return errors.New(C.GoString(text))
	}
	return nil
}
