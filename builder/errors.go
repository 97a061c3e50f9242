package builder

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/calliope-mlir/calliope/mlir"
)

// An Error is the first mistake while building: where in the Go code, in which operation,
// with which operands.
type Error struct {
	File     string
	Line     int
	Names    string   // those of Named, for example "layer1/attention", or ""
	Op       string   // operation, for example "add"
	Operands []string // types of the operands, for example "f32[2,3]"
	Err      error    // what is wrong
}

func (e *Error) Error() string {
	operands := ""
	if len(e.Operands) > 0 {
		operands = "(" + strings.Join(e.Operands, ", ") + ")"
	}
	names := ""
	if e.Names != "" {
		names = "in " + e.Names + ": "
	}
	return fmt.Sprintf("%s:%d: %s%s%s: %v", e.File, e.Line, names, e.Op, operands, e.Err)
}

// Unwrap returns the cause, for example a *mlir.DiagnosticError.
func (e *Error) Unwrap() error { return e.Err }

// libraryError is an error of the library whose text lacks the location, which the Error
// contains already.
type libraryError struct{ err *mlir.DiagnosticError }

func (s libraryError) Error() string {
	return cmp.Or(s.err.Messages(), s.err.Error())
}

func (s libraryError) Unwrap() error { return s.err }

// shorten replaces an error's text by the library's message, if the error has no other
// text.
func shorten(err error) error {
	if d, ok := err.(*mlir.DiagnosticError); ok {
		return libraryError{d}
	}
	return err
}

// verifyError reports a verifier's error at the Go line of the operation: the operation's
// location.
func (b *Builder) verifyError(at place, err error) *Error {
	e := &Error{File: at.file, Line: at.line, Names: at.names, Op: "module", Err: err}
	var d *mlir.DiagnosticError
	if !errors.As(err, &d) {
		return e
	}
	for _, diagnostic := range d.Diagnostics {
		if p := diagnostic.Position; diagnostic.Severity == mlir.SeverityError && !p.IsZero() {
			e.File, e.Line, e.Names, e.Op, e.Err = p.File, p.Line, "", "verify", libraryError{d}
			if op, ok := b.invalid(p); ok {
				e.Op, e.Names = short(op.Name()), b.namesOf(op.Location())
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

// invalid returns the innermost operation at the place of a verifier's error.
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
