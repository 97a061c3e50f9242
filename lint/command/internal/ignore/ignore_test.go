package ignore

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/calliope-mlir/calliope/lint/finding"
)

var known = []string{"outfeed", "infeed", "after-all"}

func TestParse(t *testing.T) {
	for _, test := range []struct {
		text    string
		want    Directive
		problem string
	}{
		{"outfeed it is a test", Directive{[]string{"outfeed"}, "it is a test"}, ""},
		{" outfeed,infeed: why ", Directive{[]string{"outfeed"}, "why"},
			`there is no rule "infeed:", did you mean "infeed", so nothing is ignored`},
		{"outfeed , infeed,\tafter-all why, not", Directive{[]string{"outfeed", "infeed", "after-all"}, "why, not"},
			""},
		{"outfeed,outfeed why", Directive{[]string{"outfeed"}, "why"}, ""},
		{"", Directive{}, `an ignore has no rule: write "mlir-lint:ignore rule reason"`},
		{"outfeed,", Directive{Rules: []string{"outfeed"}},
			`an ignore has no rule: write "mlir-lint:ignore rule reason"`},
		{"outfeed", Directive{Rules: []string{"outfeed"}},
			"the ignore of outfeed has no reason: write it after the rule"},
		{"outfed why", Directive{Reason: "why"},
			`there is no rule "outfed", did you mean "outfeed", so nothing is ignored`},
		{"x,infeed why", Directive{[]string{"infeed"}, "why"}, `there is no rule "x", so nothing is ignored`},
		{"ignore why", Directive{Reason: "why"}, "findings of ignore cannot be ignored"},
	} {
		got, err := Parse(test.text, known)
		problem := ""
		if err != nil {
			problem = err.Error()
		}
		if diff := cmp.Diff(test.want, got); diff != "" || problem != test.problem {
			t.Errorf("%q: %s (-want +got):\n%s", test.text, problem, diff)
		}
	}
}

func TestComments(t *testing.T) {
	text := strings.Join([]string{
		`// mlir-lint:ignore outfeed the line below`,                          // 1
		`// another comment`,                                                  // 2
		`  "a.b"() {x = "// mlir-lint:ignore infeed in a string"} : () -> ()`, // 3
		`  "a.b"() {x = "\"//"} : () -> () // mlir-lint:ignore infeed here`,   // 4
		"  //mlir-lint:ignore infeed  CRLF \r",                                // 5
		`  x // see mlir-lint:ignore in the manual`,                           // 6
		`  y // mlir-lint:ignored x`,                                          // 7
		`// mlir-lint:ignore`,                                                 // 8
		`// mlir-lint:ignore outfeed,infeed at the end`,                       // 9
	}, "\n")
	want := []Comment{
		{Directive{[]string{"outfeed"}, "the line below"}, 1, 1, 3, ""},
		{Directive{[]string{"infeed"}, "here"}, 4, 35, 4, ""},
		{Directive{[]string{"infeed"}, "CRLF"}, 5, 3, 6, ""},
		{Directive{}, 7, 5, 7, `there is no comment "mlir-lint:ignored", did you mean "ignore": write "mlir-lint:ignore rule reason"`},
		{Directive{}, 8, 1, 10, `an ignore has no rule: write "mlir-lint:ignore rule reason"`},
		{Directive{[]string{"outfeed", "infeed"}, "at the end"}, 9, 1, 10, ""},
	}
	if diff := cmp.Diff(want, Comments([]byte(text), known)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := Comments([]byte("x\n"), known); got != nil {
		t.Errorf("got %v", got)
	}
}

// TestManyComments checks that many comments in a row do not take quadratic time.
func TestManyComments(t *testing.T) {
	const n = 100_000
	comments := Comments([]byte(strings.Repeat("// mlir-lint:ignore outfeed why\n", n)), known)
	if len(comments) != n || comments[0].Target != n+1 || comments[n-1].Target != n+1 {
		t.Errorf("%d comments, the first is for line %d, the last for line %d", len(comments), comments[0].Target,
			comments[n-1].Target)
	}
}

func TestApply(t *testing.T) {
	findings := []finding.Finding{
		{Line: 3, Rule: "outfeed"}, {Line: 3, Rule: "infeed"}, {Line: 4, Rule: "outfeed"}, {Line: 3, Rule: "outfeed"},
	}
	comments := []Comment{
		{Directive: Directive{[]string{"outfeed"}, "why"}, Line: 2, Column: 5, Target: 3},
		{Directive: Directive{[]string{"infeed", "after-all"}, "no"}, Line: 4, Column: 1, Target: 4},
		{Line: 9, Column: 1, Target: 9, Problem: "a problem"},
	}
	about := Apply("f", findings, comments, func(rule string) bool { return rule != "after-all" })
	why := &finding.Suppression{Reason: "why"}
	if diff := cmp.Diff([]finding.Finding{
		{Line: 3, Rule: "outfeed", Suppression: why}, {Line: 3, Rule: "infeed"}, {Line: 4, Rule: "outfeed"},
		{Line: 3, Rule: "outfeed", Suppression: why},
	}, findings); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]finding.Finding{
		{File: "f", Line: 4, Column: 1, Severity: finding.Warning,
			Message: "the ignore of infeed has no effect: remove it", Rule: Rule},
		{File: "f", Line: 9, Column: 1, Severity: finding.Warning, Message: "a problem", Rule: Rule},
	}, about); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func FuzzComments(f *testing.F) {
	f.Add([]byte("// mlir-lint:ignore outfeed why\nx // mlir-lint:x"))
	f.Fuzz(func(t *testing.T, text []byte) {
		lines := strings.Count(string(text), "\n") + 1
		for _, c := range Comments(text, known) {
			if c.Line < 1 || c.Line > lines || c.Column < 1 || c.Target < c.Line {
				t.Fatalf("%+v in %d lines", c, lines)
			}
		}
	})
}
