package fix

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// FuzzScan checks that texts of any kind are divided into tokens and comments, with nothing but
// white space between them, which a NUL is in MLIR, too, and that dictionaries can be changed.
func FuzzScan(f *testing.F) {
	files, err := filepath.Glob("../../tests/testdata/modules/*.mlir")
	if err != nil || len(files) == 0 {
		f.Fatalf("no modules: %v", err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(data[:min(len(data), 2000)]))
	}
	f.Add(`{a = "\"}", @"b c", %x:2 = "o"() loc(callsite("a" at unknown)) // c`)
	f.Fuzz(func(t *testing.T, text string) {
		tokens, comments := scan(text)
		at := 0
		for i, j := 0, 0; i < len(tokens) || j < len(comments); {
			var next token
			if j == len(comments) || i < len(tokens) && tokens[i].start < comments[j].start {
				next, i = tokens[i], i+1
			} else {
				next, j = comments[j], j+1
			}
			if next.start < at || next.end <= next.start || strings.Trim(text[at:next.start], " \t\r\n\x00") != "" {
				t.Fatalf("token %q at %d after %d", text[next.start:next.end], next.start, at)
			}
			at = next.end
		}
		if rest := strings.Trim(text[at:], " \t\r\n\x00"); rest != "" {
			t.Fatalf("%q is not in a token", rest)
		}
		s := &source{text: text, tokens: tokens}
		for i := range tokens {
			s.first(i)
			s.isLabel(i)
			s.isAssignment(i)
			if s.isDictionary(i) {
				if d, ok := s.dictionary(i); ok {
					s.change(d, change{set: map[string]string{"a": "1"}, remove: map[string]bool{"b": true}}, true)
				}
			}
		}
	})
}
