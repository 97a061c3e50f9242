package bridge

import (
	"context"
	"errors"
	"fmt"

	"github.com/calliope-mlir/calliope/callbacks"
)

// told is the code and the message of an error as XLA gets it. The error's methods may
// be anybody's.
func told(err error) (code int32, message string) {
	code = codeInternal
	defer func() {
		if p := recover(); p != nil {
			message = fmt.Sprintf("a method of the callback's error panicked: %v", p)
		}
	}()
	code = codeOf(err)
	return code, err.Error()
}

func codeOf(err error) int32 {
	switch {
	case as[*callbacks.PanicError](err), as[*callbacks.GoexitError](err):
		return codeInternal
	case as[*callbacks.UnknownError](err):
		return codeNotFound
	case as[*frameError](err), as[*callbacks.TemplateError](err), as[*callbacks.SignatureError](err):
		return codeInvalidArgument
	case errors.Is(err, context.Canceled):
		return codeCancelled
	case errors.Is(err, context.DeadlineExceeded):
		return codeDeadline
	}
	return codeInternal
}

func as[E error](err error) bool {
	var e E
	return errors.As(err, &e)
}
