package mlir

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/calliope-mlir/calliope/experimental/capi"
)

// ErrUnsupported matches every UnsupportedError under errors.Is.
var ErrUnsupported = errors.New("not supported by this MLIR library")

// An UnsupportedError reports that a library does not export a function of the C API, or that its parameters in the
// library's release of LLVM are not known, or that the library lacks an operation that another known one has. Its text
// names the libraries that have it, and the command that fetches one.
type UnsupportedError struct {
	Library   string // path of the library, empty in a panic
	Function  string // name of the C function, or ""
	Operation string // name of the operation, or ""

	hint string // about the operation, or why the function is not called
}

// A method without an error result panics with an UnsupportedError, which has no Library.
func init() {
	capi.Missing = func(function string) error { return &UnsupportedError{Function: function} }
}

func (e *UnsupportedError) Error() string {
	if e.Operation != "" {
		return fmt.Sprintf("mlir: %s does not know the operation %q; %s", e.Library, e.Operation, e.hint)
	}
	text := fmt.Sprintf("mlir: %s does not export %s", cmp.Or(e.Library, "the library"), e.Function)
	if e.hint != "" {
		text = fmt.Sprintf("mlir: %s of %s cannot be called: %s", e.Function, e.Library, e.hint)
	}
	if hint := functionHint(e.Function); hint != "" {
		text += "; " + hint
	}
	return text
}

// Is reports whether target is ErrUnsupported.
func (e *UnsupportedError) Is(target error) bool { return target == ErrUnsupported }

// A DiagnosticError holds the diagnostics that the library reported while an operation
// failed, in their order.
type DiagnosticError struct {
	Op          string // the operation that failed: "parse", "verify" …
	Diagnostics []Diagnostic
	// Hint names the libraries known to package native that have the dialect or operation
	// that this library lacks. It is empty if none is known.
	Hint string
}

// Messages returns the messages of the errors without their positions, with "; " between them, and then their notes as
// in Error, without those that print the operation. It returns "" if there is no error.
func (e *DiagnosticError) Messages() string {
	var messages []string
	var notes strings.Builder
	for _, d := range e.Diagnostics {
		if d.Severity == SeverityError {
			messages = append(messages, d.text())
			d.Notes = slices.DeleteFunc(slices.Clone(d.Notes), func(n Diagnostic) bool {
				return strings.HasPrefix(n.Message, "see current operation:")
			})
			d.writeNotes(&notes, "\n  ")
		}
	}
	return strings.Join(messages, "; ") + notes.String()
}

// Error returns the errors, one on each line, and the hint, if any, after the first. The notes
// of an error stand below it, indented. The first lines of a long note stand for all of it. An operation that a note
// above has shown is not shown again.
func (e *DiagnosticError) Error() string {
	var text strings.Builder
	var shown []string
	for _, d := range e.Diagnostics {
		switch {
		case d.Severity != SeverityError:
			continue
		case text.Len() == 0:
			fmt.Fprintf(&text, "mlir: %s failed: %v", e.Op, d)
			if e.Hint != "" {
				text.WriteString("; " + e.Hint)
			}
		default:
			text.WriteString("\n" + d.String())
		}
		d.Notes, shown = unshown(d.Notes, shown)
		d.writeNotes(&text, "\n  ")
	}
	if text.Len() == 0 {
		return fmt.Sprintf("mlir: %s failed without a diagnostic", e.Op)
	}
	return text.String()
}

// unshown returns the notes without those that show an operation again, and what has been shown then.
func unshown(notes []Diagnostic, shown []string) (left []Diagnostic, all []string) {
	for _, note := range notes {
		if operation, ok := strings.CutPrefix(note.Message, "see current operation:"); ok {
			lines := strings.Split(operation, "\n")
			for i, line := range lines {
				lines[i] = strings.TrimSpace(line) // an operation in another one is indented
			}
			text := strings.Join(lines, "\n")
			if slices.ContainsFunc(shown, func(above string) bool { return strings.Contains(above, text) }) {
				continue
			}
			shown = append(shown, text)
		}
		left = append(left, note)
	}
	return left, shown
}
