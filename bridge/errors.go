package bridge

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/internal/run/ffi/serve"
	"github.com/calliope-mlir/calliope/internal/run/pjrt"
)

// ErrClosed is the error, for errors.Is, of using a Client, Executable or Array that is
// closed, or an Array that was donated.
var ErrClosed = callbacks.ErrClosed

// A PluginError is an error of the PJRT plugin.
type PluginError struct {
	Code    int    // absl status code, 1 to 16
	Op      string // the operation that failed
	Message string // Error cuts one that is long, such as one with a whole module
	cause   error  // the Go error that the plugin passed on, if it was one
}

func (e *PluginError) Error() string {
	name := strconv.Itoa(e.Code)
	if e.Code > 0 && e.Code < len(codeNames) {
		name = codeNames[e.Code]
	}
	message := e.Message
	if len(message) > longest {
		message = strings.ToValidUTF8(message[:longest], "") + fmt.Sprintf("… (the first of %d bytes)", len(message))
	}
	return fmt.Sprintf("bridge: %s: %s (%s)", e.Op, message, name)
}

// longest is the length of a message in the text of an error.
const longest = 1500

// Unwrap returns the error that Go code returned to the plugin, such as a
// callbacks.UnknownError when a module was compiled, or nil.
func (e *PluginError) Unwrap() error { return e.cause }

var codeNames = [...]string{
	"OK", "CANCELLED", "UNKNOWN", "INVALID_ARGUMENT", "DEADLINE_EXCEEDED", "NOT_FOUND",
	"ALREADY_EXISTS", "PERMISSION_DENIED", "RESOURCE_EXHAUSTED", "FAILED_PRECONDITION",
	"ABORTED", "OUT_OF_RANGE", "UNIMPLEMENTED", "INTERNAL", "UNAVAILABLE", "DATA_LOSS",
	"UNAUTHENTICATED",
}

// pluginError makes a PluginError of an error that the plugin returned. Any other error is
// wrapped.
func pluginError(op string, err error) error {
	failed, ok := errors.AsType[*pjrt.Error](err)
	if !ok {
		return fmt.Errorf("bridge: %s: %w", op, err)
	}
	e := &PluginError{Code: failed.Code, Op: op}
	e.Message, e.cause = serve.Cause(failed.Message)
	return e
}
