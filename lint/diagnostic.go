package lint

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/calliope-mlir/calliope/mlir"
)

// Invalid is the rule that findings about the input itself carry: it could not be
// read, parsed, verified or judged.
const Invalid = "invalid"

// Diagnostic is one finding.
type Diagnostic struct {
	File         string // the input's name
	Line, Column int    // in the input, from 1; 1 and 1 where the place is not known
	Severity     mlir.Severity
	Message      string
	Rule         string // an analyzer's name, or Invalid
}

// String is the finding on one line: file:line:col: severity: message [rule].
func (d Diagnostic) String() string {
	return oneLine(fmt.Sprintf("%s:%d:%d: %s: %s [%s]", d.File, d.Line, d.Column, d.Severity, d.Message, d.Rule))
}

// invalid is a finding about a whole input.
func invalid(file, format string, args ...any) Diagnostic {
	return Diagnostic{file, 1, 1, mlir.SeverityError, fmt.Sprintf(format, args...), Invalid}
}

// oneLine keeps what strangers wrote from breaking the line or steering the terminal.
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
