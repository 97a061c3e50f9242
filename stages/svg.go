package stages

import (
	"encoding/xml"
	"fmt"
	"strings"
)

// SVG returns a picture of the plan: stages are blue and callbacks orange, and the edges have the
// bytes that flow between them in one execution of their body. A dashed edge goes from one device to another. Loops
// and branches are in frames.
func (p *Plan) SVG() string {
	p.given("SVG")
	d := &canvas{plan: p}
	f := d.frame("", p.main, "parameters", "results")
	f.layout()
	fmt.Fprintf(&d.text, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%[1]d\" height=\"%d\" role=\"img\">\n", f.w, f.h)
	fmt.Fprintf(&d.text, "<title>%s</title>\n<style>%s</style>\n", p.counts(), pictureStyle)
	d.text.WriteString("<rect class=\"paper\" width=\"100%\" height=\"100%\"/>\n")
	d.draw(f, 0, 0)
	d.text.WriteString("</svg>\n")
	return d.text.String()
}

const pictureStyle = `
text { font: 12px sans-serif; text-anchor: middle; fill: #1b1f24 }
.paper { fill: #fff }
.frame { fill: none; stroke: #b6bcc4 }
.title { text-anchor: start; fill: #57606a }
.stage { fill: #dbe9f6; stroke: #7f9fc0 }
.callback { fill: #fde2c4; stroke: #cf9a5b }
.control { fill: #f6f8fa; stroke: #8c959f }
.end { fill: none }
path { fill: none; stroke: #57606a }
.moves { stroke-dasharray: 5 3 }
.bytes { font-size: 10px; fill: #57606a }
.halo { font-size: 10px; fill: #fff; stroke: #fff; stroke-width: 4px }
`

// A canvas draws a plan.
type canvas struct {
	plan *Plan
	text strings.Builder
}

// frame makes the picture of a body. takes and returns are the names of its ends.
func (d *canvas) frame(title string, b *body, takes, returns string) *frame {
	f := &frame{title: title}
	from := make([]*box, len(b.shapes)) // by value; nil for constants
	device := map[*box]int{}            // of stages
	if n := b.captures + b.args; n > 0 {
		start := f.box("end", takes)
		for v := range n {
			from[v] = start
		}
	}
	steps := make([]*box, len(b.steps))
	for i, s := range b.steps {
		switch s := s.(type) {
		case *stageStep:
			steps[i] = f.box("stage", d.about(s.stage)...)
			device[steps[i]] = s.stage.Device
		case *callStep:
			steps[i] = f.box("callback", short(s.callback.Name))
		case *branchStep:
			steps[i] = f.box("control", s.name)
			for k, inner := range s.bodies {
				steps[i].inner = append(steps[i].inner, d.frame(fmt.Sprintf("branch %d", k), inner, "takes", "returns"))
			}
		case *loopStep:
			steps[i] = f.box("control", "while")
			steps[i].inner = []*frame{d.frame("condition", s.cond, "takes", "returns"), d.frame("body", s.body, "takes", "returns")}
		}
		for _, v := range s.ends().out {
			from[v] = steps[i]
		}
	}
	connect := func(values []int, to *box) {
		var sources []*box
		bytes, seen := map[*box]int{}, map[int]bool{}
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
			f.edge(source, to, class, size(bytes[source]))
		}
	}
	for i, s := range b.steps {
		connect(s.ends().in, steps[i])
	}
	connect(b.results, f.box("end", returns))
	return f
}

// about returns the lines of a stage.
func (d *canvas) about(s *Stage) []string {
	operations := "1 operation"
	if s.Operations != 1 {
		operations = fmt.Sprintf("%d operations", s.Operations)
	}
	lines := []string{s.Name, operations}
	if len(d.plan.devices) > 1 {
		lines = append(lines, d.plan.name(s.Device))
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

// draw draws a frame at a place.
func (d *canvas) draw(f *frame, x, y int) {
	if f.title != "" {
		fmt.Fprintf(&d.text, "<rect class=\"frame\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"4\"/>\n", x, y, f.w, f.h)
		d.label("title", x+frameGap/2, y+lineHeight, f.title)
	}
	labels := make([]func(), 0, len(f.edges))
	for _, e := range f.edges {
		from, to := e.path[0], e.path[len(e.path)-1]
		atX, atY := x+from.x+from.w*e.leaves/(from.outs+1), y+from.y+from.h
		fmt.Fprintf(&d.text, "<path class=\"%s\" d=\"M%d %d", e.class, atX, atY)
		for i, n := range e.path[1:] {
			toX, toY := x+n.x+n.w/2, y+n.y
			if n == to {
				toX = x + to.x + to.w*e.reaches/(to.ins+1)
			}
			fmt.Fprintf(&d.text, " C%d %d %d %d %d %d", atX, (atY+toY)/2, toX, (atY+toY)/2, toX, toY)
			if i == 0 {
				labelX, labelY := (atX+toX)/2, (atY+toY)/2+4
				labels = append(labels, func() {
					d.label("halo", labelX, labelY, e.label)
					d.label("bytes", labelX, labelY, e.label)
				})
			}
			atX, atY = toX, toY
			if n != to {
				atY += n.h
				fmt.Fprintf(&d.text, " V%d", atY)
			}
		}
		d.text.WriteString("\"/>\n")
	}
	for _, n := range f.boxes {
		fmt.Fprintf(&d.text, "<rect class=\"%s\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"4\"/>\n", n.class, x+n.x, y+n.y, n.w, n.h)
		for i, line := range n.lines {
			d.label("", x+n.x+n.w/2, y+n.y+lineHeight*(i+1), line)
		}
		for _, inner := range n.inner {
			d.draw(inner, x+n.x+inner.x, y+n.y+inner.y)
		}
	}
	for _, draw := range labels {
		draw()
	}
}

func (d *canvas) label(class string, x, y int, text string) {
	fmt.Fprintf(&d.text, "<text class=\"%s\" x=\"%d\" y=\"%d\">", class, x, y)
	_ = xml.EscapeText(&d.text, []byte(text)) // a Builder takes everything
	d.text.WriteString("</text>\n")
}
