package movement

import (
	"slices"

	"github.com/calliope-mlir/calliope/internal/test/progen"
	"github.com/calliope-mlir/calliope/tensor"
)

var directions = []string{"LT", "LE", "GT", "GE", "EQ", "NE"}

// computes reports whether elements of a type are added and so on.
func (g *generator) computes(e tensor.DType) bool {
	return !isMoved(e) && (g.p.numbers || !progen.IsFloat(e)) && !slices.Contains(small, e)
}

// pairs returns what combines two elements of a type.
func pairs(e tensor.DType) []string {
	switch {
	case e == tensor.Pred:
		return []string{"and", "or", "xor", "maximum"}
	case progen.IsFloat(e):
		return []string{"add", "add", "subtract", "maximum", "minimum"}
	}
	return []string{"add", "add", "subtract", "multiply", "maximum", "minimum", "and", "or", "xor"}
}

// reductions returns what combines many elements of a type, in any order.
func reductions(e tensor.DType) []string {
	switch {
	case e == tensor.Pred:
		return []string{"and", "or"}
	case progen.IsFloat(e) && e.Bits() == 16:
		return []string{"maximum", "minimum"}
	case progen.IsFloat(e):
		return []string{"add", "maximum", "minimum"}
	}
	return []string{"add", "add", "maximum", "minimum", "or"}
}

// arithmetic adds a step that computes each element by itself.
func (g *generator) arithmetic() {
	x := g.array()
	switch {
	case !g.computes(x.elem):
		g.selection()
	case g.IntN(5) == 0:
		g.add(compare{pick(g, directions)}, of(tensor.Pred, x.dims...), x, g.made(x.kind, x))
	case g.IntN(6) == 0 && !progen.IsFloat(x.elem):
		to := pick(g, []tensor.DType{tensor.S8, tensor.U8, tensor.S16, tensor.S32, tensor.U32, tensor.S64, tensor.U64,
			tensor.Pred})
		g.elems = append(g.elems, to)
		g.add(convert{}, of(to, x.dims...), x)
	default:
		g.add(pairwise{pick(g, pairs(x.elem))}, x.kind, x, g.like(x.kind))
	}
}

// reduce combines elements along dimensions.
func (g *generator) reduce() bool {
	x := g.array()
	dims := g.some(len(x.dims))
	if len(dims) == 0 || !g.computes(x.elem) {
		return false
	}
	k := x.with()
	for d, n := range x.dims {
		if !slices.Contains(dims, d) {
			k.dims = append(k.dims, n)
		}
	}
	op := pick(g, reductions(x.elem))
	if progen.IsFloat(x.elem) && op != "add" && x.size() == 0 { // infinities are not added
		return false
	}
	g.add(reduce{op, dims}, k, x, g.neutral(op, x.elem))
	return true
}

// window combines elements in windows.
func (g *generator) window() bool {
	x := g.array()
	if x.isScalar() || x.size() == 0 || !g.computes(x.elem) {
		return false
	}
	op := pick(g, reductions(x.elem))
	if progen.IsFloat(x.elem) && op != "add" { // nothing but padding may be in a window
		return false
	}
	o, k := window{op: op}, x.with()
	for _, d := range x.dims {
		size, stride, low, high := 1, pick(g, []int{1, 1, 2}), 0, 0
		if g.IntN(2) == 0 {
			size, low, high = 1+g.IntN(d), g.IntN(3), g.IntN(3)
		}
		n := low + high + d
		o.size, o.stride = append(o.size, size), append(o.stride, stride)
		o.low, o.high = append(o.low, low), append(o.high, high)
		k.dims = append(k.dims, (n-size)/stride+1)
	}
	if k.size() > maxElements {
		return false
	}
	g.add(o, k, x, g.neutral(op, x.elem))
	return true
}

// neutral returns the initial value of a reduction: with another one, StableHLO leaves open what the result is.
func (g *generator) neutral(op string, e tensor.DType) *value {
	v := g.add(splat(of(e), neutral(op, e)), of(e))
	g.scope = g.scope[:len(g.scope)-1] // it may be infinite, so nothing else uses it
	return v
}
