package lint

import (
	"fmt"

	"github.com/calliope-mlir/calliope/internal/errtext"
	"github.com/calliope-mlir/calliope/mlir"
)

// Invalid is the rule of findings about the input itself: it could not be read, parsed,
// verified or checked.
const Invalid = "invalid"

// A Diagnostic is one finding.
type Diagnostic struct {
	File         string // the input's name
	Line, Column int    // in the input, from 1
	NoPlace      bool   // the position is not known; Line and Column are 1 then
	Severity     mlir.Severity
	Message      string
	Rule         string // an analyzer's name, or Invalid
	// Related has the places in the location that the module states for the operation, except the
	// position in the input, and those of other operations that the finding is about.
	Related []Related `json:",omitempty"`

	// Operation is the number of the operation in mlir.Operation.All of the module, from 1, or
	// 0 if the finding is not about one.
	Operation int
	Fix       *Fix // its repair, or nil
	// Context identifies the operation by a hash of its name, attributes and types, and of the
	// symbols around it, but not by its position. It is set if Options.Context is.
	Context string `json:",omitempty"`
}

// String returns the finding on one line: file:line:col: severity: text [rule].
func (d Diagnostic) String() string {
	return errtext.Line(fmt.Sprintf("%s:%d:%d: %s: %s [%s]", d.File, d.Line, d.Column, d.Severity, d.Text(), d.Rule))
}

// Text returns the message with the first related position outside of the input, if there is one.
func (d Diagnostic) Text() string {
	for _, r := range d.Related {
		if r.Line > 0 && r.File != d.File {
			return fmt.Sprintf("%s (at %v)", d.Message, r)
		}
	}
	return d.Message
}

// relateTo adds the places in the location of the finding's operation, except the finding's own.
func (d *Diagnostic) relateTo(l mlir.Location) {
	if d.NoPlace || l.Position() != d.position() {
		d.Related = relatedTo(l)
	}
}

// position returns the position as the library has it.
func (d *Diagnostic) position() mlir.Position {
	return mlir.Position{File: textName, Line: d.Line, Column: d.Column}
}

// invalid returns a finding about a whole input.
func invalid(file, format string, args ...any) Diagnostic {
	return Diagnostic{File: file, Line: 1, Column: 1, NoPlace: true, Severity: mlir.SeverityError,
		Message: fmt.Sprintf(format, args...), Rule: Invalid}
}
