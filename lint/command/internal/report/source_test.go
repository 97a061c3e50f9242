package report

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/calliope-mlir/calliope/lint/finding"
)

func TestAddSources(t *testing.T) {
	long := strings.Repeat("é", 300) + "x" + strings.Repeat("y", 1000)
	text := ByteOrderMark + "first\r\nöñ second\n" + long + "\nlast \xff"
	findings := []finding.Finding{
		{Line: 1, Column: 2},
		{Line: 2, Column: 6, Fix: &finding.Fix{Edits: []finding.Edit{{Line: 2, Column: 3, EndLine: 4, EndColumn: 8}}}},
		{Line: 3, Column: 601},
		{Line: 4, Column: 99},
		{Line: 5, Column: 1},
	}
	AddSources([]byte(text), findings)
	want := []*finding.Source{
		{Text: "first", Column: 2, Character: 2},
		{Text: "öñ second", Column: 6, Character: 4},
		{Text: strings.Repeat("é", 100) + "x" + strings.Repeat("y", 399), Column: 201, Character: 301},
		{Text: "last ?", Column: 7, Character: 7},
		nil,
	}
	var got []*finding.Source
	for _, f := range findings {
		got = append(got, f.Source)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([2]int{2, 8}, findings[1].Fix.Edits[0].Characters); diff != "" {
		t.Errorf("the edit (-want +got):\n%s", diff)
	}
}
