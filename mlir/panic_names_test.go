package mlir_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
)

// methodName matches a text that names a method, as panics do.
var methodName = regexp.MustCompile(`^([A-Z]\w*\.[A-Z]\w*)( |$)`)

// TestPanicsNameTheirMethod checks that the texts in an exported function which name a method for a panic name the
// function that was called.
func TestPanicsNameTheirMethod(t *testing.T) {
	asked := 0
	for _, path := range check.Must(filepath.Glob("*.go")) {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		files := token.NewFileSet()
		file := check.Must(parser.ParseFile(files, path, nil, parser.SkipObjectResolution))
		for _, d := range file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || !f.Name.IsExported() || f.Recv == nil {
				continue
			}
			receiver := f.Recv.List[0].Type
			if p, ok := receiver.(*ast.StarExpr); ok {
				receiver = p.X
			}
			if i, ok := receiver.(*ast.IndexExpr); ok {
				receiver = i.X
			}
			name := receiver.(*ast.Ident).Name + "." + f.Name.Name
			ast.Inspect(f, func(n ast.Node) bool {
				call, ok := n.(*ast.CallExpr)
				if !ok {
					return true
				}
				for _, a := range call.Args {
					text, ok := a.(*ast.BasicLit)
					if !ok || text.Kind != token.STRING {
						continue
					}
					named := methodName.FindStringSubmatch(check.Must(strconv.Unquote(text.Value)))
					if named == nil {
						continue
					}
					asked++
					if named[1] != name {
						t.Errorf("%s: %s names %s", files.Position(text.Pos()), name, named[1])
					}
				}
				return true
			})
		}
	}
	if asked < 300 {
		t.Errorf("only %d texts were found", asked)
	}
}
