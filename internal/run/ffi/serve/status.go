package serve

import (
	"context"
	"fmt"
	"reflect"

	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/internal/text/errtext"
)

// Codes of absl::Status.
const (
	codeCancelled       = 1
	codeInvalidArgument = 3
	codeDeadline        = 4
	codeNotFound        = 5
	codeInternal        = 13
)

// statusOf returns the code and the message that XLA gets for an error. It runs on XLA's
// thread, where user-defined methods must not run: the text of a run's error, which Run
// returns as it is, goes to XLA only if its type is one of this module.
func statusOf(name string, run *Run, err error) (code int32, message string) {
	cause := err
	if e, ok := err.(*callbacks.CallError); ok {
		cause = e.Err
	}
	own := true // the text of cause is of this module
	switch cause.(type) {
	case *callbacks.UnknownError:
		code = codeNotFound
	case *frameError, *callbacks.SignatureError, *callbacks.ReplacedError:
		code = codeInvalidArgument
	case *callbacks.TimeoutError:
		code = codeDeadline
	case *callbacks.GoexitError, *callbacks.LostError:
		code = codeInternal
	case *callbacks.TemplateError:
		code, own = codeInvalidArgument, false
	default:
		code, own = codeOf(cause), false
	}
	if run != nil && !own {
		return code, fmt.Sprintf("callback %q failed; the error of its run says why", name)
	}
	return code, errtext.Of(err)
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
