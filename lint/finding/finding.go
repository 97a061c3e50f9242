// Package finding has the type of the linter's findings, from a rule to the reports. It needs neither cgo nor an MLIR
// library.
package finding

import (
	"fmt"

	"github.com/calliope-mlir/calliope/internal/text/errtext"
)

// Invalid is the rule of findings about the input itself: it could not be read, parsed, verified or checked.
const Invalid = "invalid"

// A Severity is error, warning or note.
type Severity string

const (
	Error   Severity = "error"
	Warning Severity = "warning"
	Note    Severity = "note"
)

// A Finding is one finding in a file. Package lint sets what a rule knows, and the command mlir-lint the rest.
type Finding struct {
	File     string   `json:"file"`   // the input's name
	Line     int      `json:"line"`   // from 1
	Column   int      `json:"column"` // in bytes, from 1
	Severity Severity `json:"severity"`
	Message  string   `json:"message"`
	Rule     string   `json:"rule"` // an analyzer's name, or Invalid
	// Related has the places in the location that the module states for the operation, except the position in the
	// input, and those of other operations that the finding is about.
	Related []Related `json:"related,omitempty"`
	// Fingerprint identifies the finding in its file, also after lines have moved. See OfRun.
	Fingerprint string `json:"fingerprint"`
	Fix         *Fix   `json:"fix,omitempty"` // its repair, or nil
	// Suppression is set if the source says that the finding is to be ignored.
	Suppression *Suppression `json:"suppression,omitempty"`
	// Baseline is how the finding relates to the baseline: BaselineNew, BaselineKnown, or "" if there is none.
	Baseline string `json:"baseline,omitempty"`

	// What follows is not in reports: see Reported.

	NoPlace bool `json:"noPlace,omitempty"` // the position is not known; Line and Column are 1 then
	// Operation is the number of the operation in mlir.Operation.All of the module, from 1, or 0 if the finding is not
	// about one.
	Operation int `json:"operation,omitempty"`
	// Context identifies the operation by a hash of its name, attributes and types, and of the symbols around it, but
	// not by its position. It is for fingerprints, and set if lint.Options.Context is.
	Context string `json:"context,omitempty"`
	// Source is the line of the finding in a text file, or a part of it, for a terminal.
	Source *Source `json:"source,omitempty"`
}

// The values of Finding.Baseline, which are those of SARIF.
const (
	BaselineNew   = "new"
	BaselineKnown = "unchanged"
)

// A Suppression is a comment or an attribute that ignores a finding.
type Suppression struct {
	Reason string `json:"reason"`
}

// A Source is a part of a line.
type Source struct {
	Text      string
	Column    int // of the finding in Text, in bytes, from 1
	Character int // of the finding in the whole line, in characters, from 1
}

// OfInput returns a finding about a whole input, of the rule Invalid.
func OfInput(file, format string, args ...any) Finding {
	return Finding{File: file, Line: 1, Column: 1, NoPlace: true, Severity: Error, Rule: Invalid,
		Message: fmt.Sprintf(format, args...)}
}

// Reported returns the finding with what reports in JSON have.
func (f Finding) Reported() Finding {
	f.NoPlace, f.Operation, f.Context, f.Source = false, 0, "", nil
	if f.Fix != nil {
		reported := Fix{Message: f.Fix.Message, Unsafe: f.Fix.Unsafe}
		for _, e := range f.Fix.Edits {
			e.Characters = [2]int{}
			reported.Edits = append(reported.Edits, e)
		}
		f.Fix = &reported
	}
	return f
}

// OfRun reports whether the finding is about what the run could not do, instead of an input: it has no fingerprint. No
// configuration, comment or baseline applies to it.
func (f Finding) OfRun() bool { return f.Fingerprint == "" }

// Open reports whether the finding is neither ignored nor known.
func (f Finding) Open() bool { return f.Suppression == nil && f.Baseline != BaselineKnown }

// String returns the finding on one line: file:line:col: severity: text [rule].
func (f Finding) String() string {
	return errtext.Line(fmt.Sprintf("%s:%d:%d: %s: %s [%s]", f.File, f.Line, f.Column, f.Severity, f.Text(), f.Rule))
}

// Text returns the message with the first related position outside of the input, if there is one.
func (f Finding) Text() string {
	for _, r := range f.Related {
		if r.Line > 0 && r.File != f.File {
			return fmt.Sprintf("%s (at %v)", f.Message, r)
		}
	}
	return f.Message
}
