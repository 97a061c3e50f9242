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

// protect calls a function of the library. It keeps the error's message for the thread, and
// returns its status. A panic is an error, because it must not unwind into C.
func protect(f func() error) (status C.calliope_status) {
	defer func() {
		if p := recover(); p != nil {
			status = failed(&statusError{C.CALLIOPE_INTERNAL, fmt.Errorf("calliope: panic: %v", p)})
		}
	}()
	if err := f(); err != nil {
		return failed(err)
	}
	return C.CALLIOPE_OK
}

func failed(err error) C.calliope_status {
	// A NUL would end the message early.
	C.calliope_shared_set_error(C.CString(strings.ReplaceAll(err.Error(), "\x00", "\uFFFD")))
	return statusOf(err)
}

// statusOf returns the status of an error.
func statusOf(err error) C.calliope_status {
	var (
		own     *statusError
		unknown *callbacks.UnknownError
		barrier *callbacks.BarrierError
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
	}
	return C.CALLIOPE_INVALID_ARGUMENT
}
