package errtext

import (
	"fmt"
	"strings"
	"unicode"
)

// Line returns a text on one line: it replaces line breaks, and escapes control characters, which
// untrusted input may contain.
func Line(s string) string {
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
