package movement

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/calliope-mlir/calliope/internal/test/progen"
	"github.com/calliope-mlir/calliope/native"
	"github.com/calliope-mlir/calliope/tensor"
	"github.com/calliope-mlir/calliope/tools/soak/execute"
)

// Options say which programs run, and where.
type Options struct {
	Programs int
	Seed     uint64
	First    uint64 // the number of the first program
	Engines  []Engine
	Keep     string // the folder that gets the modules and inputs of findings; it is made if there are any
}

// Check returns an error if the options are invalid.
func (o Options) Check() error {
	if o.Programs < 1 || o.Keep == "" || len(o.Engines) == 0 {
		return errors.New("the number of programs must be 1 or more, and -keep needs a folder")
	}
	return nil
}

// An Engine is one that programs run on.
type Engine struct {
	execute.Engine
	Name string
}

// Engines finds engines, with commas between their names: jit, interpreter, and xla and exact with the name of a plugin
// behind a colon. An empty list is all, without the interpreter. XLA compiles modules as they are if unprepared is set.
func Engines(ctx context.Context, names string, unprepared bool) (list []Engine, err error) {
	var all []Engine
	paths := map[string]native.Part{}
	for _, part := range native.Plugins() {
		if !part.Fetchable() && part != native.PJRTPlugin {
			continue
		}
		for name, kind := range map[string]string{"xla": execute.XLA, "exact": execute.Exact} {
			e := Engine{execute.Engine{Kind: kind, Unprepared: unprepared}, name + ":" + string(part)}
			paths[e.Name] = part
			all = append(all, e)
		}
	}
	slices.SortFunc(all, func(a, b Engine) int { return cmp.Compare(a.Name, b.Name) })
	all = append(all, Engine{execute.Engine{Kind: execute.JIT}, "jit"})
	if names != "" {
		all = append(all, Engine{execute.Engine{Kind: execute.Interpreter}, "interpreter"})
		for name := range strings.SplitSeq(names, ",") {
			i := slices.IndexFunc(all, func(e Engine) bool { return e.Name == name })
			if i < 0 {
				return nil, fmt.Errorf("there is no engine %q: take of %s", name, engineNames(all))
			}
			list = append(list, all[i])
		}
		all = list
	}
	for i, e := range all {
		if part, ok := paths[e.Name]; ok {
			found, err := native.Ensure(ctx, part, native.EnsureOptions{})
			if err != nil {
				return nil, err
			}
			all[i].Plugin = found.Path
		}
	}
	return all, nil
}

func engineNames(all []Engine) string {
	var names []string
	for _, e := range all {
		names = append(names, e.Name)
	}
	return strings.Join(names, ", ")
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
		var next uint64
		s.ran = 0
		errs := make([]error, runtime.GOMAXPROCS(0))
		var wait sync.WaitGroup
		for i := range errs {
			wait.Go(func() { errs[i] = s.lane(ctx, e, &next, start) })
		}
		wait.Wait()
		s.progress(e, s.ran, start)
		if err := errors.Join(errs...); err != nil {
			return err
		}
	}
	if len(s.found) > 0 {
		return fmt.Errorf("%d programs do not do what they should; the modules are in %s", len(s.found), o.Keep)
	}
	return nil
}

// progress prints how many programs ran on an engine.
func (s *soak) progress(e Engine, ran int, start time.Time) {
	n := 0
	for _, engines := range s.found {
		if slices.Contains(engines, e.Name) {
			n++
		}
	}
	fmt.Fprintf(s.out, "%-14s %d programs of seed %d in %.0f s, %d findings\n", e.Name, ran, s.Seed,
		time.Since(start).Seconds(), n)
}

// lane runs modules on an engine until there are no more programs.
func (s *soak) lane(ctx context.Context, e Engine, next *uint64, start time.Time) error {
	r := &runner{Runner: execute.Runner{Engine: e.Engine}, name: e.Name}
	defer r.Close()
	for ctx.Err() == nil {
		s.mu.Lock()
		first := *next
		end := min(first+inModule, uint64(s.Programs))
		*next = end
		s.mu.Unlock()
		if first >= end {
			return nil
		}
		var list []*trial
		for number := first; number < end; number++ {
			p, err := generate(s.Seed, s.First+number)
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
		before := s.ran / 1000
		if s.ran += len(list); s.ran/1000 > before && s.ran < s.Programs {
			s.progress(e, s.ran, start)
		}
		s.mu.Unlock()
	}
	return ctx.Err()
}

// A runner runs programs on an engine.
type runner struct {
	execute.Runner
	name string
}

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
	s.found[t.number] = append(known, r.name)
	s.shrunk++
	n := s.shrunk
	s.mu.Unlock()
	head := fmt.Sprintf("program %d of seed %d on %s", t.number, s.Seed, r.name)
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
		t.number, r.name)
	var wanted []tensor.View
	for _, a := range small.want {
		wanted = append(wanted, a.view())
	}
	name := fmt.Sprintf("%d-%s", t.number, strings.ReplaceAll(r.name, ":", "-"))
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
