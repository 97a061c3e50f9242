package main

import (
	"fmt"
	"io"
	"math"
	"path"
)

// dots is a picture of times, each beside those of peers for the same work, on a logarithmic axis.
type dots struct {
	title  string
	groups []group
}

// Where the picture has the rows, in pixels.
const (
	dotsLeft, dotsRight, dotsTop = 330, 780, 94
	rowHeight, groupGap          = 20, 30
)

// write draws the picture.
func (d dots) write(w io.Writer) error {
	floor := dotsTop
	x := axis{math.Inf(1), math.Inf(-1), dotsLeft, dotsRight}
	for _, g := range d.groups {
		floor += groupGap + rowHeight*len(g.results)
		for _, r := range g.results {
			us, _ := r.time()
			x.low, x.high = min(x.low, math.Log2(us)), max(x.high, math.Log2(us))
		}
	}
	// The axis ends at powers of ten.
	ten := math.Log2(10)
	x.low, x.high = math.Floor(x.low/ten)*ten, math.Floor(x.high/ten+1)*ten

	b := svg(d.title, "On a logarithmic axis: further left is faster.", floor+50)
	for i := range int(math.Round((x.high-x.low)/ten)) + 1 {
		us := math.Exp2(x.low) * math.Pow10(i)
		fmt.Fprintf(b, "<line class=\"grid\" x1=\"%.1f\" y1=\"%d\" x2=\"%.1[1]f\" y2=\"%[3]d\"/>\n",
			x.at(us), dotsTop, floor)
		label(b, x.at(us), dotsTop-8, "dim", "middle", duration(us))
	}
	fmt.Fprintf(b, "<circle class=\"f0\" cx=\"24\" cy=\"50\" r=\"5\"/>\n%s", ring(164, 50))
	label(b, 36, 54, "ink", "start", "Calliope")
	label(b, 176, 54, "ink", "start", "a floor or a peer")
	y := dotsTop
	for _, g := range d.groups {
		y += groupGap
		label(b, plotLeft-58, y-6, "ink", "start", g.name)
		for _, r := range g.results {
			y += rowHeight
			us, _ := r.time()
			label(b, dotsLeft-16, y-6, "dim", "end", path.Base(r.name))
			if r.theirs() {
				b.WriteString(ring(x.at(us), y-10))
			} else {
				fmt.Fprintf(b, "<circle class=\"f0\" cx=\"%.1f\" cy=\"%d\" r=\"5\"/>\n", x.at(us), y-10)
			}
			label(b, x.at(us)+11, float64(y-6), "ink", "start", duration(us))
		}
	}
	b.WriteString("</svg>\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// ring is the mark of others.
func ring[T int | float64](x T, y int) string {
	return fmt.Sprintf("<circle class=\"line c4\" cx=\"%.1f\" cy=\"%d\" r=\"4\"/>\n", float64(x), y)
}
