package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/check"
)

// TestFlagsInTexts holds that there is each flag that an error or the usage names.
func TestFlagsInTexts(t *testing.T) {
	name := regexp.MustCompile(`--[a-z][a-z-]*`)
	named := 0
	files := token.NewFileSet()
	for _, entry := range check.Must(os.ReadDir(".")) {
		if !strings.HasSuffix(entry.Name(), ".go") || strings.HasSuffix(entry.Name(), "_test.go") {
			continue
		}
		file, err := parser.ParseFile(files, entry.Name(), nil, 0)
		check.NoError(t, err)
		ast.Inspect(file, func(n ast.Node) bool {
			if text, ok := n.(*ast.BasicLit); ok && text.Kind == token.STRING {
				for _, flag := range name.FindAllString(text.Value, -1) {
					named++
					_, err := parseOptions([]string{flag})
					if err != nil && strings.Contains(err.Error(), "not defined") {
						t.Errorf("%s: there is no flag %s", files.Position(text.Pos()), flag)
					}
				}
			}
			return true
		})
	}
	if named < 50 {
		t.Errorf("only %d flags are named", named)
	}
}

// TestNoForeignFlag holds that MLIR's errors do not tell of flags of other programs.
func TestNoForeignFlag(t *testing.T) {
	got := command{stdin: `module { "mine.op"() : () -> () }`}.run(t, "-")
	got.want(t, exitFailed, "", "with an unregistered dialect")
	if strings.Contains(got.stderr, "allow") {
		t.Errorf("the error is %s", got.stderr)
	}
}
