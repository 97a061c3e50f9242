package picture

import (
	"cmp"
	"slices"
)

// The distances of a picture, in pixels.
const (
	letterWidth = 7
	lineHeight  = 15
	nodeGap     = 26 // between boxes of a row
	rowGap      = 46 // between rows
	frameGap    = 14 // around what is in a frame
)

// A Frame is a body in a picture: boxes in rows, with edges from upper to lower rows.
type Frame struct {
	Title string
	boxes []*Box // the last one is what the body returns
	edges []*edge
	rows  [][]*Box

	x, y, w, h int // x and y are relative to what it is in
}

// A Box is a step, what a body takes or returns, or, without a class, a place in a row that an edge passes.
type Box struct {
	class string
	lines []string
	Inner []*Frame // the bodies of the step

	x, y, w, h int
	row        int
	order      float64 // in the row, 0 for the middle
	up, down   []*Box  // the neighbours in the rows above and below
	ins, outs  int     // edges
}

// An edge is what flows from one box to another.
type edge struct {
	path  []*Box // its ends, and the places between them
	class string
	label string
	// Where it leaves and reaches its ends: 1 is the leftmost place.
	leaves, reaches int
}

// Box adds a box of a class of style, with lines of text. The last one of a Frame is below all others.
func (f *Frame) Box(class string, lines ...string) *Box {
	n := &Box{class: class, lines: lines}
	f.boxes = append(f.boxes, n)
	return n
}

// Edge adds an edge from one of its boxes down to another.
func (f *Frame) Edge(from, to *Box, class, label string) {
	f.edges = append(f.edges, &edge{path: []*Box{from, to}, class: class, label: label})
}

// layout sets the places of all boxes.
func (f *Frame) layout() {
	for _, n := range f.boxes {
		n.measure()
	}
	f.rank()
	for range 4 {
		f.arrange(func(n *Box) []*Box { return n.up })
		slices.Reverse(f.rows)
		f.arrange(func(n *Box) []*Box { return n.down })
		slices.Reverse(f.rows)
	}
	f.place()
}

// measure sets the size of a box, and lays out what is in it.
func (n *Box) measure() {
	for _, line := range n.lines {
		n.w = max(n.w, letterWidth*len([]rune(line))+frameGap)
	}
	n.h = lineHeight*len(n.lines) + 10
	if len(n.Inner) == 0 {
		return
	}
	x, tallest := frameGap, 0
	for _, f := range n.Inner {
		f.layout()
		f.x, f.y = x, n.h
		x += f.w + frameGap
		tallest = max(tallest, f.h)
	}
	n.w, n.h = max(n.w, x), n.h+tallest+frameGap
}

// rank divides the boxes into rows: each is below those that it needs. An edge gets a place in each row between its
// ends.
func (f *Frame) rank() {
	last := 0
	for changed := true; changed; {
		changed = false
		for _, e := range f.edges {
			if from, to := e.path[0], e.path[1]; to.row <= from.row {
				to.row, changed = from.row+1, true
			}
		}
	}
	for _, n := range f.boxes {
		last = max(last, n.row)
	}
	f.boxes[len(f.boxes)-1].row = last
	f.rows = make([][]*Box, last+1)
	add := func(n *Box) { f.rows[n.row] = append(f.rows[n.row], n) }
	for _, n := range f.boxes {
		add(n)
	}
	for _, e := range f.edges {
		from, to := e.path[0], e.path[1]
		from.outs++
		to.ins++
		e.path = []*Box{from}
		for row := from.row + 1; row < to.row; row++ {
			passed := &Box{row: row, w: lineHeight, h: lineHeight}
			add(passed)
			e.path = append(e.path, passed)
		}
		e.path = append(e.path, to)
		for i, n := range e.path[1:] {
			e.path[i].down, n.up = append(e.path[i].down, n), append(n.up, e.path[i])
		}
	}
	for _, row := range f.rows {
		number(row)
	}
}

// arrange orders the boxes of each row by the mean order of their neighbours.
func (f *Frame) arrange(neighbours func(*Box) []*Box) {
	for _, row := range f.rows {
		for _, n := range row {
			near := neighbours(n)
			if len(near) == 0 {
				continue
			}
			n.order = 0
			for _, other := range near {
				n.order += other.order / float64(len(near))
			}
		}
		slices.SortStableFunc(row, func(a, b *Box) int { return cmp.Compare(a.order, b.order) })
		number(row)
	}
}

func number(row []*Box) {
	for i, n := range row {
		n.order = float64(i) - float64(len(row)-1)/2
	}
}

// place sets the coordinates, with each row in the middle.
func (f *Frame) place() {
	f.w = letterWidth * len([]rune(f.Title))
	widths := make([]int, len(f.rows))
	for i, row := range f.rows {
		widths[i] = -nodeGap
		for _, n := range row {
			widths[i] += n.w + nodeGap
		}
		f.w = max(f.w, widths[i])
	}
	f.w += 2 * frameGap
	y := lineHeight + frameGap/2
	for i, row := range f.rows {
		x, tallest := (f.w-widths[i])/2, 0
		for _, n := range row {
			tallest = max(tallest, n.h)
		}
		for _, n := range row {
			n.x, n.y = x, y+(tallest-n.h)/2
			x += n.w + nodeGap
		}
		y += tallest + rowGap
	}
	f.h = y - rowGap + frameGap
	leaves, reaches := map[*Box]int{}, map[*Box]int{}
	for _, e := range f.sorted(1) {
		leaves[e.path[0]]++
		e.leaves = leaves[e.path[0]]
	}
	for _, e := range f.sorted(-2) {
		to := e.path[len(e.path)-1]
		reaches[to]++
		e.reaches = reaches[to]
	}
}

// sorted returns the edges from left to right, by a place of their paths, from the end if it is negative.
func (f *Frame) sorted(at int) []*edge {
	middle := func(e *edge) int {
		n := e.path[(at+len(e.path))%len(e.path)]
		return 2*n.x + n.w
	}
	list := slices.Clone(f.edges)
	slices.SortStableFunc(list, func(a, b *edge) int { return cmp.Compare(middle(a), middle(b)) })
	return list
}
