package lint_test

import (
	"errors"
	"regexp"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/lint"
	"github.com/calliope-mlir/calliope/lint/finding"
)

func TestMain(m *testing.M) { mlirtest.Main(m) }

// The failure of a rule is reported, and does not hide the findings of others.
func TestCheckFailures(t *testing.T) {
	report := func(p *lint.Pass) error {
		for op := range p.Operations("func.func") {
			p.Report(op, finding.Note, "a function")
		}
		return nil
	}
	var got []string
	folder := regexp.MustCompile(`at \S*/`)
	o := lint.Options{Analyzers: []*lint.Analyzer{
		{Name: "panics", Doc: "d", Run: func(*lint.Pass) error { panic("out of luck") }},
		{Name: "fails", Doc: "d", Run: func(*lint.Pass) error { return errors.New("no idea") }},
		{Name: "reports", Doc: "d", Run: report},
	}}
	for _, d := range check.Must(lint.Check(mlirtest.Library(t), "f", []byte("\nfunc.func @f() { return }"), o)) {
		got = append(got, folder.ReplaceAllString(d.String(), "at "))
	}
	want := []string{
		"f:1:1: error: the rule panics failed on this module: panic at lint_test.go:29: out of luck [invalid]",
		"f:1:1: error: the rule fails failed on this module: no idea [invalid]",
		"f:2:1: note: a function [reports]",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A finding has the number of its operation, and the repair that the rule reports.
func TestReportFix(t *testing.T) {
	fix := finding.Fix{Message: "drop it", Erase: true}
	rule := &lint.Analyzer{Name: "r", Doc: "d", Run: func(p *lint.Pass) error {
		if !p.Strict || len(p.KnownTargets) != 1 {
			t.Errorf("the options are %v, %q", p.Strict, p.KnownTargets)
		}
		for op := range p.Operations("func.return") {
			p.ReportFix(op, finding.Warning, fix, "a return")
			p.Report(op.Parent(), finding.Note, "its function")
		}
		return nil
	}}
	got := check.Must(lint.Check(mlirtest.Library(t), "f", []byte("func.func @f() {\n  return\n}"), lint.Options{
		Analyzers: []*lint.Analyzer{rule}, Strict: true, KnownTargets: []string{"mine"},
	}))
	want := []finding.Finding{
		{File: "f", Line: 1, Column: 1, Severity: finding.Note, Message: "its function", Rule: "r", Operation: 2},
		{File: "f", Line: 2, Column: 3, Severity: finding.Warning, Message: "a return", Rule: "r", Operation: 3,
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
		o := lint.Options{Analyzers: []*lint.Analyzer{rule}}
		if found := check.Must(lint.Check(mlirtest.Library(t), "f", []byte(text), o)); len(found) > 0 {
			t.Error(found)
		}
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
		{"reserved", []*lint.Analyzer{{Name: finding.Invalid, Doc: "d", Run: run}},
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
