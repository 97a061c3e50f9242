package main

import (
	"fmt"
	"math/rand/v2"
	"time"
)

// turnTime is what a turn takes at least.
const turnTime = 3 * time.Millisecond

// work is something that is done again and again.
type work struct {
	name string
	do   func(n int) error
}

// named is the cost of a work, and that of each turn.
type named struct {
	name string
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
	panic("bench: nothing is called " + name)
}

// over is how many times the least of one the least of another is.
func (list costs) over(a, b string) float64 { return list.of(a).wall / list.of(b).wall }

// overInTurn is the middle of that in each turn: for what depends on which threads are
// awake, so that the least is luck.
func (list costs) overInTurn(a, b string) float64 {
	ratios := make([]float64, len(list.of(a).turns))
	for i, c := range list.of(a).turns {
		ratios[i] = c.wall / list.of(b).turns[i].wall
	}
	return median(ratios)
}

// leastOf is the name of what took least.
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
		if n.cpu > 0 { // JAX does not tell
			r.figure(prefix+n.name+"/cpu", n.cpu, "us", nil)
			r.figure(prefix+n.name+"/allocs", n.allocs, "allocs", nil)
		}
	}
}

// inTurn does all works in turn, so that what else the machine does falls on all of them,
// each time in another order: a work may leave threads awake.
func inTurn(works []work, turns int) (costs, error) {
	counts, all := make([]int, len(works)), make([][]cost, len(works))
	for i, w := range works {
		for counts[i] = 1; ; counts[i] *= 2 { // as many as take long enough
			c, err := meter(func() error { return w.do(counts[i]) })
			if err != nil {
				return nil, fmt.Errorf("%s: %w", w.name, err)
			}
			if c.wall >= micro(turnTime) {
				break
			}
		}
	}
	for range turns {
		for _, i := range rand.Perm(len(works)) {
			w := works[i]
			c, err := meter(func() error { return w.do(counts[i]) })
			if err != nil {
				return nil, fmt.Errorf("%s: %w", w.name, err)
			}
			all[i] = append(all[i], c.each(counts[i], counts[i]))
		}
	}
	var list costs
	for i, w := range works {
		list = append(list, named{w.name, least(all[i]), all[i]})
	}
	return list, nil
}
