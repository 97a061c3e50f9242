package callbacks

import (
	"fmt"
	"slices"
	"strings"

	"github.com/calliope-mlir/calliope/internal/run/leaf"
	"github.com/calliope-mlir/calliope/internal/text/errtext"
	"github.com/calliope-mlir/calliope/tensor"
)

// A TemplateError reports that a callback returned other arrays than the module expects, or
// that a typed function takes other arguments than the module passes. The runtime's memory
// is unchanged.
type TemplateError struct {
	Arguments bool   // the error is about the arguments, not the results
	Declared  bool   // found from the function's Go types, before any call
	Want      []Leaf // what the module expects; for arguments, what the function takes
	Got       []Leaf // what the function returned; for arguments, what the module passes
}

// A Leaf is one array of a tree.
type Leaf struct {
	Path  string // for example .Mean, [2] or .Layers["a"]; "result 0" if no tree is known
	Shape tensor.Shape
	Any   bool  // any dimensions fit, and any element type if Shape has none; otherwise a dimension of -1 is any
	Err   error // the defect of the array itself, if any
}

// String describes the array.
func (l Leaf) String() string {
	switch {
	case l.Any && l.Shape.DType == tensor.Invalid:
		return "any array"
	case l.Any:
		return "any " + l.Shape.DType.String() + " array"
	case l.Err != nil && l.Shape.DType == tensor.Invalid:
		return "an empty View"
	case l.Err != nil:
		return "a broken array (" + l.Err.Error() + ")"
	}
	return l.Shape.String()
}

// fits reports whether the array got is what l asks for.
func (l Leaf) fits(got Leaf) bool {
	switch {
	case got.Err != nil:
		return false
	case l.Any:
		return l.Shape.DType == tensor.Invalid || l.Shape.DType == got.Shape.DType
	case got.Any:
		return got.fits(l)
	}
	return l.Shape.DType == got.Shape.DType && slices.EqualFunc(l.Shape.Dims, got.Shape.Dims, func(a, b int) bool {
		return a == b || a == anyDim || b == anyDim
	})
}

const anyDim = -1

// acceptedBy describes the arrays that a leaf can hold.
func acceptedBy(l leaf.Leaf) Leaf {
	d, rank := l.Accepts()
	return Leaf{Shape: tensor.Shape{DType: d, Dims: slices.Repeat([]int{anyDim}, max(rank, 0))},
		Any: rank == leaf.AnyRank}
}

// Error lists both sides, leaf by leaf: of more than 20, the first ones that differ.
func (e *TemplateError) Error() string {
	var b strings.Builder
	expected, returned := "expected", "returned"
	verb, arrays, module := "returned", "result", "the module expects"
	function, other := len(e.Got), len(e.Want)
	switch {
	case e.Arguments:
		expected, returned = "takes", "given"
		verb, arrays, module = "takes", "argument", "the module gives"
		function, other = other, function
	case e.Declared:
		returned, verb = "returns", "returns"
	}
	switch {
	case function == other:
		fmt.Fprintf(&b, "the function %s other %ss than %s:", verb, arrays, module)
	case function == 1:
		fmt.Fprintf(&b, "the function %s 1 %s, %s %d:", verb, arrays, module, other)
	default:
		fmt.Fprintf(&b, "the function %s %d %ss, %s %d:", verb, function, arrays, module, other)
	}
	got := map[string]Leaf{}
	for _, l := range e.Got {
		got[l.Path] = l
	}
	var pairs errtext.Pairs
	for _, w := range e.Want {
		g, ok := got[w.Path]
		delete(got, w.Path)
		text := "nothing"
		if ok {
			text = g.String()
		}
		pairs.Add(!ok || !w.fits(g), "%s: %s %s, %s %s", w.Path, expected, w, returned, text)
	}
	for _, g := range e.Got {
		if _, left := got[g.Path]; left {
			pairs.Add(true, "%s: %s nothing, %s %s", g.Path, expected, returned, g)
		}
	}
	return b.String() + pairs.String()
}

// Unwrap returns the errors of the arrays themselves.
func (e *TemplateError) Unwrap() []error {
	var out []error
	for _, l := range e.Got {
		if l.Err != nil {
			out = append(out, l.Err)
		}
	}
	return out
}

// leavesOf describes views. Views beyond the paths are named by their index.
func leavesOf(views []tensor.View, paths []string, what string) []Leaf {
	out := make([]Leaf, len(views))
	for i, v := range views {
		at := ""
		if i < len(paths) {
			at = paths[i]
		}
		out[i] = Leaf{Path: pathOf(at, what, i), Shape: tensor.ShapeOf(v.Shape.DType, v.Shape.Dims...), Err: v.Check()}
	}
	return out
}

// pathOf returns the path of a leaf, or a name with its index if it has no path.
func pathOf(at, what string, i int) string {
	if at != "" {
		return at
	}
	return fmt.Sprintf("%s %d", what, i)
}
