package stages

import (
	"slices"

	"github.com/calliope-mlir/calliope/stages/internal/set"
)

// A move is what crosses from one device to another, in one execution of each of the bodies that the program has.
type move struct {
	from, to int // indexes of Options.Devices
	values   int
	bytes    int
}

// moves returns what crosses between devices, by from and to.
func (p *Plan) moves() []move {
	t := &tracker{plan: p, sums: map[[2]int]*move{}}
	t.body(p.main, make([]set.Set, p.main.args))
	var list []move
	for _, m := range t.sums {
		list = append(list, *m)
	}
	slices.SortFunc(list, func(a, b move) int { return (a.from-b.from)*len(p.devices) + a.to - b.to })
	return list
}

// A tracker finds the devices on which values are.
type tracker struct {
	plan *Plan
	sums map[[2]int]*move
}

// body follows the values of a body from where those from outside are. It returns where its results are. A value
// without a device is on the host.
func (t *tracker) body(b *body, outside []set.Set) []set.Set {
	at := make([]set.Set, len(b.shapes))
	copy(at, outside)
	moved := map[[2]int]bool{} // value, device
	for _, i := range b.order() {
		step := b.steps[i]
		out := make([]set.Set, len(step.ends().out))
		switch s := step.(type) {
		case *stageStep:
			to := s.stage.Device
			for _, v := range s.in {
				if at[v].First() >= 0 && !at[v].Has(to) && !moved[[2]int{v, to}] {
					moved[[2]int{v, to}] = true
					t.add(at[v].First(), to, b.shapes[v].NumBytes())
				}
			}
			for k := range out {
				out[k] = set.Set(nil).With(to)
			}
		case *branchStep:
			for i, inner := range s.bodies {
				for k, from := range t.body(inner, pick(at, s.captures[i])) {
					out[k] = out[k].Union(from)
				}
			}
		case *loopStep:
			state := pick(at, s.init)
			t.body(s.cond, slices.Concat(pick(at, s.condCaptures), state))
			out = t.body(s.body, slices.Concat(pick(at, s.bodyCaptures), state))
		}
		for k, v := range step.ends().out {
			at[v] = out[k]
		}
	}
	return pick(at, b.results)
}

func pick(at []set.Set, values []int) []set.Set {
	list := make([]set.Set, len(values))
	for i, v := range values {
		list[i] = at[v]
	}
	return list
}

func (t *tracker) add(from, to, bytes int) {
	m := t.sums[[2]int{from, to}]
	if m == nil {
		m = &move{from: from, to: to}
		t.sums[[2]int{from, to}] = m
	}
	m.values++
	m.bytes += bytes
}

// order returns the steps so that each comes after those that it waits for.
func (b *body) order() []int {
	missing := slices.Clone(b.missing)
	var list []int
	for i, n := range missing {
		if n == 0 {
			list = append(list, i)
		}
	}
	for i := 0; i < len(list); i++ {
		for _, v := range b.steps[list[i]].ends().out {
			for _, j := range b.waiting[v] {
				if missing[j]--; missing[j] == 0 {
					list = append(list, j)
				}
			}
		}
	}
	return list
}
