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
	"github.com/calliope-mlir/calliope/tools/mlir-lint/internal/report"
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

// failed returns the outcome of an input that cannot be checked.
func failed(file, format string, args ...any) outcome {
	return outcome{findings: []report.Finding{invalid(file, format, args...)}}
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
	if in.problem != "" {
		return failed(in.Name, "%s", in.problem)
	}
	if in.mistake != nil {
		return outcome{findings: []report.Finding{*in.mistake}}
	}
	begun := time.Now()
	if o, ok := s.read(&in); !ok {
		return o
	}
	in.Max, in.Fixing = s.max, s.fixing
	in.Fixing.Levels = in.levels
	if s.engine {
		in.Engine = s.library
	}
	a, err := s.ask(d, in, s.limit-time.Since(begun))
	lost, isLost := errors.AsType[*loss](err)
	switch {
	case isLost && in.Split:
		return s.checkParts(ctx, d, in, lost)
	case isLost:
		return failed(in.Name, "%v", lost)
	case err != nil:
		return outcome{err: err}
	}
	o := outcome{text: a.Text, findings: a.received()}
	if a.Mended != nil {
		s.finish(in, a.Mended, &o)
	}
	return o
}

// read reads an input that this process reads. If that fails, read returns the outcome and false.
func (s settings) read(in *input) (outcome, bool) {
	switch err := in.fill(s.max, s.limit); {
	case errors.Is(err, errLate):
		return failed(in.Name, "reading took longer than %v and was stopped: raise -timeout", s.limit), false
	case err != nil:
		return failed(in.Name, "%s", reading(err)), false
	}
	return outcome{}, true
}

// invalid returns a finding about a whole input.
func invalid(file, format string, args ...any) report.Finding {
	findings := []report.Finding{{File: file, Line: 1, Column: 1, Severity: report.Error, Message: fmt.Sprintf(format, args...), Rule: lint.Invalid}}
	report.Fingerprints(findings)
	return findings[0]
}
