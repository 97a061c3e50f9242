package stages

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
)

// A loopCost is what one iteration of a loop that is cut makes, without the loops in it. Of branches, it has the most of
// each.
type loopCost struct {
	callbacks  []string // also of the loops in it
	executions int
	calls      int
	bytes      int // that the calls move
}

// explainLoops writes a table of the loops that are cut.
func (p *Plan) explainLoops(text io.Writer, w *tabwriter.Writer) {
	var list []loopCost
	p.main.cost(&list)
	if len(list) == 0 {
		return
	}
	r := ratesOf(p.devices[0])
	fmt.Fprintln(text)
	fmt.Fprintln(w, "loop around\tstages of an iteration\tcalls\tbytes\tcost of the cuts, about")
	for _, c := range list {
		fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%v\n", strings.Join(c.callbacks, ", "), c.executions, c.calls, c.bytes, (time.Duration(c.executions)*r.execution + duration(c.bytes, r.crossing)).Round(time.Microsecond))
	}
	_ = w.Flush()
}

// cost returns the cost of an execution of a body, and adds those of the loops in it to the list, outer ones first.
func (b *body) cost(list *[]loopCost) (c loopCost) {
	for _, s := range b.steps {
		switch s := s.(type) {
		case *stageStep:
			c.executions++
		case *callStep:
			in, out := s.callback.Bytes()
			c.add(loopCost{[]string{s.callback.Name}, 0, 1, in + out})
		case *branchStep:
			var most loopCost
			for _, inner := range s.bodies {
				one := inner.cost(list)
				most.executions, most.calls, most.bytes = max(most.executions, one.executions), max(most.calls, one.calls), max(most.bytes, one.bytes)
				most.callbacks = append(most.callbacks, one.callbacks...)
			}
			c.add(most)
		case *loopStep:
			at := len(*list)
			*list = append(*list, loopCost{})
			one := s.cond.cost(list)
			one.add(s.body.cost(list))
			(*list)[at] = one
			c.add(loopCost{callbacks: one.callbacks})
		}
	}
	return c
}

func (c *loopCost) add(o loopCost) {
	c.executions, c.calls, c.bytes = c.executions+o.executions, c.calls+o.calls, c.bytes+o.bytes
	for _, name := range o.callbacks {
		if !slices.Contains(c.callbacks, name) {
			c.callbacks = append(c.callbacks, name)
		}
	}
}
