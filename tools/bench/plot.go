package main

import (
	"cmp"
	"encoding/xml"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
)

// plot is a picture of lines on logarithmic axes, as SVG.
type plot struct {
	title, note string
	series      []series
}

// series is one line.
type series struct {
	name   string
	points []point
	theirs bool // of a peer: dashed
}

// point is a payload in bytes and a latency in microseconds.
type point struct{ x, y float64 }

// The size of the picture, in pixels. The names of the lines are at their right ends.
const (
	plotWidth, plotHeight                   = 880, 490
	plotLeft, plotRight, plotTop, plotFloor = 76, 670, 58, 400
	nameHeight                              = 17
)

// plotStyle has the colours for a white and for a black background. People with colour
// blindness can distinguish them. A viewer that does not know @media draws on white.
const plotStyle = `
  .paper { fill: #ffffff; } .ink { fill: #24292f; } .dim { fill: #57606a; } .grid { stroke: #d8dee4; }
  .c0 { stroke: #0072b2; } .c1 { stroke: #7b3fa0; } .c2 { stroke: #00795a; } .c3 { stroke: #b3476f; } .c4 { stroke: #c24e00; } .c5 { stroke: #8a6d00; }
  .f0 { fill: #0072b2; } .f1 { fill: #7b3fa0; } .f2 { fill: #00795a; } .f3 { fill: #b3476f; } .f4 { fill: #c24e00; } .f5 { fill: #8a6d00; }
  text { font-family: system-ui, -apple-system, "Segoe UI", Helvetica, Arial, sans-serif; font-size: 13px; }
  .title { font-size: 16px; font-weight: 600; }
  .line { fill: none; stroke-width: 2.25; stroke-linejoin: round; }
  .theirs { stroke-dasharray: 8 5; } .c5.theirs { stroke-dasharray: 2 5; }
  @media (prefers-color-scheme: dark) {
    .paper { fill: #0d1117; } .ink { fill: #e6edf3; } .dim { fill: #9da7b1; } .grid { stroke: #30363d; }
    .c0 { stroke: #58b0f0; } .c1 { stroke: #c49bea; } .c2 { stroke: #3fc79a; } .c3 { stroke: #f08cb0; } .c4 { stroke: #ff9a57; } .c5 { stroke: #e0bd4a; }
    .f0 { fill: #58b0f0; } .f1 { fill: #c49bea; } .f2 { fill: #3fc79a; } .f3 { fill: #f08cb0; } .f4 { fill: #ff9a57; } .f5 { fill: #e0bd4a; }
  }
`

// axis maps a range of values, on a logarithmic scale, to pixels.
type axis struct {
	low, high float64 // logarithms
	from, to  float64 // pixels
}

func (a axis) at(v float64) float64 {
	return a.from + (math.Log2(v)-a.low)/(a.high-a.low)*(a.to-a.from)
}

// axes returns axes that contain every point.
func (p plot) axes() (x, y axis) {
	x = axis{math.Inf(1), math.Inf(-1), plotLeft + 12, plotRight - 12}
	y = axis{math.Inf(1), math.Inf(-1), plotFloor, plotTop}
	for _, s := range p.series {
		for _, q := range s.points {
			x.low, x.high = min(x.low, math.Log2(q.x)), max(x.high, math.Log2(q.x))
			y.low, y.high = min(y.low, math.Log2(q.y)), max(y.high, math.Log2(q.y))
		}
	}
	// The latency axis ends at powers of ten.
	ten := math.Log2(10)
	y.low, y.high = math.Floor(y.low/ten)*ten, math.Ceil(y.high/ten)*ten
	return x, y
}

// write draws the picture.
func (p plot) write(w io.Writer) error {
	b := svg(p.title, p.note, plotHeight)
	x, y := p.axes()
	p.grid(b, x, y)
	for i, s := range p.series {
		s.line(b, i, x, y)
	}
	p.names(b, y)
	b.WriteString("</svg>\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// svg begins a picture with a title above and a note below.
func svg(title, note string, height int) *strings.Builder {
	var b strings.Builder
	fmt.Fprintf(&b, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%[1]d\" height=\"%[2]d\" role=\"img\">\n",
		plotWidth, height)
	fmt.Fprintf(&b, "<title>%s</title>\n<style>%s</style>\n", escape(title), plotStyle)
	b.WriteString("<rect class=\"paper\" width=\"100%\" height=\"100%\"/>\n")
	label(&b, plotLeft-58, 28, "title ink", "start", title)
	label(&b, plotLeft-58, height-14, "dim", "start", note)
	return &b
}

// grid draws the axes with their numbers.
func (p plot) grid(b *strings.Builder, x, y axis) {
	for v := math.Exp2(y.low); v <= math.Exp2(y.high)*1.01; v *= 10 {
		at := y.at(v)
		fmt.Fprintf(b, "<line class=\"grid\" x1=\"%d\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\"/>\n", plotLeft, at, plotRight,
			at)
		label(b, plotLeft-10, at+4, "dim", "end", duration(v))
	}
	for _, v := range p.payloads() {
		at := x.at(v)
		fmt.Fprintf(b, "<line class=\"grid\" x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" y2=\"%d\"/>\n", at, plotTop, at,
			plotFloor)
		label(b, at, plotFloor+22, "dim", "middle", spaced(sized(int(v))))
	}
	label(b, (plotLeft+plotRight)/2, plotFloor+44, "ink", "middle", "payload of one call")
}

// payloads returns the payloads of all lines.
func (p plot) payloads() []float64 {
	var list []float64
	for _, s := range p.series {
		for _, q := range s.points {
			list = append(list, q.x)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

func (s series) line(b *strings.Builder, i int, x, y axis) {
	class := fmt.Sprintf("line c%d", i)
	if s.theirs {
		class += " theirs"
	}
	var at []string
	for _, q := range s.points {
		at = append(at, fmt.Sprintf("%.1f,%.1f", x.at(q.x), y.at(q.y)))
	}
	fmt.Fprintf(b, "<polyline class=\"%s\" points=\"%s\"/>\n", class, strings.Join(at, " "))
	for _, q := range s.points {
		fmt.Fprintf(b, "<circle class=\"f%d\" cx=\"%.1f\" cy=\"%.1f\" r=\"3\"/>\n", i, x.at(q.x), y.at(q.y))
	}
}

// names writes the lines' names at their ends, without overlap, with the last latency.
func (p plot) names(b *strings.Builder, y axis) {
	for i, at := range p.namePlaces(y) {
		s := p.series[i]
		last := s.points[len(s.points)-1]
		fmt.Fprintf(b, "<text x=\"%d\" y=\"%.1f\" class=\"f%d\">%s, %s</text>\n",
			plotRight+4, at+4, i, escape(s.name), duration(last.y))
	}
}

// namePlaces returns the vertical positions of the names, as near to the ends of the lines
// as the height of the names allows.
func (p plot) namePlaces(y axis) []float64 {
	places := make([]float64, len(p.series))
	order := make([]int, len(p.series))
	for i, s := range p.series {
		order[i] = i
		places[i] = y.at(s.points[len(s.points)-1].y)
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(places[a], places[b]) })
	for range 100 { // move overlapping names apart
		for k := 1; k < len(order); k++ {
			a, b := order[k-1], order[k]
			if miss := nameHeight - (places[b] - places[a]); miss > 0 {
				places[a] -= miss / 2
				places[b] += miss / 2
			}
		}
	}
	return places
}

func label[T int | float64](b *strings.Builder, x, y T, class, anchor, text string) {
	fmt.Fprintf(b, "<text x=\"%.1f\" y=\"%.1f\" class=\"%s\" text-anchor=\"%s\">%s</text>\n", float64(x), float64(y),
		class, anchor, escape(text))
}

// duration formats microseconds in a suitable unit.
func duration(us float64) string {
	for _, u := range []struct {
		name string
		us   float64
	}{{"s", 1e6}, {"ms", 1e3}, {"µs", 1}} {
		if us >= u.us*0.999 {
			return fmt.Sprintf("%.3g %s", us/u.us, u.name)
		}
	}
	return fmt.Sprintf("%.2g µs", us)
}

// spaced puts a space between a number and its unit.
func spaced(text string) string {
	i := strings.IndexAny(text, "BKM")
	return text[:i] + " " + text[i:]
}

func escape(text string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(text)) // a Builder never fails
	return b.String()
}
