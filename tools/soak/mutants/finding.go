package mutants

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
)

// A finding is a finding in the format json.
type finding struct {
	File         string
	Line, Column int
	Severity     string
	Message      string
	Rule         string
	Related      []place
	Fingerprint  string
	Fix          *struct{ Edits []edit }
	Suppression  *struct{ Reason string }
}

type place struct {
	File         string
	Line, Column int
}

type edit struct {
	Line, Column, EndLine, EndColumn int
	Text                             string
}

// Outcomes of a file.
const (
	clean    = "clean"
	findings = "findings"
	invalid  = "invalid"
	crash    = "crash of the library"
	late     = "late"
)

var outcomes = []string{clean, findings, invalid, crash, late}

// outcome returns the outcome of a file with these findings.
func outcome(found []finding) string {
	out := clean
	for _, f := range found {
		switch {
		case f.isCrash():
			return crash
		case f.isLate():
			return late
		case f.Rule == "invalid":
			out = invalid
		case out == clean:
			out = findings
		}
	}
	return out
}

// accepted reports whether a file with these findings was checked.
func accepted(found []finding) bool {
	return !slices.ContainsFunc(found, func(f finding) bool { return f.Rule == "invalid" })
}

func (f finding) isCrash() bool {
	return f.Rule == "invalid" && strings.HasPrefix(f.Message, "the MLIR library crashed on this ")
}

func (f finding) isLate() bool {
	return f.Rule == "invalid" && strings.HasPrefix(f.Message, "reading and checking took longer than ")
}

// weight is the exit status for a finding.
func (f finding) weight() int {
	switch {
	case f.Suppression != nil:
	case f.Rule == "invalid":
		return 2
	case f.Severity == "error":
		return 1
	}
	return 0
}

// parse reads findings in the format json.
func parse(text []byte) (all []finding, err error) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	for {
		var f finding
		if err := decoder.Decode(&f); err == io.EOF {
			return all, nil
		} else if err != nil {
			return nil, fmt.Errorf("the findings are no JSON: %w", err)
		}
		if f.Line < 1 || f.Column < 1 || f.Rule == "" || f.Message == "" || f.Fingerprint == "" ||
			!strings.Contains("error warning note", f.Severity) || f.Severity == "" {
			return nil, fmt.Errorf("a finding is not complete: %+v", f)
		}
		all = append(all, f)
	}
}

// offset returns the position of a line and a column in a text, or -1.
func offset(data []byte, line, column int) int {
	at := 0
	for range line - 1 {
		n := bytes.IndexByte(data[at:], '\n')
		if n < 0 {
			return -1
		}
		at += n + 1
	}
	if line == 1 && bytes.HasPrefix(data, []byte("\ufeff")) {
		at += len("\ufeff")
	}
	if at += column - 1; at > len(data) {
		return -1
	}
	return at
}

// edited returns a text with the edits of one finding, which are in order.
func edited(data []byte, edits []edit) ([]byte, error) {
	out := bytes.Clone(data)
	for i := len(edits) - 1; i >= 0; i-- {
		e := edits[i]
		start, end := offset(data, e.Line, e.Column), offset(data, e.EndLine, e.EndColumn)
		if start < 0 || end < start {
			return nil, fmt.Errorf("the edit %+v is not in the text", e)
		}
		out = splice(out, start, end, []byte(e.Text)...)
	}
	return out, nil
}
