//go:build cgo

package command

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"
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

// A slot holds the worker of a goroutine, or none.
type slot struct{ *process }

func (d *slot) clear() {
	if d.process != nil {
		d.end()
		d.process = nil
	}
}

// checkOne returns the outcome of an input.
func (s settings) checkOne(ctx context.Context, d *slot, in input) outcome {
	a, err := s.ask(ctx, d, &in)
	if err != nil {
		return outcome{err: err}
	}
	o := outcome{text: a.Text, findings: a.received()}
	if a.Mended != nil {
		s.finish(in, a.Mended, &o)
	}
	return o
}

// ask reads an input if this process reads it, passes it to the worker, and returns the answer. The
// error means that no input can be checked, or that the context ended.
func (s settings) ask(ctx context.Context, d *slot, in *input) (answer, error) {
	if in.problem != "" {
		return refuse(in.Name, "%s", in.problem), nil
	}
	if in.mistake != nil {
		return answer{Findings: []finding{sent(*in.mistake)}}, nil
	}
	begun := time.Now()
	switch err := in.fill(s.max, s.limit); {
	case errors.Is(err, errLate):
		return refuse(in.Name, "reading took longer than %v and was stopped: raise -timeout", s.limit), nil
	case err != nil:
		return refuse(in.Name, "%s", reading(err)), nil
	}
	in.Max, in.Fixing = s.max, s.fixing
	in.Fixing.Levels = in.levels
	if s.engine {
		in.Engine = s.library
	}
	left := s.limit - time.Since(begun)
	for {
		if d.process == nil {
			p, err := s.start(ctx)
			if err != nil {
				return answer{}, err
			}
			d.process = p
		}
		fresh := !d.used
		a, err := d.check(ctx, *in, left)
		if err == nil && a.Needs != "" {
			if err := s.fetch(a.Needs); err != nil {
				return refuse(in.Name, "needs the %s: %v", a.Needs, err), nil
			}
			if a, err = d.check(ctx, *in, left); err == nil && a.Needs != "" {
				return answer{}, fmt.Errorf("the %s was fetched and is not found", a.Needs)
			}
		}
		if err == nil {
			return a, nil
		}
		d.process = nil // it has ended
		if errors.Is(err, errLate) {
			return refuse(in.Name, "reading and checking took longer than %v and was stopped: raise -timeout", s.limit), nil
		}
		if ctx.Err() != nil {
			return answer{}, ctx.Err()
		}
		// An earlier input may have damaged the worker, so try again with a new one.
		if fresh {
			return refuse(in.Name, "the MLIR library crashed on this file (%v): %s", err, reason(err)), nil
		}
	}
}

// reason returns what may be wrong with a file on which a worker crashed.
func reason(crash error) string {
	if strings.HasPrefix(crash.Error(), "SIGFPE") {
		return "an operation may have a size of zero, or an empty list"
	}
	return "it may be nested too deeply"
}

// invalid returns a finding about a whole input.
func invalid(file, format string, args ...any) report.Finding {
	findings := []report.Finding{{File: file, Line: 1, Column: 1, Severity: report.Error, Message: fmt.Sprintf(format, args...), Rule: lint.Invalid}}
	report.Fingerprints(findings, []string{""})
	return findings[0]
}
