package finding_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/lint/finding"
)

var whole = finding.Finding{File: "a.mlir", Line: 2, Column: 3, Severity: finding.Note, Message: "m", Rule: "r",
	Related: []finding.Related{finding.Stated("why", "-", 4, 5), {File: "c.py", Line: 6}},
	Fix: &finding.Fix{Message: "fix", Set: map[string]string{"x": "unit"}, Remove: []string{"y"}, Migrate: true,
		Edits: []finding.Edit{{Line: 1, Column: 2, EndLine: 3, EndColumn: 4, Text: "x", Characters: [2]int{5, 6}}}},
	Suppression: &finding.Suppression{}, NoPlace: true, Operation: 7, Context: "c",
	Source: &finding.Source{Text: "t", Column: 4, Character: 5}}

// TestJSON checks that JSON has all of a finding, and a report only what is for others.
func TestJSON(t *testing.T) {
	var got finding.Finding
	check.NoError(t, json.Unmarshal(check.Must(json.Marshal(whole)), &got))
	if diff := cmp.Diff(whole, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	check.Diff(t, "report", `{"file":"a.mlir","line":2,"column":3,"severity":"note","message":"m","rule":"r",`+
		`"related":[{"message":"line 4, column 5 of the text that the module was made from","line":4,"column":5},`+
		`{"file":"c.py","line":6}],"fingerprint":"","fix":{"message":"fix","edits":[{"line":1,"column":2,"endLine":3,`+
		`"endColumn":4,"text":"x"}]},"suppression":{"reason":""}}`, string(check.Must(json.Marshal(whole.Reported()))))
	if whole.Fix.Edits[0].Characters != [2]int{5, 6} {
		t.Error("Reported changed the finding")
	}
}

func TestString(t *testing.T) {
	f := finding.Finding{File: "a\nb.mlir", Line: 2, Column: 3, Severity: finding.Note,
		Message: "one\ntwo \x1b[31m é \xff", Rule: "r"}
	check.Diff(t, "string", `a b.mlir:2:3: note: one two \u001b[31m é � [r]`, f.String())
}
