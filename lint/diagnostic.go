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
	Line, Column int    // in the input, from 1; 1 and 1 if the position is not known
	Severity     mlir.Severity
	Message      string
	Rule         string // an analyzer's name, or Invalid

	// Operation is the number of the operation in mlir.Operation.All of the module, from 1, or
	// 0 if the finding is not about one.
	Operation int
	Fix       *Fix // its safe repair, or nil
	// Context identifies the operation by a hash of its name, attributes and types, and of the
	// symbols around it, but not by its position. It is set if Options.Context is.
	Context string `json:",omitempty"`
}

// String returns the finding on one line: file:line:col: severity: message [rule].
func (d Diagnostic) String() string {
	return errtext.Line(fmt.Sprintf("%s:%d:%d: %s: %s [%s]", d.File, d.Line, d.Column, d.Severity, d.Message, d.Rule))
}

// invalid returns a finding about a whole input.
func invalid(file, format string, args ...any) Diagnostic {
	return Diagnostic{File: file, Line: 1, Column: 1, Severity: mlir.SeverityError,
		Message: fmt.Sprintf(format, args...), Rule: Invalid}
}
