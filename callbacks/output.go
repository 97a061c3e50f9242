package callbacks

import (
	"fmt"
	"reflect"
	"slices"
	"unsafe"

	"github.com/calliope-mlir/calliope/internal/run/leaf"
	"github.com/calliope-mlir/calliope/tensor"
)

// output takes apart the results of a function for a call. Like input, it reads the type by
// reflection once, when the function is made.
type output struct {
	node  *node
	known bool     // the type or a template determines the leaves
	paths []string // the paths of the leaves, if known
}

// newOutput reads the type, and the template if there is one.
func newOutput[R any](template *R) (*output, error) {
	given := template != nil
	if !given {
		template = new(R)
	}
	n, v, err := nodeAt(template)
	if err != nil {
		return nil, err
	}
	out := &output{node: n, known: given || !n.open}
	if out.known {
		err = n.walk(v, "", func(at string, _ leaf.Leaf, _ reflect.Value) { out.paths = append(out.paths, at) })
	}
	return out, err
}

// write copies the results, given by a pointer, into the runtime's memory. If one of them
// does not fit, it copies none.
func (out *output) write(f *Frame, results any) error {
	v := reflect.ValueOf(results).Elem()
	var room [8]tensor.View // enough for most calls
	views, fits := room[:0], true
	if list, ok := results.(*[]tensor.View); ok && !out.known {
		for _, view := range *list {
			views, fits = append(views, view), fits && view.Check() == nil
		}
	} else if out.node.open {
		var paths []string // shapes may be equal although the keys differ
		err := out.node.walk(v, "", func(at string, l leaf.Leaf, v reflect.Value) {
			view, err := l.View(v)
			views, paths, fits = append(views, view), append(paths, at), fits && err == nil
		})
		if err != nil {
			return fmt.Errorf("the results: %w", err)
		}
		fits = fits && (!out.known || slices.Equal(paths, out.paths))
	} else {
		views, fits = out.node.views(v, views)
	}
	if !fits || !slices.EqualFunc(views, f.Results, sameShape) {
		return out.mismatch(f, v)
	}
	deliver(f.Results, views)
	return nil
}

func sameShape(a, b tensor.View) bool { return a.Shape.Equal(b.Shape) }

// views appends the leaves of a value whose type leaves nothing open, and reports whether
// all are valid.
func (n *node) views(v reflect.Value, out []tensor.View) (_ []tensor.View, sound bool) {
	if n.leaf != nil {
		view, err := n.leaf.View(v)
		return append(out, view), err == nil
	}
	sound = true
	each := func(child *node, v reflect.Value) {
		var ok bool
		out, ok = child.views(v, out)
		sound = sound && ok
	}
	if n.elem == nil {
		for i, field := range n.fields {
			each(field, v.Field(i))
		}
		return out, sound
	}
	for i := range v.Len() {
		each(n.elem, v.Index(i))
	}
	return out, sound
}

// mismatch returns the error that shows what the module expects and what the results hold.
func (out *output) mismatch(f *Frame, v reflect.Value) error {
	e := &TemplateError{Want: leavesOf(f.Results, out.paths, "result")}
	// It was walked before, so it is not too deep.
	_ = out.node.walk(v, "", func(at string, l leaf.Leaf, v reflect.Value) {
		if !out.known {
			at = "" // its path in the module is not known
		}
		view, err := l.View(v)
		e.Got = append(e.Got, Leaf{
			Path:  pathOf(at, "result", len(e.Got)),
			Shape: tensor.ShapeOf(view.Shape.DType, view.Shape.Dims...),
			Err:   err,
		})
	})
	return e
}

// deliver copies arrays to their destinations. If a function returns its arguments, and
// results share the memory of arguments, an array may already be at its destination or at
// another one. No copy may change what a later copy reads.
func deliver(to, from []tensor.View) {
	for i := range from {
		for j := range to {
			if i != j && overlap(from[i].Data, to[j].Data) {
				from[i].Data = slices.Clone(from[i].Data)
				break
			}
		}
	}
	for i := range from {
		copy(to[i].Data, from[i].Data) // no effect if both are the same memory
	}
}

func overlap(a, b []byte) bool {
	x, y := uintptr(unsafe.Pointer(unsafe.SliceData(a))), uintptr(unsafe.Pointer(unsafe.SliceData(b)))
	return len(a) > 0 && len(b) > 0 && x < y+uintptr(len(b)) && y < x+uintptr(len(a))
}
