package picture

import "testing"

// TestPlaces checks that no boxes overlap, and that an edge goes from one row to the next.
func TestPlaces(t *testing.T) {
	inner := func(title string) *Frame {
		f := &Frame{Title: title}
		takes, one, returns := f.Box("end", "takes"), f.Box("stage", "stage 2", "3 operations"), f.Box("end", "returns")
		f.Edge(takes, one, "", "4 B")
		f.Edge(one, returns, "", "8 B")
		f.Edge(takes, returns, "", "8 B")
		return f
	}
	f := new(Frame)
	start, a, b, c := f.Box("end", "parameters"), f.Box("stage", "stage 0"),
		f.Box("callback", "a longer name than the others"), f.Box("control", "while")
	c.Inner = []*Frame{inner("condition"), inner("a body, the title of which is long")}
	end := f.Box("end", "results")
	f.Edge(start, a, "", "1 B")
	f.Edge(start, b, "", "1 B")
	f.Edge(a, c, "moves", "1 B")
	f.Edge(b, c, "", "1 B")
	f.Edge(start, end, "", "1 B")
	f.Edge(b, end, "", "1 B")
	f.Edge(c, end, "", "1 B")
	f.layout()
	f.checkPlaces(t)
}

func (f *Frame) checkPlaces(t *testing.T) {
	var all []*Box
	for _, row := range f.rows {
		all = append(all, row...)
	}
	for i, a := range all {
		if a.x < 0 || a.y < 0 || a.x+a.w > f.w || a.y+a.h > f.h {
			t.Errorf("%v is outside of its frame", a.lines)
		}
		for _, b := range all[:i] {
			if a.x < b.x+b.w && b.x < a.x+a.w && a.y < b.y+b.h && b.y < a.y+a.h {
				t.Errorf("%v is on %v", a.lines, b.lines)
			}
		}
	}
	for _, e := range f.edges {
		for i, n := range e.path[1:] {
			if n.row != e.path[i].row+1 {
				t.Errorf("an edge goes from row %d to row %d", e.path[i].row, n.row)
			}
		}
	}
	for _, n := range f.boxes {
		for _, inner := range n.Inner {
			if inner.x < 0 || inner.y < 0 || inner.x+inner.w > n.w || inner.y+inner.h > n.h {
				t.Errorf("%s is outside of %v", inner.Title, n.lines)
			}
			inner.checkPlaces(t)
		}
	}
}
