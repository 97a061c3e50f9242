package doctest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Flags holds that there is each flag that a string in the Go files of a folder names, apart from those of tests. The
// first group of name is the flag. The strings must name at least so many.
func Flags(t *testing.T, folder string, name *regexp.Regexp, least int, exists func(flag string) bool) {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	named := 0
	files := token.NewFileSet()
	for _, entry := range entries {
		if !strings.HasSuffix(entry.Name(), ".go") || strings.HasSuffix(entry.Name(), "_test.go") {
			continue
		}
		file, err := parser.ParseFile(files, filepath.Join(folder, entry.Name()), nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if text, ok := n.(*ast.BasicLit); ok && text.Kind == token.STRING {
				for _, m := range name.FindAllStringSubmatch(text.Value, -1) {
					if named++; !exists(m[1]) {
						t.Errorf("%s: there is no flag %s", files.Position(text.Pos()), m[1])
					}
				}
			}
			return true
		})
	}
	if named < least {
		t.Errorf("only %d flags are named", named)
	}
}
