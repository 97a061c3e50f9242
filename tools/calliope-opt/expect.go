package main

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/calliope-mlir/calliope/mlir"
)

// An expectation is a comment that expects a diagnostic, such as expected-error@+1 {{invalid}}.
type expectation struct {
	severity string
	at       int // the line on which the comment is
	line     int // of the diagnostic; 0 if it has no place
	text     string
	re       *regexp.Regexp // for expected-error-re, in place of text
	met      bool
}

var expected = regexp.MustCompile(
	`expected-(error|warning|remark|note)(-re)?\s*(?:@([+-]?\d+|above|below|unknown))?\s*\{\{(.*)\}\}`)

// expectations reads the comments of a text.
func expectations(name string, text []byte) (list []expectation, err error) {
	n := 0
	above := 0 // the last line without a comment that expects something
	var below []int
	for line := range bytes.Lines(text) {
		n++
		m := expected.FindSubmatch(line)
		if m == nil {
			for _, i := range below {
				list[i].line = n
			}
			above, below = n, nil
			continue
		}
		e := expectation{severity: string(m[1]), at: n, line: n, text: string(m[4])}
		switch at := string(m[3]); {
		case at == "above":
			e.line = above
		case at == "below":
			below = append(below, len(list))
		case at == "unknown":
			e.line = 0
		case strings.HasPrefix(at, "+"), strings.HasPrefix(at, "-"):
			by, err := strconv.Atoi(at)
			if err != nil {
				return nil, fmt.Errorf("%s:%d: @%s: %w", name, n, at, err)
			}
			e.line += by
		case at != "":
			if e.line, err = strconv.Atoi(at); err != nil {
				return nil, fmt.Errorf("%s:%d: @%s: %w", name, n, at, err)
			}
		}
		if m[2] != nil {
			if e.re, err = regexp.Compile(inBraces(e.text)); err != nil {
				return nil, fmt.Errorf("%s:%d: %w", name, n, err)
			}
		}
		list = append(list, e)
	}
	return list, nil
}

// inBraces returns the regular expression of expected-error-re: text, with expressions between {{ and }}.
func inBraces(text string) string {
	var b strings.Builder
	for text != "" {
		plain, rest, found := strings.Cut(text, "{{")
		b.WriteString(regexp.QuoteMeta(plain))
		if !found {
			break
		}
		re, after, _ := strings.Cut(rest, "}}")
		b.WriteString("(?:" + re + ")")
		text = after
	}
	return b.String()
}

func (e expectation) matches(d mlir.Diagnostic) bool {
	if d.Severity.String() != e.severity || d.Position.Line != e.line {
		return false
	}
	if e.re != nil {
		return e.re.MatchString(d.Message)
	}
	return strings.Contains(d.Message, e.text)
}

// compareDiagnostics returns an error for each diagnostic that no comment of the text expects, and for each
// comment without a diagnostic. A note needs no comment.
func compareDiagnostics(name string, text []byte, reported []mlir.Diagnostic) error {
	list, err := expectations(name, text)
	if err != nil {
		return err
	}
	var failed []error
	var check func(d mlir.Diagnostic, note bool)
	check = func(d mlir.Diagnostic, note bool) {
		found := note
		for i := range list {
			if e := &list[i]; !e.met && e.matches(d) {
				e.met, found = true, true
				break
			}
		}
		if !found {
			failed = append(failed, fmt.Errorf("unexpected %s", d))
		}
		for _, n := range d.Notes {
			check(n, true)
		}
	}
	for _, d := range reported {
		check(d, false)
	}
	for _, e := range list {
		if !e.met {
			failed = append(failed,
				fmt.Errorf("%s:%d: expected %s %q at line %d was not reported", name, e.at, e.severity, e.text, e.line))
		}
	}
	return errors.Join(failed...)
}
