package lint_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/lint"
	"github.com/calliope-mlir/calliope/lint/finding"
	"github.com/calliope-mlir/calliope/mlir"
)

// wrongType explains why the library refuses a constant of type i31.
var wrongType = &lint.Analyzer{
	Name: "wrong-type", Doc: "d",
	Relax: &lint.Relaxation{
		Text: func(text []byte, _ *mlir.DiagnosticError) []byte {
			return bytes.ReplaceAll(text, []byte("i31"), []byte("i32"))
		},
		Restore: func(m *mlir.Module) { m.Operation().SetAttribute("t.restored", m.Context().UnitAttribute()) },
	},
	Run: func(p *lint.Pass) error {
		for op := range p.Operations("stablehlo.constant") {
			p.Report(op, finding.Error, "the type is wrong")
		}
		return nil
	},
}

// A rule explains what the library refuses, and its error replaces that of the library.
func TestRelax(t *testing.T) {
	const (
		refused  = "func.func @f() {\n  %0 = \"stablehlo.constant\"() {value = dense<1> : tensor<i32>} : () -> tensor<i31>\n  return\n}"
		hopeless = "func.func @f() {\n  %0 = \"stablehlo.constant\"() {value = dense<1> : tensor<i31>} : () -> tensor<f32>\n  return\n}"
	)
	library := mlirtest.Library(t)
	messages := func(text string, analyzers ...*lint.Analyzer) (list []string) {
		for _, d := range check.Must(lint.Check(library, "f", []byte(text), lint.Options{Analyzers: analyzers})) {
			list = append(list, d.Rule+" "+d.Message)
		}
		return list
	}
	if diff := cmp.Diff([]string{"wrong-type the type is wrong"}, messages(refused, wrongType)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for _, got := range [][]string{messages(refused), messages(hopeless, wrongType)} {
		if len(got) == 0 || !strings.HasPrefix(got[0], finding.Invalid) {
			t.Errorf("the findings are %q, want the library's own", got)
		}
	}

	c := mlirtest.Context(t)
	m, restore, err := lint.Parse(c, []byte(refused), []*lint.Analyzer{wrongType})
	check.NoError(t, err)
	restore(m)
	if _, ok := m.Operation().Attribute("t.restored"); !ok {
		t.Error("restore did not change the module")
	}
	if m, restore, err := lint.Parse(c, []byte("func.func @f() { return }"), []*lint.Analyzer{wrongType}); m == nil ||
		restore != nil || err != nil {
		t.Errorf("a good text: %v, %v", m, err)
	}
	if m, restore, err := lint.Parse(c, []byte(hopeless), []*lint.Analyzer{wrongType}); m != nil || restore != nil ||
		err == nil {
		t.Errorf("a bad text: %v, %v", m, err)
	}
}

// Rules with one key share one result for each module.
func TestShared(t *testing.T) {
	made := 0
	run := func(p *lint.Pass) error {
		if got := lint.Shared(p, "key", func() int { made++; return made }); got != made {
			t.Errorf("the result is %v, want %d", got, made)
		}
		return nil
	}
	analyzers := []*lint.Analyzer{{Name: "a", Doc: "d", Run: run}, {Name: "b", Doc: "d", Run: run}}
	for want := range 2 {
		check.Must(lint.Check(mlirtest.Library(t), "f", []byte("module {}"), lint.Options{Analyzers: analyzers}))
		check.Diff(t, "calls of make", want+1, made)
	}
}
