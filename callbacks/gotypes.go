package callbacks

import (
	"fmt"
	"reflect"
	"runtime"
	"sync"
	"unsafe"
	"weak"

	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/internal/run/leaf"
	"github.com/calliope-mlir/calliope/tensor"
)

// goTypes describes the Go types of a function made by Call, Tap or Print. It is what can
// be checked of a module's call before the call is made.
type goTypes struct {
	args, results leaves
	tap           bool // the function returns no results; passed-through values are left unchanged
}

// leaves are the leaves of a tree.
type leaves struct {
	list []Leaf
	rest bool // list is repeated as often as there are arrays
	open bool // anything is accepted
}

// leavesOfType reads a type, and the template if there is one.
func leavesOfType[T any](template *T) leaves {
	given := template != nil
	if !given {
		template = new(T)
	}
	n, v, err := nodeAt(template)
	if err != nil {
		return leaves{open: true}
	}
	var all leaves
	if n.open && !given {
		if n.typ.Kind() != reflect.Slice || n.elem.open {
			return leaves{open: true}
		}
		all.rest = true
		n, v = n.elem, reflect.New(n.elem.typ).Elem()
	}
	err = n.walk(v, "", func(at string, l leaf.Leaf, _ reflect.Value) {
		accepted := acceptedBy(l)
		accepted.Path = at
		all.list = append(all.list, accepted)
	})
	all.open = err != nil || all.rest && len(all.list) == 0
	return all
}

// expand returns one leaf for each of n arrays if the type allows it, and otherwise the
// leaves that there are. what names the leaves without a path.
func (l leaves) expand(n int, what string) []Leaf {
	times := 1
	if l.rest {
		times = (n + len(l.list) - 1) / len(l.list)
	}
	out := make([]Leaf, 0, times*len(l.list))
	for i := range times {
		for _, leaf := range l.list {
			if l.rest {
				leaf.Path = fmt.Sprintf("[%d]%s", i, leaf.Path)
			}
			leaf.Path = pathOf(leaf.Path, what, len(out))
			out = append(out, leaf)
		}
	}
	return out
}

// arraysOf returns the arrays of a module as leaves, with the paths of the tree that they
// should form.
func arraysOf(shapes []tensor.Shape, tree []Leaf, what string) []Leaf {
	out := make([]Leaf, len(shapes))
	for i, s := range shapes {
		out[i].Shape = tensor.ShapeOf(s.DType, s.Dims...)
		if i < len(tree) {
			out[i].Path = tree[i].Path
		} else {
			out[i].Path = pathOf("", what, i)
		}
	}
	return out
}

func fit(want, got []Leaf) bool {
	for i := range min(len(want), len(got)) {
		if !want[i].fits(got[i]) {
			return false
		}
	}
	return len(want) == len(got)
}

// check compares the arrays of a module's call with the types.
func (t *goTypes) check(form contract.Form, args, results []tensor.Shape) error {
	if !t.args.open {
		want := t.args.expand(len(args), "argument")
		if got := arraysOf(args, want, "argument"); !fit(want, got) {
			return &TemplateError{Arguments: true, Declared: true, Want: want, Got: got}
		}
	}
	if t.results.open || t.tap && form == contract.Passthrough {
		return nil
	}
	got := t.results.expand(len(results), "result")
	if want := arraysOf(results, got, "result"); !fit(want, got) {
		return &TemplateError{Declared: true, Want: want, Got: got}
	}
	return nil
}

// described holds the types of functions by the address of their closure, because a Func
// has no place for them. An entry is removed once its closure is garbage. The weak pointer
// distinguishes the closure from another one that gets its address later.
var described sync.Map // of uintptr to *description

type description struct {
	types *goTypes
	of    weak.Pointer[byte]
}

// describe stores the types of fn. fn must be a closure that captures something: closures
// that capture nothing share one address.
func describe(fn Func, t *goTypes) Func {
	p := closureOf(fn)
	address, d := uintptr(unsafe.Pointer(p)), &description{t, weak.Make(p)}
	described.Store(address, d)
	runtime.AddCleanup(p, func(d *description) { described.CompareAndDelete(address, d) }, d)
	return fn
}

// typesOf returns the types stored for a function, or nil if there are none.
func typesOf(fn Func) *goTypes {
	p := closureOf(fn)
	found, _ := described.Load(uintptr(unsafe.Pointer(p)))
	if d, ok := found.(*description); ok && d.of.Value() == p {
		return d.types
	}
	return nil
}

func closureOf(fn Func) *byte { return *(**byte)(unsafe.Pointer(&fn)) }
