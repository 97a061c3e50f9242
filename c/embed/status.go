package embed

/*
#include <stdlib.h>
#include "api.h"
*/
import "C"

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"syscall"

	"github.com/calliope-mlir/calliope/callbacks"
)

// A statusError has the status that an error is reported with.
type statusError struct {
	status C.calliope_status
	err    error
}

func (e *statusError) Error() string { return e.err.Error() }
func (e *statusError) Unwrap() error { return e.err }

// invalid returns an error about an argument of a function of the library.
func invalid(format string, args ...any) error {
	return &statusError{C.CALLIOPE_INVALID_ARGUMENT, fmt.Errorf("calliope: "+format, args...)}
}

// notFound returns an error about something that does not exist.
func notFound(format string, args ...any) error {
	return &statusError{C.CALLIOPE_NOT_FOUND, fmt.Errorf("calliope: "+format, args...)}
}

// refusal returns an error about something that the library cannot do as things are.
func refusal(format string, args ...any) error {
	return &statusError{C.CALLIOPE_FAILED_PRECONDITION, fmt.Errorf("calliope: "+format, args...)}
}

// protect calls a function of the library. It keeps the error's message for the thread, and
// returns its status. A panic is an error, because it must not unwind into C. A text is what
// packages panic with that were given a wrong argument.
func protect(f func() error) (status C.calliope_status) {
	defer func() {
		switch p := recover().(type) {
		case nil:
		case string:
			status = failed(invalid("%s", p))
		default:
			status = failed(&statusError{C.CALLIOPE_INTERNAL, fmt.Errorf("calliope: panic: %v", p)})
		}
	}()
	if err := f(); err != nil {
		return failed(err)
	}
	return C.CALLIOPE_OK
}

func failed(err error) C.calliope_status {
	C.calliope_shared_set_error(C.CString(cText(err.Error())))
	return statusOf(err)
}

// cText returns a text as a host in any language can read it: it is UTF-8, and no NUL ends it early.
func cText(s string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", "\uFFFD")
}

// statusOf returns the status of an error.
func statusOf(err error) C.calliope_status {
	var (
		own     *statusError
		unknown *callbacks.UnknownError
		barrier *callbacks.BarrierError
		system  syscall.Errno
	)
	switch {
	case errors.As(err, &own):
		return own.status
	case errors.As(err, &unknown):
		return C.CALLIOPE_NOT_FOUND
	case errors.As(err, &barrier), errors.Is(err, context.DeadlineExceeded):
		return C.CALLIOPE_DEADLINE_EXCEEDED
	case errors.Is(err, callbacks.ErrBarrierInside):
		return C.CALLIOPE_FAILED_PRECONDITION
	case errors.As(err, &system):
		return C.CALLIOPE_INTERNAL
	}
	return C.CALLIOPE_INVALID_ARGUMENT
}
