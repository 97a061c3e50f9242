package main

import (
	"fmt"
	"math/rand/v2"
	"time"
)

// work is repeated many times in a turn: for at least the time least, and at most the given
// number of times. If nothing is set, the time of zero repetitions is subtracted.
type work struct {
	name    string
	do      func(n int) error
	least   time.Duration
	most    int // 0 means no limit
	lanes   int // goroutines that do it n times each, at the same time; 0 means 1
	nothing bool
}

// turnTime is the shortest time of a turn of a short work.
const turnTime = 3 * time.Millisecond

// countTries is the number of times that a count must take long enough. A single time may
// be due to other load, or to threads and memory that do not exist yet.
const countTries = 3

// count returns how often a work is done in a turn.
func (w *work) count() (int, error) {
	none := cost{}
	if w.nothing {
		for range 2 { // the first warms up
			var err error
			if none, err = meter(func() error { return w.do(0) }); err != nil {
				return 0, err
			}
		}
	}
	for n := 1; ; n *= 2 {
		if w.most > 0 && n >= w.most {
			return w.most, nil
		}
		enough, err := w.enough(n, none)
		if err != nil || enough {
			return n, err
		}
	}
}

// enough reports whether n repetitions take long enough.
func (w *work) enough(n int, none cost) (bool, error) {
	for range countTries {
		c, err := meter(func() error { return w.do(n) })
		if err != nil || c.wall-none.wall < micro(w.least) {
			return false, err
		}
	}
	return true, nil
}

// named returns the cost of a work, and that of each turn. The wall time is that of one
// repetition in its lane; processor time and allocations are those of one repetition
// overall.
type named struct {
	name  string
	lanes int
	cost
	turns []cost
}

type costs []named

func (list costs) of(name string) named {
	for _, n := range list {
		if n.name == name {
			return n
		}
	}
	panic("bench: there is no work named " + name)
}

// over returns the ratio of the least times of two works.
func (list costs) over(a, b string) float64 { return list.of(a).wall / list.of(b).wall }

// overInTurn returns the median of the ratios in each turn. Use it if the times depend on
// which threads are awake, so that the least time is luck.
func (list costs) overInTurn(a, b string) float64 {
	return list.inTurn(func(turn int) float64 { return list.wall(a, turn) / list.wall(b, turn) })
}

// extraInTurn returns the median of the difference of a and b, divided by c.
func (list costs) extraInTurn(a, b, c string) float64 {
	return list.inTurn(func(turn int) float64 {
		return (list.wall(a, turn) - list.wall(b, turn)) / list.wall(c, turn)
	})
}

func (list costs) inTurn(ratio func(turn int) float64) float64 {
	ratios := make([]float64, len(list[0].turns))
	for turn := range ratios {
		ratios[turn] = ratio(turn)
	}
	return median(ratios)
}

func (list costs) wall(name string, turn int) float64 { return list.of(name).turns[turn].wall }

// leastOf returns the name of the fastest work.
func (list costs) leastOf(names ...string) string {
	best := names[0]
	for _, name := range names {
		if list.of(name).wall < list.of(best).wall {
			best = name
		}
	}
	return best
}

// report prints the figures without a budget.
func (list costs) report(r *report, prefix string) {
	for _, n := range list {
		r.figure(prefix+n.name, n.wall, "us", nil)
		if n.lanes == 0 {
			continue // JAX reports nothing else
		}
		if n.lanes > 1 {
			r.figure(prefix+n.name+"/all", float64(n.lanes)*1e6/n.wall, "calls/s", nil)
		}
		r.figure(prefix+n.name+"/cpu", n.cpu, "us", nil)
		r.figure(prefix+n.name+"/allocs", n.allocs, "allocs", nil)
	}
}

// inTurn does all works alternately, so that disturbances affect all of them equally. The
// order changes from turn to turn, because a work may leave threads awake.
func inTurn(works []work, turns int) (costs, error) {
	counts := make([]int, len(works))
	with, none := make([][]cost, len(works)), make([][]cost, len(works))
	for i := range works {
		w := &works[i]
		w.least, w.lanes = max(w.least, turnTime), max(w.lanes, 1)
		var err error
		if counts[i], err = w.count(); err != nil {
			return nil, fmt.Errorf("%s: %w", w.name, err)
		}
	}
	for range turns {
		for _, i := range rand.Perm(len(works)) {
			w := works[i]
			c, err := meter(func() error { return w.do(counts[i]) })
			if err != nil {
				return nil, fmt.Errorf("%s: %w", w.name, err)
			}
			with[i] = append(with[i], c)
			if !w.nothing {
				continue
			}
			if c, err = meter(func() error { return w.do(0) }); err != nil {
				return nil, fmt.Errorf("%s: %w", w.name, err)
			}
			none[i] = append(none[i], c)
		}
	}
	list := make(costs, len(works))
	for i, w := range works {
		base := cost{}
		if w.nothing {
			base = least(none[i])
		}
		each := func(c cost) cost { return c.minus(base).each(counts[i], counts[i]*w.lanes) }
		list[i] = named{name: w.name, lanes: w.lanes, cost: each(least(with[i]))}
		for _, c := range with[i] {
			list[i].turns = append(list[i].turns, each(c))
		}
	}
	return list, nil
}

// inTurn makes Python do the works, each given by a name and a size, and returns the least
// time of each.
func (p *child) inTurn(turns int, works ...string) (costs, error) {
	var list costs
	for _, w := range works {
		n := named{name: "jax-" + w}
		for range turns {
			us, err := p.measure(w)
			if err != nil {
				return nil, err
			}
			n.turns = append(n.turns, cost{wall: us})
		}
		n.cost = least(n.turns)
		list = append(list, n)
	}
	return list, nil
}
