package lint_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/lint"
	"github.com/calliope-mlir/calliope/lint/finding"
)

// TestChecker checks modules one after another, and what it found stays the same after the memory of
// the modules was released.
func TestChecker(t *testing.T) {
	library := mlirtest.Library(t)
	returns := &lint.Analyzer{Name: "returns", Doc: "finds func.return", Run: func(p *lint.Pass) error {
		for op := range p.Operations("func.return") {
			p.Report(op, finding.Note, "%s", op.Name())
		}
		return nil
	}}
	o := lint.Options{Analyzers: []*lint.Analyzer{returns}, Context: true}
	var c lint.Checker
	var got, want []string
	for i, text := range []string{
		"func.func @f() { return }",
		"func.func @f() { ",
		"",
		"func.func @g() { return }\nfunc.func @h() { return }",
		strings.Repeat("module {", 3000) + "func.func @deep() { return }" + strings.Repeat("}", 3000),
	} {
		file := fmt.Sprint(i)
		for _, d := range c.Check(library, file, []byte(text), o) {
			got = append(got, fmt.Sprint(d, d.Context))
		}
		for _, d := range check.Must(lint.Check(library, file, []byte(text), o)) {
			want = append(want, fmt.Sprint(d, d.Context))
		}
	}
	c.Close()
	c.Close()
	check.Diff(t, "findings", want, got)
	check.Diff(t, "their number", 5, len(got))
}
