package command

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/calliope-mlir/calliope/internal/check"
	"github.com/calliope-mlir/calliope/lint/command/internal/report"
)

// TestWire checks that a finding is complete after its way from a worker.
func TestWire(t *testing.T) {
	for _, want := range []report.Finding{
		{File: "f", Line: 2, Column: 3, Severity: report.Note, Message: "m", Rule: "r", Fingerprint: "p", Context: "c"},
		{Source: &report.Source{Text: "t", Column: 4, Character: 5}, Suppression: &report.Suppression{Reason: "why"},
			Fix: &report.Fix{Message: "fix", Whole: true, Edits: []report.Edit{
				{Line: 1, Column: 2, EndLine: 3, EndColumn: 4, Text: "x", Characters: [2]int{5, 6}},
				{Line: 5, Column: 6, EndLine: 7, EndColumn: 8, Text: "y", Characters: [2]int{7, 8}},
			}}},
	} {
		data, err := json.Marshal(sent(want))
		check.NoError(t, err)
		var got finding
		check.NoError(t, json.Unmarshal(data, &got))
		if diff := cmp.Diff(want, got.received()); diff != "" {
			t.Errorf("(-sent +received):\n%s", diff)
		}
	}
}
