package tests

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
)

// quiet are the folders whose code says what it has to say by errors and log/slog.
var quiet = []string{"tensor", "contract", "c", "experimental/capi", "mlir", "stablehlo", "aliasing", "passes", "builder",
	"callbacks", "bridge"}

// mayPrint are the files that print because they are asked to, or before they end the
// process, and what.
var mayPrint = map[string][]string{"callbacks/print.go": {"os.Stdout"}, "callbacks/goexit.go": {"os.Stderr"},
	"c/install/main.go": {`package "log"`}}

// cPrints matches what prints in C; vasprintf and the like only make a string.
var cPrints = regexp.MustCompile(`\b(?:(?:v?f?printf|f?puts|f?putc|putchar|perror) *\(|stderr\b|stdout\b)`)

// Nothing but log/slog, and what the caller gave, is written to by a library.
func TestNothingPrints(t *testing.T) {
	checked := 0
	for _, folder := range quiet {
		err := filepath.WalkDir(filepath.Join("..", folder), func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || strings.HasSuffix(path, "_test.go") || strings.Contains(path, "testdata") {
				return err
			}
			name := filepath.ToSlash(strings.TrimPrefix(path, ".."+string(filepath.Separator)))
			var found []string
			switch filepath.Ext(path) {
			case ".go":
				if base := filepath.Base(path); strings.HasPrefix(base, "gen_") {
					return nil
				}
				found, err = goPrints(path)
			case ".c", ".h":
				var data []byte
				data, err = os.ReadFile(path)
				found = cPrints.FindAllString(string(data), -1)
			default:
				return nil
			}
			checked++
			for _, what := range found {
				if !slices.Contains(mayPrint[name], what) {
					t.Errorf("%s uses %s: return an error, or log by log/slog", name, what)
				}
			}
			return err
		})
		check.NoError(t, err)
	}
	if checked < 100 {
		t.Errorf("only %d files were checked", checked)
	}
}

// goPrints finds what a Go file prints with.
func goPrints(path string) ([]string, error) {
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
	if err != nil {
		return nil, err
	}
	var found []string
	for _, imported := range file.Imports {
		if name, _ := strconv.Unquote(imported.Path.Value); name == "log" {
			found = append(found, `package "log"`)
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			of, _ := n.X.(*ast.Ident)
			if of == nil {
				break
			}
			what := of.Name + "." + n.Sel.Name
			if what == "os.Stdout" || what == "os.Stderr" || strings.HasPrefix(what, "fmt.Print") {
				found = append(found, what)
			}
		case *ast.CallExpr:
			if f, _ := n.Fun.(*ast.Ident); f != nil && f.Obj == nil && (f.Name == "print" || f.Name == "println") {
				found = append(found, fmt.Sprintf("the builtin %s", f.Name))
			}
		}
		return true
	})
	return found, nil
}
