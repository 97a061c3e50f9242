//go:build cgo

package command

import (
	"context"
	"errors"
	"time"

	"github.com/calliope-mlir/calliope/lint/finding"
)

// A workerChecker checks inputs with a worker.
type workerChecker struct {
	settings
	slot
}

func (c *workerChecker) close() { c.clear() }

func (c *workerChecker) check(ctx context.Context, in input) outcome {
	s, d := c.settings, &c.slot
	begun := time.Now()
	if problem := s.prepare(&in); problem != nil {
		return outcome{findings: []finding.Finding{*problem}}
	}
	e := s.cache.entry(in)
	a, known := e.get()
	if !known {
		var err error
		a, err = s.ask(ctx, d, in, s.limit-time.Since(begun))
		lost, isLost := errors.AsType[*loss](err)
		switch {
		case isLost:
			return s.checkParts(ctx, d, in, lost)
		case err != nil:
			return outcome{err: err}
		}
		e.put(a)
	}
	o := outcome{text: a.Text, sum: a.Sum, findings: a.Findings}
	if a.Mended != nil {
		s.finish(in, a.Mended, &o)
	}
	return o
}

// prepare reads an input, unless a worker does, and sets how it is checked. It returns the finding
// to report if the input cannot be checked, or nil.
func (s settings) prepare(in *input) *finding.Finding {
	if problem := s.limits.prepare(in); problem != nil {
		return problem
	}
	in.Max, in.Fixing, in.Sum = s.max, s.fixing, s.sums
	in.Fixing.Levels = in.levels
	if s.engine {
		in.Engine = s.library
	}
	return nil
}
