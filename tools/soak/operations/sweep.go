package operations

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"sync"

	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/tensor"
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
	s := &sweeper{out: out}
	for _, e := range o.Engines {
		s.refused, s.crashed = 0, 0
		err := execute.Lanes(ctx, len(list), inModule, func() (func(first, end int) error, func()) {
			r := &execute.Runner{Engine: e}
			return func(first, end int) error { return s.try(ctx, r, slices.Clone(list[first:end])) }, r.Close
		})
		if err != nil {
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
	add := func(r *rand.Rand, make func(g *generator) (*program, bool)) {
		g := &generator{Rand: r}
		for try, n := 0, 0; try < 30*o.Each && n < o.Each; try++ {
			p, ok := make(g)
			if !ok || verify(c, p) != nil {
				continue
			}
			p.seed, p.number = o.Seed, uint64(len(list))
			p.rename(p.number)
			list = append(list, p)
			n++
		}
	}
	if o.Chain > 0 {
		for i, e := range elements {
			add(rand.New(rand.NewPCG(o.Seed, uint64(i))), func(g *generator) (*program, bool) {
				return g.chain(e, o.Chain), true
			})
		}
		return list, nil
	}
	for at, op := range drawn {
		if len(o.Only) > 0 && !slices.Contains(o.Only, op.name) {
			continue
		}
		for i, e := range elements {
			if op.takes == "" || e.is(op.takes) {
				add(rand.New(rand.NewPCG(o.Seed, uint64(at)<<16|uint64(i))), func(g *generator) (*program, bool) {
					return g.attempt(op, &e, nil, false)
				})
			}
		}
	}
	return list, nil
}

// A sweeper is the state of a sweep.
type sweeper struct {
	out io.Writer

	mu                      sync.Mutex
	refused, crashed, total int
}

// try runs programs with their first arguments.
func (s *sweeper) try(ctx context.Context, r *execute.Runner, list []*program) error {
	return each(ctx, r, list, 1, func(list []*program, a execute.Answer, crash string) error {
		s.mu.Lock()
		defer s.mu.Unlock()
		if crash == "" {
			if a.Refused+a.Error != "" {
				s.refused++
			}
			return nil
		}
		s.crashed++
		k := packed(list[0])
		fmt.Fprintf(s.out, "%s %s: %s ends the process: %s\n%s", r.Kind, r.Plugin, list[0], crash, k.text)
		if len(k.sets) > 0 {
			printInputs(s.out, k.sets[0])
		}
		return nil
	})
}

// printInputs prints arguments.
func printInputs(out io.Writer, list []tensor.View) {
	for i, v := range list {
		fmt.Fprintf(out, "  input %d: %s\n", i, v)
	}
}
