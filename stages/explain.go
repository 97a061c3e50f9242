package stages

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/tensor"
)

// Explain returns tables for people: of the callbacks, with what became of each, the bytes that a call moves, and
// the mean time of its calls so far, if its registration has Options.Measure; of the stages; of the loops that are cut,
// with what an iteration costs; and, if there are several devices, of what crosses between them.
func (p *Plan) Explain() string {
	p.given("Explain")
	var text strings.Builder
	fmt.Fprintf(&text, "%s, on %s\n\n", p.counts(), p.names())
	w := tabwriter.NewWriter(&text, 0, 8, 2, ' ', 0)
	fmt.Fprintln(w, "callback\tform\tinside\tdecision\tbecause\tbytes in\tbytes out\ttime of a call\tplace")
	for _, c := range p.callbacks {
		in, out := c.Bytes()
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%d\t%d\t%s\t%s\n", c.Name, c.Config.Form, or(c.Inside), c.Decision,
			c.Reason, in, out, measured(c), or(c.Loc))
	}
	_ = w.Flush()
	fmt.Fprintln(&text)
	fmt.Fprintln(w, "stage\toperations\tinputs\toutputs\tbytes in\tbytes out\tdevice")
	for _, s := range p.stages {
		fmt.Fprintf(w, "%d\t%d\t%d\t%d\t%d\t%d\t%s\n", s.number, s.Operations, len(s.Inputs), len(s.Outputs),
			bytesOf(s.Inputs), bytesOf(s.Outputs), p.name(s.Device))
	}
	_ = w.Flush()
	p.explainLoops(&text, w)
	if len(p.devices) > 1 {
		fmt.Fprintln(&text)
		fmt.Fprintln(w, "from\tto\tvalues\tbytes")
		for _, m := range p.moves() {
			fmt.Fprintf(w, "%s\t%s\t%d\t%d\n", p.name(m.from), p.name(m.to), m.values, m.bytes)
		}
		_ = w.Flush()
	}
	return text.String()
}

// name returns the name of a device, with its number if there are several.
func (p *Plan) name(device int) string {
	if len(p.devices) == 1 {
		return p.devices[device].String()
	}
	return fmt.Sprintf("%d: %s", device, p.devices[device])
}

func (p *Plan) names() string {
	list := make([]string, len(p.devices))
	for i := range list {
		list[i] = p.name(i)
	}
	text := strings.Join(list, ", ")
	if p.replicas > 1 {
		text += fmt.Sprintf(", as the first of %d replicas", p.replicas)
	}
	return text
}

func or(text string) string {
	if text == "" {
		return "-"
	}
	return text
}

// measured returns the mean time of a callback's calls, or "-" if it is not known.
func measured(c *Callback) string {
	if mean, known := meanTime(callbacks.Stats(), c); known {
		return mean.String()
	}
	return "-"
}

func bytesOf(shapes []tensor.Shape) (n int) {
	for _, s := range shapes {
		n += s.NumBytes()
	}
	return n
}

// DOT returns a picture of the plan in the language of Graphviz: stages as boxes, callbacks as ellipses, and
// what flows between them, bold where it moves from one device to another. Loops and branches are clusters.
func (p *Plan) DOT() string {
	p.given("DOT")
	d := &drawing{plan: p, on: map[string]int{}}
	d.line("digraph plan {")
	d.line("  rankdir=TB; node [fontname=\"sans-serif\", fontsize=11]; edge [fontname=\"sans-serif\", fontsize=9];")
	d.body(p.main, nil, "main")
	d.line("}")
	return d.text.String()
}

type drawing struct {
	plan  *Plan
	on    map[string]int // the devices of the nodes of stages
	text  strings.Builder
	nodes int
}

func (d *drawing) line(format string, args ...any) { fmt.Fprintf(&d.text, format+"\n", args...) }

func (d *drawing) node(label, attributes string) string {
	name := fmt.Sprintf("n%d", d.nodes)
	d.nodes++
	d.line("  %s [label=%q%s];", name, label, attributes)
	return name
}

// body draws a body. captured are the nodes of the values that it captures, or nil for main.
func (d *drawing) body(b *body, captured []string, name string) {
	from := make([]string, len(b.shapes))
	copy(from, captured)
	if b.args > 0 {
		arguments := d.node(name+" takes", ", shape=plaintext")
		for i := range b.args {
			from[b.captures+i] = arguments
		}
	}
	nodes := make([]string, len(b.steps))
	for i, s := range b.steps {
		switch s := s.(type) {
		case *stageStep:
			nodes[i] = d.node(fmt.Sprintf("%s\n%d operations\n%s", s.stage.Name, s.stage.Operations,
				d.plan.name(s.stage.Device)), ", shape=box, style=filled, fillcolor=\"#dbe9f6\"")
			d.on[nodes[i]] = s.stage.Device
		case *callStep:
			nodes[i] = d.node(s.callback.Name, ", style=filled, fillcolor=\"#fde2c4\"")
		case *branchStep:
			nodes[i] = d.node(s.name, ", shape=diamond")
		default:
			nodes[i] = d.node("while", ", shape=diamond")
		}
		for _, v := range s.ends().out {
			from[v] = nodes[i]
		}
	}
	for i, s := range b.steps {
		edges := map[string]int{}
		var order []string
		for _, v := range s.ends().in {
			if from[v] == "" {
				continue // a constant
			}
			if _, ok := edges[from[v]]; !ok {
				order = append(order, from[v])
			}
			edges[from[v]] += b.shapes[v].NumBytes()
		}
		for _, source := range order {
			d.line("  %s -> %s [label=\"%d B\"%s];", source, nodes[i], edges[source], d.moves(source, nodes[i]))
		}
		d.inner(b, s, nodes[i])
	}
	returns := d.node(name+" returns", ", shape=plaintext")
	seen := map[string]bool{}
	for _, v := range b.results {
		if source := from[v]; source != "" && !seen[source] {
			seen[source] = true
			d.line("  %s -> %s;", source, returns)
		}
	}
}

// moves returns the attributes of an edge: between stages on different devices it is bold.
func (d *drawing) moves(from, to string) string {
	a, stage := d.on[from]
	b, other := d.on[to]
	if !stage || !other || a == b {
		return ""
	}
	return ", style=bold"
}

// inner draws the bodies of a step.
func (d *drawing) inner(b *body, s step, around string) {
	draw := func(inner *body, captures int, name string) {
		d.line("  subgraph cluster_%d { label=%q; color=gray;", d.nodes, name)
		captured := make([]string, captures)
		for i := range captured {
			captured[i] = around
		}
		d.body(inner, captured, name)
		d.line("  }")
	}
	switch s := s.(type) {
	case *branchStep:
		for i, inner := range s.bodies {
			draw(inner, len(s.captures[i]), fmt.Sprintf("%s, branch %d", s.name, i))
		}
	case *loopStep:
		draw(s.cond, len(s.condCaptures), "condition")
		draw(s.body, len(s.bodyCaptures), "loop")
	}
}

// counts returns the numbers of stages and callbacks, in words.
func (p *Plan) counts() string {
	plural := func(n int, what string) string {
		if n != 1 {
			what += "s"
		}
		return fmt.Sprintf("%d %s", n, what)
	}
	return plural(len(p.stages), "stage") + " and " + plural(len(p.callbacks), "callback")
}

// A loopCost is what one iteration of a loop that is cut makes, without the loops in it. Of branches, it has the most
// of each.
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
		fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%v\n", strings.Join(c.callbacks, ", "), c.executions, c.calls, c.bytes,
			(time.Duration(c.executions)*r.execution + duration(c.bytes, r.crossing)).Round(time.Microsecond))
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
				most.executions, most.calls, most.bytes = max(most.executions, one.executions),
					max(most.calls, one.calls), max(most.bytes, one.bytes)
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
