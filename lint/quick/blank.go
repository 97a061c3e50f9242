package quick

import (
	"bytes"

	"github.com/calliope-mlir/calliope/internal/ir/lex"
)

// WithoutLocations returns a text with spaces in place of the locations of operations and block
// arguments, so that a library gives each of them its position in the text. The lines stay the
// same. It returns false, and the text itself, if there are none.
func WithoutLocations(text []byte) (blank []byte, located bool) {
	if !bytes.Contains(text, []byte("loc")) {
		return text, false
	}
	var before lex.Kind
	start := len(text) - len(bytes.TrimPrefix(text, []byte("\ufeff")))
	for t := lex.Next(text, start); t.Kind != lex.End && t.Kind != lex.Bad; t = lex.Next(text, t.End) {
		paren := lex.Token{}
		if t.Kind == lex.Word && string(text[t.Start:t.End]) == "loc" {
			paren = lex.Next(text, t.End)
		}
		if paren.Kind != '(' {
			before = t.Kind
			continue
		}
		end := lex.SkipBalanced(text, paren)
		if end < 0 {
			break
		}
		// After one of these it is an attribute, or the value of an alias.
		if bytes.IndexByte([]byte("=,[(<"), byte(before)) < 0 {
			if blank == nil {
				blank = bytes.Clone(text)
			}
			for i := t.Start; i < end; i++ {
				if text[i] != '\n' {
					blank[i] = ' '
				}
			}
		}
		before, t.End = ')', end
	}
	if blank == nil {
		return text, false
	}
	return blank, true
}
