package tests

import (
	"bufio"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
)

// metaphors are words that say nothing to a reader of this field.
var metaphors = regexp.MustCompile(`(?i)\b(told|errands?|graves?|estates?|kin|barks?)\b`)

// TestWords holds the words out of code and documents.
func TestWords(t *testing.T) {
	check.NoRaces(t)
	t.Parallel()
	read := 0
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel := filepath.ToSlash(strings.TrimPrefix(path, ".."+string(filepath.Separator)))
		if d.IsDir() {
			if d.Name() == ".git" || d.Name() == "testdata" {
				return fs.SkipDir
			}
			return nil
		}
		if !slices.Contains([]string{".go", ".md", ".c", ".h", ".py"}, filepath.Ext(path)) ||
			rel == "tests/words_test.go" {
			return nil
		}
		read++
		return words(t, path, rel)
	})
	check.NoError(t, err)
	if read < 500 {
		t.Errorf("only %d files were read", read)
	}
}

func words(t *testing.T, path, rel string) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<20)
	for n := 1; lines.Scan(); n++ {
		if word := metaphors.FindString(lines.Text()); word != "" {
			t.Errorf("%s:%d: %q: use the field's term", rel, n, word)
		}
	}
	return lines.Err()
}
