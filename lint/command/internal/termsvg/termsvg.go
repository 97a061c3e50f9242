// Package termsvg draws what a terminal shows as a picture in SVG.
package termsvg

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"strings"
	"unicode/utf8"
)

// The measures of the picture, in pixels. A cell of the usual fonts is 0.6 of their size wide.
const (
	fontSize   = 14
	cellWidth  = fontSize * 0.6
	lineHeight = 20
	margin     = 16
)

const style = `
  .paper { fill: #0d1117; }
  text { font: 14px ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; fill: #e6edf3; }
  .bold { font-weight: bold; } .dim { fill: #8b949e; }
  .red { fill: #ff7b72; } .green { fill: #7ee787; } .yellow { fill: #e3b341; } .cyan { fill: #76e3ea; }
`

// A run is a part of a line in one style.
type run struct {
	column int
	text   string
	class  string
}

// Draw returns the picture of a terminal with the given number of columns that shows the text.
// The text may have the escape sequences for colours that mlir-lint prints.
func Draw(title, text string, columns int) ([]byte, error) {
	lines, err := layOut(strings.TrimSuffix(text, "\n"), columns)
	if err != nil {
		return nil, err
	}
	width, height := int(float64(columns)*cellWidth)+2*margin, len(lines)*lineHeight+2*margin
	var b bytes.Buffer
	fmt.Fprintf(&b, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%[1]d\" height=\"%d\" role=\"img\" xml:space=\"preserve\">\n", width, height)
	fmt.Fprintf(&b, "<title>%s</title>\n<style>%s</style>\n", escape(title), style)
	b.WriteString("<rect class=\"paper\" width=\"100%\" height=\"100%\" rx=\"8\"/>\n")
	for i, line := range lines {
		for _, r := range line {
			r.draw(&b, margin+i*lineHeight+fontSize)
		}
	}
	b.WriteString("</svg>\n")
	return b.Bytes(), nil
}

// draw writes a run. Its length is set, so that the columns are in line in each font.
func (r run) draw(b *bytes.Buffer, y int) {
	text := strings.TrimRight(r.text, " ")
	indent := len(text) - len(strings.TrimLeft(text, " "))
	if text = text[indent:]; text == "" {
		return
	}
	x, length := margin+float64(r.column+indent)*cellWidth, float64(utf8.RuneCountInString(text))*cellWidth
	class := ""
	if r.class != "" {
		class = fmt.Sprintf(" class=%q", r.class)
	}
	fmt.Fprintf(b, "<text x=\"%.1f\" y=\"%d\" textLength=\"%.1f\"%s>%s</text>\n", x, y, length, class, escape(text))
}

func escape(s string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(s)) // a Builder returns no error
	return b.String()
}
