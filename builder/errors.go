package builder

import (
	"errors"
	"fmt"
	"strings"

	"github.com/calliope-mlir/calliope/mlir"
)

// Error is the first mistake that was made while building: where in the Go code, in
// which operation, with which operands.
type Error struct {
	File     string
	Line     int
	Op       string   // the operation, for example "add"
	Operands []string // its operands' types, for example "f32[2,3]"
	Err      error    // what is wrong
}

func (e *Error) Error() string {
	operands := ""
	if len(e.Operands) > 0 {
		operands = "(" + strings.Join(e.Operands, ", ") + ")"
	}
	return fmt.Sprintf("%s:%d: %s%s: %v", e.File, e.Line, e.Op, operands, e.Err)
}

// Unwrap is what is wrong, for example a *mlir.DiagnosticError.
func (e *Error) Unwrap() error { return e.Err }

// verifyError puts a verifier's complaint at the Go line of the operation that it is
// about: that line is the operation's location.
func verifyError(at place, err error) *Error {
	e := &Error{File: at.file, Line: at.line, Op: "module", Err: err}
	var d *mlir.DiagnosticError
	if errors.As(err, &d) {
		for _, diagnostic := range d.Diagnostics {
			if p := diagnostic.Position; diagnostic.Severity == mlir.SeverityError && !p.IsZero() {
				e.File, e.Line, e.Op = p.File, p.Line, "verify"
				break
			}
		}
	}
	return e
}
