package callbacks

import (
	"fmt"
	"reflect"
	"slices"
	"unsafe"

	"github.com/calliope-mlir/calliope/tensor"
)

// output takes a function's results apart for a call. What reflection says of their
// type is found once, when the function is made, as for input.
type output struct {
	node  *node
	known bool     // the leaves are known, from the type or from a template
	paths []string // the ways to them, then
}

// newOutput reads the type, and the template where there is one.
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
		err = n.walk(v, "", func(at string, _ leaf, _ reflect.Value) { out.paths = append(out.paths, at) })
	}
	return out, err
}

// write gives the results, which are a pointer to their type, to the runtime, or to
// none of it where one of them does not fit.
func (out *output) write(f *Frame, results any) error {
	v := reflect.ValueOf(results).Elem()
	var room [8]tensor.View // few calls have more
	views, fits := room[:0], true
	if list, ok := results.(*[]tensor.View); ok && !out.known {
		for _, view := range *list {
			views, fits = append(views, view), fits && view.Check() == nil
		}
	} else if out.node.open {
		var paths []string // where a key is another one, shapes may be equal all the same
		err := out.node.walk(v, "", func(at string, l leaf, v reflect.Value) {
			view, err := l.view(v)
			views, paths, fits = append(views, view), append(paths, at), fits && err == nil
		})
		if err != nil {
			return fmt.Errorf("callbacks: the results of callback %q: %w", f.Name, err)
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

// views appends the leaves of a value whose type leaves nothing open, and reports
// whether all are sound.
func (n *node) views(v reflect.Value, out []tensor.View) (_ []tensor.View, sound bool) {
	if n.leaf != nil {
		view, err := n.leaf.view(v)
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

// mismatch shows what the module expects, and what stands in the results.
func (out *output) mismatch(f *Frame, v reflect.Value) error {
	e := &TemplateError{Callback: f.Name, Want: leavesOf(f.Results, out.paths, "result")}
	// It was walked before, so it is not too deep.
	_ = out.node.walk(v, "", func(at string, l leaf, v reflect.Value) {
		if !out.known {
			at = "" // nobody said what the module calls it
		}
		view, err := l.view(v)
		e.Got = append(e.Got, Leaf{
			Path:  pathOf(at, "result", len(e.Got)),
			Shape: tensor.ShapeOf(view.Shape.DType, view.Shape.Dims...),
			Err:   err,
		})
	})
	return e
}

// deliver copies arrays to where they belong. Where a function returns what it was
// given, and results share the memory of arguments, an array may already be where it
// belongs, or where another one does: no copy may change what the next one reads.
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
		copy(to[i].Data, from[i].Data) // which does nothing where both are one memory
	}
}

func overlap(a, b []byte) bool {
	x, y := uintptr(unsafe.Pointer(unsafe.SliceData(a))), uintptr(unsafe.Pointer(unsafe.SliceData(b)))
	return len(a) > 0 && len(b) > 0 && x < y+uintptr(len(b)) && y < x+uintptr(len(a))
}
