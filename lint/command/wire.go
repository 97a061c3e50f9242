//go:build cgo

package command

import "github.com/calliope-mlir/calliope/lint/command/internal/report"

// A finding is a finding on the way from a worker to the command, with what reports in JSON leave
// out.
type finding struct {
	report.Finding
	NoPlace    bool           `json:",omitempty"`
	Context    string         `json:",omitempty"`
	Source     *report.Source `json:",omitempty"`
	Characters [][2]int       `json:",omitempty"` // of each edit
	Whole      bool           `json:",omitempty"` // the repair
}

func sent(f report.Finding) finding {
	w := finding{Finding: f, NoPlace: f.NoPlace, Context: f.Context, Source: f.Source}
	if f.Fix != nil {
		w.Whole = f.Fix.Whole
		for _, e := range f.Fix.Edits {
			w.Characters = append(w.Characters, e.Characters)
		}
	}
	return w
}

func (w finding) received() report.Finding {
	f := w.Finding
	f.NoPlace, f.Context, f.Source = w.NoPlace, w.Context, w.Source
	if f.Fix != nil {
		f.Fix.Whole = w.Whole
	}
	for i, c := range w.Characters {
		f.Fix.Edits[i].Characters = c
	}
	return f
}
