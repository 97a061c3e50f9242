//go:build cgo

package command

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/calliope-mlir/calliope/lint"
	"github.com/calliope-mlir/calliope/lint/finding"
)

// askOthers asks again for an input on which a worker was lost, without the rules that crash. It returns the findings
// of the others, and one for each crash. All together may take the time limit of a file. The error is one of ask, but
// no *loss.
func (s settings) askOthers(ctx context.Context, d *slot, in input, lost *loss) (answer, error) {
	if lost.crash == nil {
		return refuse(in.Name, "%v", lost), nil
	}
	var crashes []finding.Finding
	crashed := func(l *loss) { crashes = append(crashes, refuse(in.Name, "%v", l).Findings...) }
	repairs := in.Fixing.on()
	in.Traced, in.Fixing = true, fixing{}
	for begun := time.Now(); ; {
		a, err := s.ask(ctx, d, in, s.limit-time.Since(begun))
		again, isLost := errors.AsType[*loss](err)
		switch {
		case isLost:
			crashed(again)
			if !slices.Contains(in.Rules, again.rule) {
				return answer{Findings: crashes}, nil
			}
			in.Rules = slices.DeleteFunc(slices.Clone(in.Rules), func(rule string) bool { return rule == again.rule })
			continue
		case err != nil:
			return answer{}, err
		case repairs && crashes == nil: // the repair was the cause
			crashed(lost)
		}
		a.Findings = append(crashes, a.Findings...)
		return a, nil
	}
}

// traced returns the rules, which now tell the command that they begin and that they have ended.
func (w *worker) traced() (all []*lint.Analyzer) {
	tell := func(rule string) { _ = w.answers.Encode(answer{Rule: &rule}) } // fails if the command has ended
	own := OwnRules()
	for _, a := range w.analyzers {
		if !slices.Contains(own, a) {
			run, traced := a.Run, *a
			traced.Run = func(p *lint.Pass) error {
				tell(traced.Name)
				defer tell("")
				return run(p)
			}
			a = &traced
		}
		all = append(all, a)
	}
	return all
}
