package mlir

import (
	"errors"
	"fmt"
	"strings"
)

// ErrUnsupported is what an UnsupportedError matches under errors.Is.
var ErrUnsupported = errors.New("not supported by this MLIR library")

// UnsupportedError says that a library does not export a function of the C API.
type UnsupportedError struct {
	Library  string // path of the library
	Function string // name of the C function
}

func (e *UnsupportedError) Error() string {
	return fmt.Sprintf("mlir: %s does not export %s", e.Library, e.Function)
}

// Is matches ErrUnsupported.
func (e *UnsupportedError) Is(target error) bool { return target == ErrUnsupported }

// DiagnosticError holds everything that the library reported while an operation
// failed, in the order in which it was reported.
type DiagnosticError struct {
	Op          string // what failed: "parse", "verify" …
	Diagnostics []Diagnostic
	// Hint says which of the libraries that package native knows has what this one said
	// it does not know; "" where none is known to.
	Hint string
}

// Error is the first error on one line; the others follow, one line each, with
// their notes left out, and at the end the hint, if there is one.
func (e *DiagnosticError) Error() string {
	var lines []string
	for _, d := range e.Diagnostics {
		if d.Severity == SeverityError {
			lines = append(lines, d.String())
		}
	}
	if len(lines) == 0 {
		return fmt.Sprintf("mlir: %s failed without a diagnostic", e.Op)
	}
	text := fmt.Sprintf("mlir: %s failed: %s", e.Op, strings.Join(lines, "\n"))
	if e.Hint != "" {
		text += "; " + e.Hint
	}
	return text
}
