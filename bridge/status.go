package bridge

import (
	"context"
	"fmt"
	"reflect"

	"github.com/calliope-mlir/calliope/internal/errtext"

	"github.com/calliope-mlir/calliope/callbacks"
)

// statusOf returns the code and the message that XLA gets for an error. It runs on XLA's
// thread, where user-defined methods must not run: the text of a run's error, which Run
// returns as it is, goes to XLA only if its type is one of this module.
func statusOf(name string, run *Run, err error) (code int32, message string) {
	switch err.(type) {
	case *callbacks.UnknownError:
		return codeNotFound, err.Error()
	case *frameError, *callbacks.SignatureError, *callbacks.ReplacedError:
		return codeInvalidArgument, err.Error()
	case *callbacks.TimeoutError:
		return codeDeadline, err.Error()
	case *callbacks.GoexitError, *callbacks.LostError:
		return codeInternal, err.Error()
	case *callbacks.TemplateError:
		code = codeInvalidArgument
	default:
		code = codeOf(err)
	}
	if run != nil {
		return code, fmt.Sprintf("callback %q failed; the error of its run says why", name)
	}
	return code, fmt.Sprintf("callback %q: %s", name, errtext.Of(err))
}

// wrapType is the type of errors that fmt.Errorf makes with one %w. Their Unwrap returns a
// field.
var wrapType = reflect.TypeOf(fmt.Errorf("%w", context.Canceled))

// codeOf returns the code for an error that is the end of a context, or wraps one by
// fmt.Errorf.
func codeOf(err error) int32 {
	for range 16 {
		switch err {
		case context.Canceled:
			return codeCancelled
		case context.DeadlineExceeded:
			return codeDeadline
		}
		if reflect.TypeOf(err) != wrapType {
			break
		}
		err = err.(interface{ Unwrap() error }).Unwrap()
	}
	return codeInternal
}
