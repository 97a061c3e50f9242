package lint_test

import (
	"errors"
	"regexp"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/calliope-mlir/calliope/internal/check"
	"github.com/calliope-mlir/calliope/internal/mlirtest"
	"github.com/calliope-mlir/calliope/lint"
	"github.com/calliope-mlir/calliope/mlir"
)

func TestMain(m *testing.M) { mlirtest.Main(m) }

// The failure of a rule is reported, and does not hide the findings of others.
func TestCheckFailures(t *testing.T) {
	report := func(p *lint.Pass) error {
		for op := range p.Operations("func.func") {
			p.Report(op, mlir.SeverityNote, "a function")
		}
		return nil
	}
	var got []string
	folder := regexp.MustCompile(`at \S*/`)
	for _, d := range check.Must(
		lint.Check(mlirtest.Library(t), "f", []byte("\nfunc.func @f() { return }"), []*lint.Analyzer{
			{Name: "panics", Doc: "d", Run: func(*lint.Pass) error { panic("out of luck") }},
			{Name: "fails", Doc: "d", Run: func(*lint.Pass) error { return errors.New("no idea") }},
			{Name: "reports", Doc: "d", Run: report},
		})) {
		got = append(got, folder.ReplaceAllString(d.String(), "at "))
	}
	want := []string{
		"f:1:1: error: the rule panics failed on this module: panic at lint_test.go:30: out of luck [invalid]",
		"f:1:1: error: the rule fails failed on this module: no idea [invalid]",
		"f:2:1: note: a function [reports]",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A finding has the number of its operation, and the repair that the rule reports.
func TestReportFix(t *testing.T) {
	fix := lint.Fix{Message: "drop it", Erase: true}
	rule := &lint.Analyzer{Name: "r", Doc: "d", Run: func(p *lint.Pass) error {
		if !p.Strict || len(p.KnownTargets) != 1 {
			t.Errorf("the options are %v, %q", p.Strict, p.KnownTargets)
		}
		for op := range p.Operations("func.return") {
			p.ReportFix(op, mlir.SeverityWarning, fix, "a return")
			p.Report(op.Parent(), mlir.SeverityNote, "its function")
		}
		return nil
	}}
	got := check.Must(lint.CheckWith(mlirtest.Library(t), "f", []byte("func.func @f() {\n  return\n}"), lint.Options{
		Analyzers: []*lint.Analyzer{rule}, Strict: true, KnownTargets: []string{"mine"},
	}))
	want := []lint.Diagnostic{
		{File: "f", Line: 1, Column: 1, Severity: mlir.SeverityNote, Message: "its function", Rule: "r", Operation: 2},
		{File: "f", Line: 2, Column: 3, Severity: mlir.SeverityWarning, Message: "a return", Rule: "r", Operation: 3,
			Fix: &fix},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestMentions(t *testing.T) {
	for text, want := range map[string]bool{
		`func.func @f() { return }`:                             false,
		`func.func @f() attributes {a = "the name"} { return }`: true,
		`func.func @f() attributes {a = "\6eame"} { return }`:   true, // an escape
	} {
		rule := &lint.Analyzer{Name: "r", Doc: "d", Run: func(p *lint.Pass) error {
			if got := p.Mentions("other", "name"); got != want {
				t.Errorf("%s: %v", text, got)
			}
			return nil
		}}
		if found := check.Must(lint.Check(mlirtest.Library(t), "f", []byte(text), []*lint.Analyzer{rule})); len(
			found) > 0 {
			t.Error(found)
		}
	}
}

func TestDiagnosticString(t *testing.T) {
	d := lint.Diagnostic{File: "a\nb.mlir", Line: 2, Column: 3, Severity: mlir.SeverityNote,
		Message: "one\ntwo \x1b[31m é \xff", Rule: "r"}
	if diff := cmp.Diff(`a b.mlir:2:3: note: one two \u001b[31m é � [r]`, d.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestValidate(t *testing.T) {
	run := func(*lint.Pass) error { return nil }
	tests := []struct {
		name  string
		rules []*lint.Analyzer
		want  string
	}{
		{"good", []*lint.Analyzer{{Name: "a-1", Doc: "d", Run: run}, {Name: "b", Doc: "d", Run: run}}, ""},
		{"name", []*lint.Analyzer{{Name: "A_b", Doc: "d", Run: run}},
			`the rule name "A_b" does not consist of lower-case words joined by hyphens`},
		{"twice", []*lint.Analyzer{{Name: "a", Doc: "d", Run: run}, {Name: "a", Doc: "d", Run: run}},
			`the rule name "a" is already in use: choose another one`},
		{"reserved", []*lint.Analyzer{{Name: lint.Invalid, Doc: "d", Run: run}},
			`the rule name "invalid" is already in use: choose another one`},
		{"doc", []*lint.Analyzer{{Name: "a", Run: run}}, "the rule a has no Doc: say in one line what it finds"},
		{"run", []*lint.Analyzer{{Name: "a", Doc: "d"}}, "the rule a has no Run function"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := ""
			if err := lint.Validate(test.rules); err != nil {
				got = err.Error()
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
