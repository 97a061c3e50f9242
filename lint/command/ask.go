//go:build cgo

package command

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/calliope-mlir/calliope/internal/host/bounded"
	"github.com/calliope-mlir/calliope/internal/text/lazyregexp"
	"github.com/calliope-mlir/calliope/lint/finding"
)

// A slot holds the worker of a goroutine, or none.
type slot struct{ *process }

// clear ends the worker. It does not wait for that, because the system takes milliseconds to free the memory of a large
// module, and a worker also ends if the command does.
func (d *slot) clear() {
	if d.process != nil {
		go d.End()
		d.process = nil
	}
}

// A loss is the error for an input on which a worker was lost. It says what to do.
type loss struct {
	what   string        // the input: file or part
	limit  time.Duration // if it took longer
	memory bounded.Size  // if it took more
	crash  error         // otherwise, how the worker ended
	rule   string        // in which it crashed, if it said so
}

func (l *loss) Error() string {
	switch {
	case l.limit != 0:
		return fmt.Sprintf("reading and checking took longer than %v and was stopped: raise -timeout", l.limit)
	case l.memory != 0:
		return fmt.Sprintf("reading and checking took more than %v of memory and was stopped: raise -%s", l.memory,
			memoryFlag)
	}
	reason := "it may be nested too deeply, or damaged"
	switch cause := l.crash.Error(); {
	case l.rule != "":
		reason = fmt.Sprintf("the rule %s is the cause, and only its findings are missing", l.rule)
	case strings.HasPrefix(cause, "SIGFPE"):
		reason = "an operation may have a size of zero, or an empty list"
	case outOfMemory().MatchString(cause):
		reason = "a number in it may be too large, or it is damaged"
	}
	return fmt.Sprintf("the MLIR library crashed on this %s (%v): %s", l.what, l.crash, reason)
}

// outOfMemory are the parts of what the library prints if it asks for too much memory.
var outOfMemory = lazyregexp.New(`out of memory|bad_alloc|unable to grow`)

// outOfThreads are the beginnings of what Go's runtime prints if the system starts no thread.
var outOfThreads = lazyregexp.New(`^(runtime/cgo: pthread_create failed|runtime: failed to create new OS thread)`)

// ask sends an input to the worker, which it starts if there is none, and returns the answer. The
// error is a *loss, or that of the context, or one because of which no input can be checked.
func (s settings) ask(ctx context.Context, d *slot, in input, left time.Duration) (answer, error) {
	lost := &loss{what: "file"}
	if in.part {
		lost.what = "part"
	}
	for {
		if d.process == nil {
			p, err := s.start(ctx)
			if err != nil {
				return answer{}, err
			}
			d.process = p
		}
		fresh := !d.used
		a, err := d.check(ctx, in, left)
		if err == nil && a.Needs != "" {
			if err := s.fetch(a.Needs); err != nil {
				return answer{Findings: []finding.Finding{unable(in.Name, "needs the %s: %v", a.Needs, err)}}, nil
			}
			if a, err = d.check(ctx, in, left); err == nil && a.Needs != "" {
				return answer{}, fmt.Errorf("the %s was fetched and is not found", a.Needs)
			}
		}
		if err == nil && a.Problem != "" {
			return answer{}, errors.New(a.Problem)
		}
		if err == nil {
			return a, nil
		}
		rule := d.rule
		d.process = nil // it has ended
		if outOfThreads().MatchString(err.Error()) {
			return answer{},
				fmt.Errorf("a worker ended: %w: raise the limits of address space and processes (ulimit -v, -u)", err)
		}
		if errors.Is(err, errLate) {
			lost.limit = s.limit
			return answer{}, lost
		}
		if ctx.Err() != nil {
			return answer{}, ctx.Err()
		}
		// An earlier input may have damaged the worker, or left memory in use, so try again with a
		// new one.
		if fresh && errors.Is(err, errMemory) {
			lost.memory = s.memory
			return answer{}, lost
		}
		if fresh {
			lost.crash, lost.rule = err, rule
			return answer{}, lost
		}
	}
}
