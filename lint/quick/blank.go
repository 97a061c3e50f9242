package quick

import "bytes"

// WithoutLocations returns a text with spaces in place of the locations of operations and block
// arguments, so that a library gives each of them its position in the text. The lines stay the
// same. It returns false, and the text itself, if there are none.
func WithoutLocations(text []byte) (blank []byte, located bool) {
	if !bytes.Contains(text, []byte("loc")) {
		return text, false
	}
	var before kind
	start := len(text) - len(bytes.TrimPrefix(text, []byte("\ufeff")))
	for t := next(text, start); t.kind != endOfText && t.kind != badToken; t = next(text, t.end) {
		paren := token{}
		if t.kind == bareID && string(text[t.start:t.end]) == "loc" {
			paren = next(text, t.end)
		}
		if paren.kind != '(' {
			before = t.kind
			continue
		}
		end := skipBalanced(text, paren)
		if end < 0 {
			break
		}
		// After one of these it is an attribute, or the value of an alias.
		if bytes.IndexByte([]byte("=,[(<"), byte(before)) < 0 {
			if blank == nil {
				blank = bytes.Clone(text)
			}
			for i := t.start; i < end; i++ {
				if text[i] != '\n' {
					blank[i] = ' '
				}
			}
		}
		before, t.end = ')', end
	}
	if blank == nil {
		return text, false
	}
	return blank, true
}
