//go:build cgo

package command

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"sync"
	"time"

	"github.com/calliope-mlir/calliope/lint"
	"github.com/calliope-mlir/calliope/lint/command/internal/report"
)

// An outcome is the result of one input. An error means that no input can be checked.
type outcome struct {
	findings []report.Finding
	text     bool // the input has lines
	err      error

	output []byte   // for standard output
	left   bool     // something is left to repair, or -diff found a difference
	notes  []string // for standard error
}

// refused returns the outcome of an input that cannot be checked.
func refused(file, problem string) outcome {
	return outcome{findings: []report.Finding{invalid(file, "%s", problem)}}
}

// checkAll checks the inputs on several workers and yields the outcomes in the order of the
// inputs. It calls checked after each input. If the caller stops early, the workers end.
func (s settings) checkAll(all []input, checked func()) iter.Seq2[input, outcome] {
	return func(yield func(input, outcome) bool) {
		ctx, stop := context.WithCancel(context.Background())
		outcomes := make([]chan outcome, len(all))
		for i := range outcomes {
			outcomes[i] = make(chan outcome, 1)
		}
		next := make(chan int)
		var busy sync.WaitGroup
		defer func() { stop(); busy.Wait() }()
		busy.Go(func() {
			defer close(next)
			for i := range all {
				select {
				case next <- i:
				case <-ctx.Done():
					return
				}
			}
		})
		for range min(s.workers, len(all)) {
			busy.Go(func() {
				var d slot
				defer d.clear()
				for i := range next {
					outcomes[i] <- s.checkOne(ctx, &d, all[i])
					checked()
				}
			})
		}
		for i, o := range outcomes {
			if !yield(all[i], <-o) {
				return
			}
		}
	}
}

// checkOne checks one input. If ctx ends, its findings are not needed.
func (s settings) checkOne(ctx context.Context, d *slot, in input) outcome {
	begun := time.Now()
	if problem := s.prepare(&in); problem != nil {
		return outcome{findings: []report.Finding{*problem}}
	}
	a, err := s.ask(ctx, d, in, s.limit-time.Since(begun))
	lost, isLost := errors.AsType[*loss](err)
	switch {
	case isLost && in.Split:
		return s.checkParts(ctx, d, in, lost)
	case isLost:
		return refused(in.Name, lost.Error())
	case err != nil:
		return outcome{err: err}
	}
	o := outcome{text: a.Text, findings: a.received()}
	if a.Mended != nil {
		s.finish(in, a.Mended, &o)
	}
	return o
}

// prepare reads an input, unless a worker does, and sets how it is checked. It returns the finding
// to report if the input cannot be checked, or nil.
func (s settings) prepare(in *input) *report.Finding {
	if in.mistake != nil {
		return in.mistake
	}
	problem := in.problem
	if problem == "" {
		problem = s.read(in)
	}
	if problem != "" {
		return &refused(in.Name, problem).findings[0]
	}
	in.Max, in.Fixing = s.max, s.fixing
	in.Fixing.Levels = in.levels
	if s.engine {
		in.Engine = s.library
	}
	return nil
}

// read reads an input that this process reads. It returns why that failed, or "".
func (s settings) read(in *input) string {
	switch err := in.fill(s.max, s.limit); {
	case errors.Is(err, errLate):
		return fmt.Sprintf("reading took longer than %v and was stopped: raise -timeout", s.limit)
	case err != nil:
		return reading(err)
	}
	return ""
}

// invalid returns a finding about a whole input.
func invalid(file, format string, args ...any) report.Finding {
	findings := []report.Finding{{File: file, Line: 1, Column: 1, Severity: report.Error,
		Message: fmt.Sprintf(format, args...), Rule: lint.Invalid}}
	report.Fingerprints(findings)
	return findings[0]
}
