package mlir

import (
	"fmt"
	"strings"

	"github.com/calliope-mlir/calliope/experimental/capi"
)

// Severity is the severity of a diagnostic.
type Severity int

const (
	SeverityError Severity = iota
	SeverityWarning
	SeverityNote
	SeverityRemark
)

func (s Severity) String() string {
	switch s {
	case SeverityError:
		return "error"
	case SeverityWarning:
		return "warning"
	case SeverityNote:
		return "note"
	case SeverityRemark:
		return "remark"
	}
	return fmt.Sprintf("severity %d", int(s))
}

// A Diagnostic is one message of the library. It is plain data and remains valid after its
// context is closed.
type Diagnostic struct {
	Severity Severity
	Position Position
	Message  string
	Notes    []Diagnostic
}

// String returns the diagnostic, without its notes, in the form
// "file:line:col: severity: message".
func (d Diagnostic) String() string {
	if d.Position.IsZero() {
		return d.Severity.String() + ": " + d.text()
	}
	return d.Position.String() + ": " + d.Severity.String() + ": " + d.text()
}

// text returns the message without MLIR's advice for a dialect that it does not know: a flag of mlir-opt, and a
// function of C++.
func (d Diagnostic) text() string {
	text, _, _ := strings.Cut(d.Message, " If this is intended, please ")
	return text
}

// The part of a note that is the text of an error. A note may have a whole module.
const (
	noteLines = 10
	lineBytes = 400
)

// writeNotes writes each note on a line of its own, and the notes of notes further to the right.
func (d Diagnostic) writeNotes(to *strings.Builder, newline string) {
	for _, note := range d.Notes {
		lines := strings.Split(note.String(), "\n")
		for i, line := range lines[:min(len(lines), noteLines)] {
			to.WriteString(newline)
			if i > 0 {
				to.WriteString("  ")
			}
			if len(line) > lineBytes {
				line = strings.ToValidUTF8(line[:lineBytes], "") + "…"
			}
			to.WriteString(strings.TrimRight(line, " "))
		}
		if more := len(lines) - noteLines; more > 0 {
			fmt.Fprintf(to, "%s  … and %d more lines", newline, more)
		}
		note.writeNotes(to, newline+"  ")
	}
}

// takeDiagnostics returns the diagnostics since the last call. source replaces "-", the
// file name of parsed text.
func (c *Context) takeDiagnostics(source string) []Diagnostic {
	list := append(c.reported, c.sink.Take()...)
	c.reported = nil
	if c.after != nil {
		c.after()
	}
	diagnostics := nest(c, list, 0, source)
	if len(c.handlers) == 0 {
		return diagnostics
	}
	var at []Location
	n := namer{c: c, from: unnamed, to: source, renamed: map[pointer]capi.MlirLocation{}}
	for _, d := range list {
		if d.Depth > 0 {
			continue
		}
		if source != "" && !strings.Contains(source, "\x00") {
			d.Location = n.location(d.Location)
		}
		at = append(at, c.location(d.Location))
	}
	return c.handle(diagnostics, at)
}

// nest builds a tree from the flat list with depths.
func nest(c *Context, flat []capi.Diagnostic, depth int, source string) []Diagnostic {
	var out []Diagnostic
	for i := 0; i < len(flat); {
		end := i + 1
		for end < len(flat) && flat[end].Depth > depth {
			end++
		}
		d := flat[i]
		position := c.location(d.Location).Position()
		if position.File == unnamed && source != "" {
			position.File = source
		}
		out = append(out, Diagnostic{
			Severity: severity(d.Severity),
			Position: position,
			Message:  d.Message,
			Notes:    nest(c, flat[i+1:end], depth+1, source),
		})
		i = end
	}
	return out
}

func severity(s capi.MlirDiagnosticSeverity) Severity {
	switch s {
	case capi.MlirDiagnosticWarning:
		return SeverityWarning
	case capi.MlirDiagnosticNote:
		return SeverityNote
	case capi.MlirDiagnosticRemark:
		return SeverityRemark
	}
	return SeverityError
}
