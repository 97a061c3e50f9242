package lint

import (
	"fmt"
	"strings"
	"unicode"

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
}

// String returns the finding on one line: file:line:col: severity: message [rule].
func (d Diagnostic) String() string {
	return oneLine(fmt.Sprintf("%s:%d:%d: %s: %s [%s]", d.File, d.Line, d.Column, d.Severity, d.Message, d.Rule))
}

// invalid returns a finding about a whole input.
func invalid(file, format string, args ...any) Diagnostic {
	return Diagnostic{file, 1, 1, mlir.SeverityError, fmt.Sprintf(format, args...), Invalid}
}

// oneLine replaces line breaks and escapes control characters, which untrusted input may
// contain.
func oneLine(s string) string {
	var b strings.Builder
	for _, r := range strings.TrimSpace(s) {
		switch {
		case r == '\n' || r == '\t':
			b.WriteByte(' ')
		case unicode.IsPrint(r):
			b.WriteRune(r)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}
