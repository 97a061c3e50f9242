//go:build cgo

package command

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/calliope-mlir/calliope/lint"
	"github.com/calliope-mlir/calliope/mlir"
)

// An outcome is the result of one input. An error means that no input can be checked.
type outcome struct {
	diagnostics []lint.Diagnostic
	err         error
}

// checkAll checks the inputs on one worker for each processor and yields the outcomes in the
// order of the inputs. If the caller stops early, the workers end.
func (s settings) checkAll(all []input) iter.Seq[outcome] {
	return func(yield func(outcome) bool) {
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
		for range min(runtime.GOMAXPROCS(0), len(all)) {
			busy.Go(func() {
				var d slot
				defer d.clear()
				for i := range next {
					outcomes[i] <- s.checkOne(&d, all[i])
				}
			})
		}
		for _, o := range outcomes {
			if !yield(<-o) {
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

func (s settings) checkOne(d *slot, in input) outcome {
	if in.problem != "" {
		return outcome{diagnostics: []lint.Diagnostic{invalid(in.Name, "%s", in.problem)}}
	}
	begun := time.Now()
	switch err := in.fill(s.max, s.limit); {
	case errors.Is(err, errLate):
		return outcome{diagnostics: []lint.Diagnostic{invalid(in.Name,
			"reading took longer than %v and was stopped: raise -timeout", s.limit)}}
	case err != nil:
		return outcome{diagnostics: []lint.Diagnostic{invalid(in.Name, "%s", reading(err))}}
	}
	in.Max = s.max
	left := s.limit - time.Since(begun)
	for {
		if d.process == nil {
			p, err := s.start()
			if err != nil {
				return outcome{err: err}
			}
			d.process = p
		}
		fresh := !d.used
		a, err := d.check(in, left)
		if err == nil && a.Needs != "" {
			if err := s.fetch(a.Needs); err != nil {
				return outcome{diagnostics: []lint.Diagnostic{invalid(in.Name, "needs the %s: %v", a.Needs, err)}}
			}
			if a, err = d.check(in, left); err == nil && a.Needs != "" {
				return outcome{err: fmt.Errorf("the %s was fetched and is not found", a.Needs)}
			}
		}
		if err == nil {
			return outcome{diagnostics: a.Diagnostics}
		}
		d.process = nil // it has ended
		if errors.Is(err, errLate) {
			return outcome{diagnostics: []lint.Diagnostic{invalid(in.Name,
				"reading and checking took longer than %v and was stopped: raise -timeout", s.limit)}}
		}
		// An earlier input may have damaged the worker, so try again with a new one.
		if fresh {
			return outcome{diagnostics: []lint.Diagnostic{invalid(in.Name,
				"the MLIR library crashed on this file (%v): %s", err, reason(err))}}
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
func invalid(file, format string, args ...any) lint.Diagnostic {
	return lint.Diagnostic{File: file, Line: 1, Column: 1, Severity: mlir.SeverityError, Message: fmt.Sprintf(format, args...), Rule: lint.Invalid}
}
