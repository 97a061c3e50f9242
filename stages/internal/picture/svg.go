// Package picture draws graphs whose boxes have graphs in them.
package picture

import (
	"encoding/xml"
	"fmt"
	"strings"
)

// SVG returns a Frame as a picture, with a title for readers that do not show it. The classes of boxes are stage,
// callback, control and end, and those of edges moves and none. A Frame is drawn once.
func SVG(title string, f *Frame) string {
	d := new(drawing)
	f.layout()
	fmt.Fprintf(&d.text, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%[1]d\" height=\"%d\" role=\"img\">\n", f.w, f.h)
	fmt.Fprintf(&d.text, "<title>%s</title>\n<style>%s</style>\n", title, style)
	d.text.WriteString("<rect class=\"paper\" width=\"100%\" height=\"100%\"/>\n")
	d.draw(f, 0, 0)
	d.text.WriteString("</svg>\n")
	return d.text.String()
}

const style = `
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

type drawing struct{ text strings.Builder }

// draw draws a frame at a place.
func (d *drawing) draw(f *Frame, x, y int) {
	if f.Title != "" {
		fmt.Fprintf(&d.text, "<rect class=\"frame\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"4\"/>\n", x, y,
			f.w, f.h)
		d.label("title", x+frameGap/2, y+lineHeight, f.Title)
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
		fmt.Fprintf(&d.text, "<rect class=\"%s\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"4\"/>\n", n.class,
			x+n.x, y+n.y, n.w, n.h)
		for i, line := range n.lines {
			d.label("", x+n.x+n.w/2, y+n.y+lineHeight*(i+1), line)
		}
		for _, inner := range n.Inner {
			d.draw(inner, x+n.x+inner.x, y+n.y+inner.y)
		}
	}
	for _, draw := range labels {
		draw()
	}
}

func (d *drawing) label(class string, x, y int, text string) {
	fmt.Fprintf(&d.text, "<text class=\"%s\" x=\"%d\" y=\"%d\">", class, x, y)
	_ = xml.EscapeText(&d.text, []byte(text)) // a Builder takes everything
	d.text.WriteString("</text>\n")
}
