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

// said is what the library says, without the place that the Error names already.
type said struct{ err *mlir.DiagnosticError }

func (s said) Error() string {
	var messages []string
	for _, d := range s.err.Diagnostics {
		if d.Severity == mlir.SeverityError {
			messages = append(messages, d.Message)
		}
	}
	if len(messages) == 0 {
		return s.err.Error()
	}
	return strings.Join(messages, "; ")
}

func (s said) Unwrap() error { return s.err }

// shorten is the error with what the library says as its text, where that is all it is.
func shorten(err error) error {
	if d, ok := err.(*mlir.DiagnosticError); ok {
		return said{d}
	}
	return err
}

// verifyError puts a verifier's complaint at the Go line of the operation that it is
// about: that line is the operation's location.
func (b *Builder) verifyError(at place, err error) *Error {
	e := &Error{File: at.file, Line: at.line, Op: "module", Err: err}
	var d *mlir.DiagnosticError
	if !errors.As(err, &d) {
		return e
	}
	for _, diagnostic := range d.Diagnostics {
		if p := diagnostic.Position; diagnostic.Severity == mlir.SeverityError && !p.IsZero() {
			e.File, e.Line, e.Op, e.Err = p.File, p.Line, "verify", said{d}
			if op, ok := b.invalid(p); ok {
				e.Op = short(op.Name())
				for _, v := range op.Operands() {
					e.Operands = append(e.Operands, describeType(v.Type()))
				}
				if strings.Contains(e.Err.Error(), "requires the same element type") {
					e.Err = fmt.Errorf("%w: use Convert on one of them", e.Err)
				}
			}
			break
		}
	}
	return e
}

// invalid is the operation at a place that the verifier complains about, the innermost
// one.
func (b *Builder) invalid(at mlir.Position) (found mlir.Operation, ok bool) {
	for _, f := range b.funcs {
		if f.broken {
			continue
		}
		f.op.WalkPostOrder(func(op mlir.Operation) mlir.WalkAction {
			if op.Location().Position() == at && op.Verify() != nil {
				found, ok = op, true
				return mlir.WalkStop
			}
			return mlir.WalkContinue
		})
		if ok {
			return found, true
		}
	}
	return found, false
}
