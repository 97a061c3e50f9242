package callbacks

import (
	"strings"

	"github.com/calliope-mlir/calliope/tensor"
)

// layout says how an array is laid out as text, like numpy.array2string: rows that are too
// wide are wrapped, and only the edges of a large array are shown.
type layout struct {
	threshold int // elements; arrays with more are summarized
	edge      int // elements shown at each end of a dimension in a summary
	width     int // of a line
	precision int // digits after the decimal point
	indent    int // of the lines after the first: the column where the text begins
}

// shown returns how many leading and trailing indices of a dimension are shown, and whether
// any are left out.
func (l layout) shown(n int, summary bool) (leading, trailing int, cut bool) {
	if summary && n > 2*l.edge {
		return l.edge, l.edge, true
	}
	return 0, n, false
}

// each calls f with the index of each element that is shown, in order.
func (l layout) each(dims []int, f func(i int)) {
	l.eachOf(dims, 0, tensor.Shape{Dims: dims}.NumElements() > l.threshold, f)
}

func (l layout) eachOf(dims []int, at int, summary bool, f func(i int)) {
	if len(dims) == 0 {
		f(at)
		return
	}
	n, rest := dims[0], tensor.Shape{Dims: dims[1:]}.NumElements()
	leading, trailing, _ := l.shown(n, summary)
	for i := range leading {
		l.eachOf(dims[1:], at+i*rest, summary, f)
	}
	for i := n - trailing; i < n; i++ {
		l.eachOf(dims[1:], at+i*rest, summary, f)
	}
}

// text lays out an array whose element i is word(i).
func (l layout) text(dims []int, word func(i int) string) string {
	n := tensor.Shape{Dims: dims}.NumElements()
	switch {
	case len(dims) == 0:
		return word(0)
	case n == 0:
		return "[]"
	}
	return l.block(dims, 0, strings.Repeat(" ", l.indent+1), l.width, n > l.threshold, word)
}

// block writes one bracket and its contents. Lines after the first begin with the indent.
// No line is longer than width if that is possible.
func (l layout) block(dims []int, at int, indent string, width int, summary bool, word func(int) string) string {
	n, rest := dims[0], tensor.Shape{Dims: dims[1:]}.NumElements()
	item := func(i int) string {
		if len(dims) > 1 {
			return l.block(dims[1:], at+i*rest, indent+" ", width-1, summary, word)
		}
		return word(at + i)
	}
	leading, trailing, cut := l.shown(n, summary)
	var items []string
	for i := range leading {
		items = append(items, item(i))
	}
	if cut {
		items = append(items, "...")
	}
	for i := n - trailing; i < n; i++ {
		items = append(items, item(i))
	}
	if len(dims) > 1 {
		// Rows of a matrix follow each other; matrices are separated by an empty line.
		return "[" + strings.Join(items, strings.Repeat("\n", len(dims)-1)+indent) + "]"
	}
	var b strings.Builder
	line := indent
	for i, item := range items {
		if len(line)+len(item) > width-1 && len(line) > len(indent) {
			b.WriteString(strings.TrimRight(line, " ") + "\n")
			line = indent
		}
		line += item
		if i < len(items)-1 {
			line += " "
		}
	}
	b.WriteString(line)
	return "[" + b.String()[len(indent):] + "]"
}
