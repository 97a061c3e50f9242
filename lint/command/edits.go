//go:build cgo

package command

import (
	"bytes"
	"slices"

	"github.com/calliope-mlir/calliope/lint"
	"github.com/calliope-mlir/calliope/lint/command/internal/report"
	"github.com/calliope-mlir/calliope/lint/finding"
	"github.com/calliope-mlir/calliope/lint/fix"
	"github.com/calliope-mlir/calliope/mlir"
)

// addEdits adds the edits of repairs to the findings of the rules in a module, as far as the input wants them.
func (in input) addEdits(
	findings []finding.Finding, library *mlir.Library, module []byte, analyzers []*lint.Analyzer,
) error {
	wanted := func(f finding.Finding) bool {
		return in.Edits || in.EditsOf != nil && *in.EditsOf == spot{f.Rule, f.Line, f.Column}
	}
	all, err := fix.Edits(library, module, findings, analyzers, wanted)
	if err != nil {
		return err
	}
	var starts lineStarts
	for i, edits := range all {
		if starts == nil && edits != nil {
			starts = startsOf(module)
		}
		for _, e := range edits {
			to := finding.Edit{Text: e.Text}
			to.Line, to.Column = starts.place(e.Start)
			to.EndLine, to.EndColumn = starts.place(e.End)
			findings[i].Fix.Edits = append(findings[i].Fix.Edits, to)
		}
	}
	return nil
}

// lineStarts are the offsets at which the lines of a text start.
type lineStarts []int

// startsOf returns the starts of the lines. The first one is after a byte order mark, as in the
// positions of MLIR.
func startsOf(text []byte) lineStarts {
	starts := lineStarts{len(text) - len(bytes.TrimPrefix(text, []byte(report.ByteOrderMark)))}
	for i, c := range text {
		if c == '\n' {
			starts = append(starts, i+1)
		}
	}
	return starts
}

// place returns the line and the column of an offset, both from 1.
func (s lineStarts) place(offset int) (line, column int) {
	line, isStart := slices.BinarySearch(s, offset)
	if isStart {
		line++
	}
	return line, offset - s[line-1] + 1
}
