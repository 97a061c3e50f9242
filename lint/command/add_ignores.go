package command

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/calliope-mlir/calliope/lint/command/internal/ignore"
	"github.com/calliope-mlir/calliope/lint/finding"
)

// ignoreFound writes comments with -add-ignores that ignore the errors and warnings in a file, and marks these
// findings as ignored. Those without a place in a text stay as they are.
func (o *options) ignoreFound(in input, out *outcome, findings []finding.Finding) error {
	rules := map[int][]string{} // by line
	for _, f := range findings {
		if f.Open() && f.Severity != finding.Note && !f.NoPlace && !f.OfRun() && f.Rule != ignore.Rule {
			rules[f.Line] = append(rules[f.Line], f.Rule)
		}
	}
	if !out.text || len(rules) == 0 {
		return nil
	}
	data, err := os.ReadFile(string(in.Path))
	if err == nil && sha256.Sum256(data) != out.sum {
		err = errors.New("it changed while it was checked: run the command again")
	}
	if err == nil {
		err = write(string(in.Path), out.sum, withIgnores(data, rules, o.addIgnores))
	}
	if err != nil {
		return fmt.Errorf("%s: no comments are added: %w", in.Name, inner(err))
	}
	added := 0
	for i := range findings {
		if f := &findings[i]; slices.Contains(rules[f.Line], f.Rule) {
			f.Suppression = &finding.Suppression{Reason: o.addIgnores}
			added++
		}
	}
	out.notes = append(out.notes, fmt.Sprintf("%s: findings ignored: %d", in.Name, added))
	return nil
}

// withIgnores returns a text with comments above lines that ignore rules there.
func withIgnores(data []byte, rules map[int][]string, reason string) []byte {
	lines := bytes.SplitAfter(data, []byte("\n"))
	for _, n := range slices.Backward(slices.Sorted(maps.Keys(rules))) {
		names := slices.Compact(slices.Sorted(slices.Values(rules[n])))
		line, mark := string(lines[n-1]), ""
		if n == 1 {
			if text, ok := strings.CutPrefix(line, "\ufeff"); ok {
				line, mark = text, "\ufeff"
			}
		}
		comment := ignore.Line(line, names, reason)
		if strings.HasSuffix(line, "\r\n") {
			comment = strings.TrimSuffix(comment, "\n") + "\r\n"
		}
		lines[n-1] = []byte(mark + comment + line)
	}
	return bytes.Join(lines, nil)
}
