package ignore

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/calliope-mlir/calliope/lint/command/internal/report"
)

// A Comment is a comment that ignores findings.
type Comment struct {
	Directive
	Line, Column int // of the comment
	Target       int // the line of the findings
	Problem      string
}

// marker begins what a comment says to mlir-lint.
const marker = "mlir-lint:"

// longest is the length of the longest comment that is read.
const longest = 4096

// Comments returns the comments in a module's text, with mistakes. known are the names of the
// rules.
func Comments(text []byte, known []string) []Comment {
	var found []Comment
	line, at := 1, 0 // at is the start of the line
	after := 0       // the line after the last lines of comments that were counted
	for {
		next := bytes.Index(text[at:], []byte(marker))
		if next < 0 {
			return found
		}
		// Move to the line of the marker.
		next += at
		line += bytes.Count(text[at:next], []byte("\n"))
		at = bytes.LastIndexByte(text[:next], '\n') + 1
		end := len(text)
		if n := bytes.IndexByte(text[at:], '\n'); n >= 0 {
			end = at + n
		}
		if c, ok := comment(text[at:end], known); ok {
			c.Line, c.Target = line, line
			if alone(text[at : at+c.Column-1]) {
				if line >= after {
					after = line + 1 + commentLines(text[end:])
				}
				c.Target = after
			}
			found = append(found, c)
		}
		if end == len(text) {
			return found
		}
		at, line = end+1, line+1
	}
}

// comment reads the comment of a line.
func comment(line []byte, known []string) (Comment, bool) {
	start := commentStart(line)
	if start < 0 {
		return Comment{}, false
	}
	said, ok := strings.CutPrefix(strings.TrimSpace(string(line[start+2:min(len(line), start+longest)])), marker)
	if !ok {
		return Comment{}, false // it mentions the marker
	}
	c := Comment{Column: start + 1}
	word, rest := said, ""
	if end := strings.IndexAny(said, " \t"); end >= 0 {
		word, rest = said[:end], said[end:]
	}
	if word != "ignore" {
		if !utf8.ValidString(word) || len(word) > 40 {
			word = "…"
		}
		c.Problem = fmt.Sprintf("there is no comment %q%s: write %q", marker+word,
			report.DidYouMean(word, []string{"ignore"}), marker+"ignore rule reason")
		return c, true
	}
	d, err := Parse(rest, known)
	c.Directive = d
	if err != nil {
		c.Problem = err.Error()
	}
	return c, true
}

// commentStart returns the index of the comment in a line of MLIR, or -1. Strings end in the
// line in which they begin.
func commentStart(line []byte) int {
	inString := false
	for i := 0; i < len(line); i++ {
		switch {
		case inString && line[i] == '\\':
			i++
		case line[i] == '"':
			inString = !inString
		case !inString && line[i] == '/' && i+1 < len(line) && line[i+1] == '/':
			return i
		}
	}
	return -1
}

// alone reports whether nothing but space is before a comment.
func alone(before []byte) bool { return len(bytes.TrimSpace(before)) == 0 }

// commentLines returns the number of lines that are comments at the start of text, after the
// line break at which it begins.
func commentLines(text []byte) (n int) {
	for len(text) > 0 {
		line := text[1:]
		if end := bytes.IndexByte(line, '\n'); end >= 0 {
			line = line[:end]
		}
		if !bytes.HasPrefix(bytes.TrimSpace(line[:min(len(line), longest)]), []byte("//")) {
			return n
		}
		text = text[1+len(line):]
		n++
	}
	return n
}
