package stages

import (
	"fmt"

	"github.com/calliope-mlir/calliope/stages/internal/picture"
)

// SVG returns a picture of the plan: stages are blue and callbacks orange, and the edges have the
// bytes that flow between them in one execution of their body. A dashed edge goes from one device to another. Loops
// and branches are in frames.
func (p *Plan) SVG() string {
	p.given("SVG")
	return picture.SVG(p.counts(), p.frame("", p.main, "parameters", "results"))
}

// frame makes the picture of a body. takes and returns are the names of its ends.
func (p *Plan) frame(title string, b *body, takes, returns string) *picture.Frame {
	f := &picture.Frame{Title: title}
	from := make([]*picture.Box, len(b.shapes)) // by value; nil for constants
	device := map[*picture.Box]int{}            // of stages
	if n := b.captures + b.args; n > 0 {
		start := f.Box("end", takes)
		for v := range n {
			from[v] = start
		}
	}
	steps := make([]*picture.Box, len(b.steps))
	for i, s := range b.steps {
		switch s := s.(type) {
		case *stageStep:
			steps[i] = f.Box("stage", p.about(s.stage)...)
			device[steps[i]] = s.stage.Device
		case *callStep:
			steps[i] = f.Box("callback", short(s.callback.Name))
		case *branchStep:
			steps[i] = f.Box("control", s.name)
			for k, inner := range s.bodies {
				steps[i].Inner = append(steps[i].Inner, p.frame(fmt.Sprintf("branch %d", k), inner, "takes", "returns"))
			}
		case *loopStep:
			steps[i] = f.Box("control", "while")
			steps[i].Inner = []*picture.Frame{p.frame("condition", s.cond, "takes", "returns"),
				p.frame("body", s.body, "takes", "returns")}
		}
		for _, v := range s.ends().out {
			from[v] = steps[i]
		}
	}
	connect := func(values []int, to *picture.Box) {
		var sources []*picture.Box
		bytes, seen := map[*picture.Box]int{}, map[int]bool{}
		for _, v := range values {
			source := from[v]
			if source == nil || seen[v] {
				continue
			}
			if _, ok := bytes[source]; !ok {
				sources = append(sources, source)
			}
			seen[v] = true
			bytes[source] += b.shapes[v].NumBytes()
		}
		for _, source := range sources {
			class := ""
			x, stage := device[source]
			if y, other := device[to]; stage && other && x != y {
				class = "moves"
			}
			f.Edge(source, to, class, size(bytes[source]))
		}
	}
	for i, s := range b.steps {
		connect(s.ends().in, steps[i])
	}
	connect(b.results, f.Box("end", returns))
	return f
}

// about returns the lines of a stage.
func (p *Plan) about(s *Stage) []string {
	operations := "1 operation"
	if s.Operations != 1 {
		operations = fmt.Sprintf("%d operations", s.Operations)
	}
	lines := []string{s.Name, operations}
	if len(p.devices) > 1 {
		lines = append(lines, p.name(s.Device))
	}
	return lines
}

// short cuts off a long name.
func short(name string) string {
	if r := []rune(name); len(r) > 40 {
		return string(r[:39]) + "…"
	}
	return name
}

// size formats a number of bytes.
func size(bytes int) string {
	switch {
	case bytes >= 10<<20:
		return fmt.Sprintf("%d MiB", bytes>>20)
	case bytes >= 10<<10:
		return fmt.Sprintf("%d KiB", bytes>>10)
	}
	return fmt.Sprintf("%d B", bytes)
}
