package movement

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/calliope-mlir/calliope/internal/test/progen"
	"github.com/calliope-mlir/calliope/tensor"
	"github.com/calliope-mlir/calliope/tools/soak/execute"
)

// Options say which programs run, and where.
type Options struct {
	execute.Options
	Engines []execute.Engine
}

// inModule is the number of programs in one module, and shrunk how many findings are made smaller.
const (
	inModule = 16
	shrunk   = 20
)

// A soak is the state of a run.
type soak struct {
	Options
	out io.Writer

	mu     sync.Mutex
	ran    int                 // programs on an engine
	found  map[uint64][]string // the engines on which a program does not do what it should
	shrunk int
}

// Run makes programs, and runs them on one engine after the other, in child processes on all processors. It prints each
// program on which an engine differs, made smaller, and returns an error if there is one.
func Run(ctx context.Context, o Options, out io.Writer) error {
	if err := o.Check(); err != nil {
		return err
	}
	s := &soak{Options: o, out: out, found: map[uint64][]string{}}
	for _, e := range o.Engines {
		start := time.Now()
		s.ran = 0
		err := execute.Lanes(ctx, o.Programs, inModule, func() (func(first, end int) error, func()) {
			r := &runner{execute.Runner{Engine: e}}
			return func(first, end int) error { return s.part(ctx, r, first, end, start) }, r.Close
		})
		s.progress(e, s.ran, start)
		if err != nil {
			return err
		}
	}
	if len(s.found) > 0 {
		return fmt.Errorf("%d programs do not do what they should; the modules are in %s", len(s.found), o.Keep)
	}
	return nil
}

// progress prints how many programs ran on an engine.
func (s *soak) progress(e execute.Engine, ran int, start time.Time) {
	n := 0
	for _, engines := range s.found {
		if slices.Contains(engines, e.Name) {
			n++
		}
	}
	fmt.Fprintf(s.out, "%-14s %d programs of seed %d in %.0f s, %d findings\n", e.Name, ran, s.Seed,
		time.Since(start).Seconds(), n)
}

// part runs the programs of some numbers in one module.
func (s *soak) part(ctx context.Context, r *runner, first, end int, start time.Time) error {
	var list []*trial
	for number := first; number < end; number++ {
		p, err := generate(s.Seed, s.First+uint64(number))
		if err != nil {
			return err
		}
		want, err := p.evaluate()
		if err != nil {
			return err
		}
		list = append(list, &trial{p, want})
	}
	if err := s.try(ctx, r, list); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	before := s.ran / 1000
	if s.ran += len(list); s.ran/1000 > before && s.ran < s.Programs {
		s.progress(r.Engine, s.ran, start)
	}
	return nil
}

// A runner runs programs on an engine.
type runner struct{ execute.Runner }

// A trial is a program and what it should return.
type trial struct {
	*program
	want []array
}

// try runs programs: all in one module, and the halves if not all do what they should.
func (s *soak) try(ctx context.Context, r *runner, list []*trial) error {
	why, err := r.run(ctx, list...)
	switch {
	case err != nil || why == "":
		return err
	case len(list) > 1:
		half := len(list) / 2
		return errors.Join(s.try(ctx, r, list[:half]), s.try(ctx, r, list[half:]))
	}
	return s.report(ctx, r, list[0], why)
}

// run returns why programs in one module do not do what they should, or "".
func (r *runner) run(ctx context.Context, list ...*trial) (why string, err error) {
	var programs []*program
	for _, t := range list {
		programs = append(programs, t.program)
	}
	text, inputs := module(programs...)
	a, crash, err := r.Run(ctx, text, inputs)
	switch {
	case err != nil:
		return "", err
	case crash != "":
		return "crash: " + crash, nil
	case a.Refused != "":
		return "refused: " + a.Refused, nil
	case a.Error != "":
		return "failed: " + a.Error, nil
	}
	for _, t := range list {
		n := min(len(t.want), len(a.Results))
		if why := t.difference(t.want, a.Results[:n]); why != "" {
			return "differs: " + why, nil
		}
		a.Results = a.Results[n:]
	}
	return "", nil
}

// report prints a program that does not do what it should, made smaller if it is the first engine on which it does not.
func (s *soak) report(ctx context.Context, r *runner, t *trial, why string) error {
	s.mu.Lock()
	known := s.found[t.number]
	s.found[t.number] = append(known, r.Name)
	s.shrunk++
	n := s.shrunk
	s.mu.Unlock()
	head := fmt.Sprintf("program %d of seed %d on %s", t.number, s.Seed, r.Name)
	if len(known) > 0 || n > shrunk {
		s.mu.Lock()
		defer s.mu.Unlock()
		fmt.Fprintf(s.out, "%s: %s\n", head, short(why))
		return nil
	}
	small, why, err := shrink(ctx, r, t, why)
	if err != nil {
		return err
	}
	text, inputs := module(small.program)
	s.mu.Lock()
	defer s.mu.Unlock()
	fmt.Fprintf(s.out, "%s: %s\n%s", head, why, text)
	for i, v := range inputs {
		fmt.Fprintf(s.out, "  argument %d: %s\n", i, v)
	}
	fmt.Fprintf(s.out, "  again: go run ./tools/soak movement -seed %d -first %d -programs 1 -engines %s\n", s.Seed,
		t.number, r.Name)
	var wanted []tensor.View
	for _, a := range small.want {
		wanted = append(wanted, a.view())
	}
	name := fmt.Sprintf("%d-%s", t.number, strings.ReplaceAll(r.Name, ":", "-"))
	err = progen.Keep(s.Keep, name, text, inputs, wanted)
	if err != nil {
		fmt.Fprintln(s.out, err)
	}
	return nil
}

// short returns the first line of a reason.
func short(why string) string {
	why, _, _ = strings.Cut(why, "\n")
	return why
}
