//go:build cgo

package command

import (
	"cmp"
	"context"
	"errors"
	"io"
	"os"

	"github.com/calliope-mlir/calliope/lint"
	"github.com/calliope-mlir/calliope/lint/command/internal/report"
	"github.com/calliope-mlir/calliope/lint/finding"
	"github.com/calliope-mlir/calliope/lint/fix"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo/jaxexport"
)

// checkParts checks the parts of a text one by one, after a worker was lost on all of them. A part on which a worker is
// lost again has the findings of the rules that do not crash. Each part has the time limit of a file.
func (s settings) checkParts(ctx context.Context, d *slot, in input, lost *loss) outcome {
	if in.open == nil { // only the worker has read it
		in.open = func() (io.ReadCloser, error) { return os.Open(string(in.Path)) }
		if problem := s.read(&in); problem != "" {
			return refused(in.Name, problem)
		}
	}
	o := outcome{text: true}
	if in.Fixing.on() {
		o.notes = []string{in.Name + ": not repaired, because a worker was lost on it"}
	}
	parts := in.modules()
	in.Path = nil
	if len(parts) == 1 || jaxexport.Is(in.Data) {
		a, err := s.askOthers(ctx, d, in, lost)
		o.text, o.sum, o.findings, o.err = a.Text, a.Sum, a.Findings, err
		return o
	}
	in.Split, in.part, in.Fixing = false, true, fixing{}
	for _, p := range parts {
		if ctx.Err() != nil {
			break
		}
		in.Data = p.Padded()
		a, err := s.ask(ctx, d, in, s.limit)
		if lost, ok := errors.AsType[*loss](err); ok {
			a, err = s.askOthers(ctx, d, in, lost)
		}
		if err != nil {
			return outcome{err: err}
		}
		for _, f := range a.Findings {
			o.findings = append(o.findings, placed(f, p))
		}
	}
	report.Fingerprints(o.findings)
	return o
}

// repairParts repairs the parts of a text one by one. Those that are not valid stay as they are, and it returns the
// findings about them.
func (in input) repairParts(library *mlir.Library, o fix.Options) (fix.Result, []finding.Finding, error) {
	var all fix.Result
	var bad []finding.Finding
	at := 0
	for _, p := range in.modules() {
		r, err := fix.Apply(library, in.Name, p.Padded(), o)
		if errors.Is(err, fix.ErrInvalid) {
			found, err := lint.Check(library, in.Name, p.Padded(), lint.Options{})
			if err != nil {
				return all, nil, err
			}
			r = fix.Result{Data: p.Padded()}
			if !isExpected(p.Data) {
				bad = append(bad, found...)
			}
		} else if err != nil {
			return all, nil, err
		}
		all.Data = append(all.Data, in.Data[at:p.Start]...)
		all.Data = append(all.Data, p.Unpadded(r.Data)...)
		at = p.Start + len(p.Data)
		all.Changed = all.Changed || r.Changed
		all.Fixed, all.Left = append(all.Fixed, r.Fixed...), append(all.Left, r.Left...)
		all.Unsafe += r.Unsafe
		all.Anew = cmp.Or(all.Anew, r.Anew)
	}
	all.Data = append(all.Data, in.Data[at:]...)
	all.Before, all.After = in.Data, all.Data
	return all, bad, nil
}
