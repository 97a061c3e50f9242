package tests

import (
	"bytes"
	"go/scanner"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/calliope-mlir/calliope/internal/test/check"
)

// longest is how many columns a line of code has at most. A tab counts as four.
const longest = 120

// tables are comments whose lines cannot be broken: indented ones.
var tables = regexp.MustCompile(`^//(\t| {2,}|go:)`)

var generated = regexp.MustCompile(`(?m)^// Code generated .* DO NOT EDIT\.$`)

// TestLines holds that no line is too long because of what is not in quotes.
func TestLines(t *testing.T) {
	check.NoRaces(t)
	t.Parallel()
	check.NoError(t, filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".go" {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil || generated.Match(text) {
			return err
		}
		quoted := quotedLines(text)
		n, output := 0, false // in the expected output of an example
		for line := range bytes.Lines(text) {
			n++
			comment := strings.HasPrefix(strings.TrimSpace(string(line)), "//")
			output = comment && (output || strings.Contains(string(line), "utput:"))
			code := strings.ReplaceAll(strings.TrimRight(string(line), "\n"), "\t", "    ")
			long := utf8.RuneCountInString(code) > longest
			if long && !output && !quoted[n] && !tables.MatchString(strings.TrimSpace(string(line))) {
				t.Errorf("%s:%d: it has more than %d columns: break it", path, n, longest)
			}
		}
		return nil
	}))
}

// quotedLines returns the lines of a file that have more than 60 bytes of strings, and those of C code in comments.
func quotedLines(text []byte) map[int]bool {
	quoted, size := map[int]bool{}, map[int]int{}
	file := token.NewFileSet().AddFile("", -1, len(text))
	var s scanner.Scanner
	s.Init(file, text, nil, scanner.ScanComments)
	for {
		pos, tok, literal := s.Scan()
		if tok == token.EOF {
			return quoted
		}
		if tok != token.STRING && (tok != token.COMMENT || !strings.HasPrefix(literal, "/*")) {
			continue
		}
		first := file.Line(pos)
		for line := range strings.Count(literal, "\n") + 1 {
			size[first+line] += len(literal)
			quoted[first+line] = size[first+line] > 60
		}
	}
}
