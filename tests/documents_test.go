package tests

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
)

var (
	link     = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	heading  = regexp.MustCompile(`(?m)^#+ (.*)$`)
	noAnchor = regexp.MustCompile(`[^\p{L}\p{N} _-]`)
)

// TestLinks holds that the links of documents to files and headings of this repository lead there.
func TestLinks(t *testing.T) {
	check.NoRaces(t)
	links := 0
	eachDocument(t, func(path, text string) {
		for _, m := range link.FindAllStringSubmatch(code.ReplaceAllString(text, ""), -1) {
			if !strings.Contains(m[1], "://") {
				links++
				checkLink(t, path, m[1])
			}
		}
	})
	if links < 50 {
		t.Errorf("only %d links were found", links)
	}
}

// eachDocument calls visit for each document of the repository.
func eachDocument(t *testing.T, visit func(path, text string)) {
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".md" {
			return err
		}
		text, err := os.ReadFile(path)
		visit(path, string(text))
		return err
	})
	check.NoError(t, err)
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
	check.NoError(t, err)
	for _, h := range heading.FindAllStringSubmatch(string(text), -1) {
		words := noAnchor.ReplaceAllString(strings.ToLower(h[1]), "")
		if strings.ReplaceAll(words, " ", "-") == anchor {
			return
		}
	}
	t.Errorf("%s links to %s: there is no such heading", from, to)
}

// qualified is a name of a package in the code of a document, such as `builder.Add(x, y)`.
var (
	code      = regexp.MustCompile("(?s)```go\n.*?\n```|`[^`\n]+`")
	qualified = regexp.MustCompile(`(^|[^\w./"-])([a-z]+)\.([A-Z]\w*)`)
)

// TestNames holds that the names of our packages in documents exist.
func TestNames(t *testing.T) {
	check.NoRaces(t)
	names := exportedNames(t)
	checked := 0
	eachDocument(t, func(path, text string) {
		for _, span := range code.FindAllString(text, -1) {
			for _, m := range qualified.FindAllStringSubmatch(span, -1) {
				if known, ours := names[m[2]]; ours {
					checked++
					if !known[m[3]] {
						t.Errorf("%s: %s: there is no %s.%s", path, span, m[2], m[3])
					}
				}
			}
		}
	})
	if checked < 250 {
		t.Errorf("only %d names were checked", checked)
	}
}

// exportedNames are those of the public packages, by the packages' names.
func exportedNames(t *testing.T) map[string]map[string]bool {
	names := map[string]map[string]bool{}
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") ||
			isInternal(filepath.ToSlash(path)) {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil || file.Name.Name == "main" {
			return err
		}
		known := names[file.Name.Name]
		if known == nil {
			known = map[string]bool{}
			names[file.Name.Name] = known
		}
		for _, d := range file.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				known[d.Name.Name] = known[d.Name.Name] || d.Recv == nil
			case *ast.GenDecl:
				for _, s := range d.Specs {
					switch s := s.(type) {
					case *ast.TypeSpec:
						known[s.Name.Name] = true
					case *ast.ValueSpec:
						for _, n := range s.Names {
							known[n.Name] = true
						}
					}
				}
			}
		}
		return nil
	})
	check.NoError(t, err)
	return names
}
