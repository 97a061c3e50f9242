package main

// #include "plugin.h"
import "C"

import (
	"errors"
	"fmt"
	"runtime/cgo"
	"unsafe"

	"github.com/calliope-mlir/calliope/c/plugin/internal/abi"
	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/internal/run/ffihost"
)

// functions are those of the API and of extensions, by their numbers. The others are missing.
var functions [abi.NumFunctions]func(args unsafe.Pointer) error

// on sets a function. What do writes to its arguments is what the caller gets.
func on[T any](f abi.Function, do func(args *T) error) {
	functions[f] = func(p unsafe.Pointer) error {
		args, save := abi.Within[T](p)
		err := do(args)
		if err == nil {
			save()
		}
		return err
	}
}

//export calliopeMinor
func calliopeMinor() C.int { return abi.Minor }

// calliopePJRT calls a function. It returns 0 or the handle of a failure.
//
//export calliopePJRT
func calliopePJRT(number C.int, args unsafe.Pointer) C.uintptr_t {
	f := abi.Function(number)
	err := errMissing
	if functions[f] != nil {
		err = protect(func() error { return functions[f](args) })
	}
	if err == nil {
		return 0
	}
	return C.uintptr_t(newFailure(fmt.Errorf("%v: %w", f, err)))
}

// protect makes an error of a panic: a caller may pass anything.
func protect(f func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%w: %v", errMistaken, r)
		}
	}()
	return f()
}

var (
	errMissing  = errors.New("this plugin does not have the function")
	errMistaken = errors.New("an argument is not what the function takes")
)

// A failure is a PJRT_Error.
type failure struct {
	memory
	err  error
	text abi.Ptr[byte]
	size int
}

func newFailure(err error) abi.Handle {
	f := &failure{err: err}
	f.text, f.size = f.string(err.Error())
	return handle(f)
}

// code returns the code of an error.
func (f *failure) code() abi.ErrorCode {
	if e, ok := errors.AsType[*ffihost.Error](f.err); ok {
		return abi.ErrorCode(e.Code)
	}
	_, refused := errors.AsType[*engine.RefusedError](f.err)
	switch {
	case refused, errors.Is(f.err, errMissing):
		return abi.ErrorCodeUNIMPLEMENTED
	case errors.Is(f.err, errMistaken):
		return abi.ErrorCodeINVALIDARGUMENT
	}
	return abi.ErrorCodeINTERNAL
}

func init() {
	on(abi.ErrorDestroy, func(a *abi.ErrorDestroyArgs) error { return destroy[*failure](a.Error) })
	on(abi.ErrorMessage, func(a *abi.ErrorMessageArgs) error {
		f := object[*failure](a.Error)
		a.Message, a.MessageSize = f.text, f.size
		return nil
	})
	on(abi.ErrorGetCode, func(a *abi.ErrorGetCodeArgs) error {
		a.Code = object[*failure](a.Error).code()
		return nil
	})
	on(abi.ErrorForEachPayload, func(*abi.ErrorForEachPayloadArgs) error { return nil }) // there is none
}

// tag is in each handle, so that no runtime takes it for an address of memory: that of Go ends a process that has one
// near zero.
const tag = 1 << 63

// handle returns a handle of a Go value, which is destroyed once.
func handle(v any) abi.Handle { return abi.Handle(cgo.NewHandle(v)) | tag }

// object returns the value of a handle. It panics if the handle is of another type, or was destroyed.
func object[T any](h abi.Handle) T { return cgo.Handle(h &^ tag).Value().(T) }

// destroy ends a handle, and frees the memory of its value. No handle is none.
func destroy[T interface{ free() }](h abi.Handle) error {
	if h != 0 {
		object[T](h).free()
		drop(h)
	}
	return nil
}

// drop ends a handle.
func drop(h abi.Handle) { cgo.Handle(h &^ tag).Delete() }
