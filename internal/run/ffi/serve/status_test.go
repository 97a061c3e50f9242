package serve

import (
	"context"
	"fmt"
	"testing"

	"github.com/calliope-mlir/calliope/callbacks"
)

// oddError is an error whose text is not available.
type oddError struct{}

func (oddError) Error() string { panic("no text") }

// oddIs is an error that cannot be compared.
type oddIs struct{}

func (oddIs) Error() string { return "odd" }
func (oddIs) Is(error) bool { panic("no comparing") }

// The status that XLA gets for an error.
func TestCodes(t *testing.T) {
	for want, errs := range map[int32][]error{
		codeCancelled:       {context.Canceled, fmt.Errorf("x: %w", context.Canceled)},
		codeDeadline:        {context.DeadlineExceeded, &callbacks.TimeoutError{}},
		codeNotFound:        {&callbacks.UnknownError{}},
		codeInvalidArgument: {&frameError{errSentinel}, &callbacks.TemplateError{}, &callbacks.SignatureError{}},
		codeInternal: {errSentinel, &callbacks.PanicError{Value: context.Canceled}, &callbacks.GoexitError{},
			oddIs{}, oddError{}},
	} {
		for _, err := range errs {
			code, message := statusOf("f", nil, &callbacks.CallError{Callback: "f", Err: err})
			if code != want || message == "" {
				t.Errorf("%T: XLA gets %d %q, want %d", err, code, message, want)
			}
		}
	}
}
