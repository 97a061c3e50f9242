package tests

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	link     = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	heading  = regexp.MustCompile(`(?m)^#+ (.*)$`)
	noAnchor = regexp.MustCompile(`[^\p{L}\p{N} _-]`)
)

// TestLinks holds that the links of documents to files and headings of this repository lead there.
func TestLinks(t *testing.T) {
	links := 0
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".md" {
			return err
		}
		text, err := os.ReadFile(path)
		for _, m := range link.FindAllStringSubmatch(string(text), -1) {
			if !strings.Contains(m[1], "://") {
				links++
				checkLink(t, path, m[1])
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if links < 50 {
		t.Errorf("only %d links were found", links)
	}
}

func checkLink(t *testing.T, from, to string) {
	file, anchor, _ := strings.Cut(to, "#")
	path := filepath.Join(filepath.Dir(from), file)
	if file == "" {
		path = from
	}
	if _, err := os.Stat(path); err != nil {
		t.Errorf("%s links to %s: %v", from, to, err)
		return
	}
	if anchor == "" || filepath.Ext(path) != ".md" {
		return
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range heading.FindAllStringSubmatch(string(text), -1) {
		words := noAnchor.ReplaceAllString(strings.ToLower(h[1]), "")
		if strings.ReplaceAll(words, " ", "-") == anchor {
			return
		}
	}
	t.Errorf("%s links to %s: there is no such heading", from, to)
}
