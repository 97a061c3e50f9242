package operations

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"runtime"
	"sync"

	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/tools/soak/execute"
)

// SweepOptions say which programs Sweep makes, and where it runs them.
type SweepOptions struct {
	Each    int // programs for each operation and element type
	Chain   int // make programs of so many operations, one on the result of the other, of each type instead
	Seed    uint64
	Engines []execute.Engine
	// Only has the operations; it is all of them if it is empty.
	Only []string
}

// Sweep makes programs of each operation on every element type that it takes, in no random order, and runs them on
// engines in child processes. It prints each that ends the process or takes too long, and returns an error if one does.
// An engine may refuse a program.
func Sweep(ctx context.Context, o SweepOptions, out io.Writer) error {
	l, err := mlir.Open(mlir.OpenOptions{})
	if err != nil {
		return err
	}
	list, err := sweep(l, o)
	if err != nil {
		return err
	}
	s := &sweeper{out: out, list: list}
	for _, e := range o.Engines {
		s.next, s.refused, s.crashed = 0, 0, 0
		errs := make([]error, runtime.GOMAXPROCS(0))
		var wait sync.WaitGroup
		for i := range errs {
			wait.Go(func() { errs[i] = s.lane(ctx, e) })
		}
		wait.Wait()
		if err := errors.Join(errs...); err != nil {
			return err
		}
		fmt.Fprintf(out, "%s %s: %d programs, %d are refused, %d end the process\n", e.Kind, e.Plugin, len(list),
			s.refused, s.crashed)
		s.total += s.crashed
	}
	if s.total > 0 {
		return fmt.Errorf("%d programs end the process", s.total)
	}
	return nil
}

// sweep returns the valid programs of each operation and element type.
func sweep(l *mlir.Library, o SweepOptions) (list []*program, err error) {
	c, err := quantContext(l)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	add := func(p *program) {
		p.seed, p.number = o.Seed, uint64(len(list))
		p.rename(p.number)
		list = append(list, p)
	}
	if o.Chain > 0 {
		for i, e := range elements {
			g := &generator{Rand: rand.New(rand.NewPCG(o.Seed, uint64(i)))}
			for try, n := 0, 0; try < 30*o.Each && n < o.Each; try++ {
				if p := g.chain(e, o.Chain); verify(c, p) == nil {
					add(p)
					n++
				}
			}
		}
		return list, nil
	}
	only := map[string]bool{}
	for _, name := range o.Only {
		only[name] = true
	}
	for at, op := range drawn {
		if len(only) > 0 && !only[op.name] {
			continue
		}
		for i, e := range elements {
			if op.takes != "" && !e.is(op.takes) {
				continue
			}
			g := &generator{Rand: rand.New(rand.NewPCG(o.Seed, uint64(at)<<16|uint64(i)))}
			for try, n := 0, 0; try < 30*o.Each && n < o.Each; try++ {
				p, ok := g.attempt(op, &e, nil, false)
				if !ok || verify(c, p) != nil {
					continue
				}
				add(p)
				n++
			}
		}
	}
	return list, nil
}

// A sweeper is the state of a sweep.
type sweeper struct {
	out  io.Writer
	list []*program

	mu                            sync.Mutex
	next, refused, crashed, total int
}

// lane runs modules on an engine until there are no more programs.
func (s *sweeper) lane(ctx context.Context, e execute.Engine) error {
	r := &execute.Runner{Engine: e}
	defer r.Close()
	for ctx.Err() == nil {
		s.mu.Lock()
		first := s.next
		s.next = min(first+inModule, len(s.list))
		end := s.next
		s.mu.Unlock()
		if first == end {
			return nil
		}
		if err := s.try(ctx, r, append([]*program{}, s.list[first:end]...)); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// try runs programs in one module, and parts of them if it is refused or ends the process.
func (s *sweeper) try(ctx context.Context, r *execute.Runner, list []*program) error {
	k := packed(list...)
	a, crash, err := r.Run(ctx, k.text, k.sets[:min(1, len(k.sets))]...)
	if err != nil || crash == "" && a.Refused == "" && a.Error == "" {
		return err
	}
	if len(list) > 1 {
		middle := len(list) / 2
		if i := k.place(a.Refused); crash == "" && i >= 0 {
			list[0], list[i] = list[i], list[0]
			middle = 1
		}
		return errors.Join(s.try(ctx, r, list[:middle]), s.try(ctx, r, list[middle:]))
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if crash == "" {
		s.refused++
		return nil
	}
	s.crashed++
	fmt.Fprintf(s.out, "%s %s: %s ends the process: %s\n%s", r.Kind, r.Plugin, list[0], crash, k.text)
	if len(k.sets) > 0 {
		for i, v := range k.sets[0] {
			fmt.Fprintf(s.out, "  input %d: %s\n", i, v)
		}
	}
	return nil
}
