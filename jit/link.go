package jit

import (
	"slices"
	"strings"

	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/mlir/affine"
	"github.com/calliope-mlir/calliope/mlir/dialect/linalg"
	"github.com/calliope-mlir/calliope/mlir/dialect/memref"
)

// A link is an operation that may be one of a chain.
type link struct {
	op       mlir.Operation
	sizes    []int64 // of its loops; those of a product are its batch, and the rows of the left matrix if it has them
	parallel []bool  // by loop
	uses     []use
	units    int64        // of work in an iteration; see nest.work
	inner    int64        // loops that are not among them run so often in an iteration
	adjacent int          // the loop over adjacent elements, which stays the innermost one; -1 for a product
	loops    []int        // those that are the chain's, in the chain's order
	call     *productCall // nil for an operation linalg.generic
}

// A use is that of an array by a link.
type use struct {
	operand mlir.Value // the array, or a view of it
	array   mlir.Value
	writes  bool
	at      []int    // by loop, the dimension of the array where it alone is the index, absent, mixed or windowed
	windows []window // by loop, those of the loops that are windowed
}

// A window is a dimension of an array where a loop is a term of the index.
type window struct {
	dim  int
	step int64 // the factor of the loop
}

// What a loop may be in a use besides the index of a dimension.
const (
	absent   = -1 - iota
	mixed    // in another index, or in several
	windowed // a term of the index of a dimension
)

// linkOf returns the link that an operation is.
func linkOf(op mlir.Operation) (l link, ok bool) {
	if op.Name() == "llvm.call" {
		return productLink(op)
	}
	g, ok := linalg.AsGeneric(op)
	if !ok || len(g.IteratorTypes) == 0 {
		return l, false
	}
	n := nest{GenericOp: g, op: op}
	if slices.Contains(n.sizes(), 0) {
		return l, false
	}
	l = link{op: op, sizes: n.sizes(), units: n.work(), inner: 1, adjacent: n.innermost()}
	for _, t := range g.IteratorTypes {
		l.parallel = append(l.parallel, strings.Contains(t.String(), linalg.ParallelLoop))
	}
	for k, v := range op.OperandValues() {
		if !isBuffer(v.Type()) {
			continue
		}
		if strides, offset, ok := v.Type().Strides(); !ok || offset == mlir.Dynamic ||
			slices.Contains(strides, mlir.Dynamic) {
			return l, false
		}
		u, dims := useOf(v), leadingDims(v)
		u.writes = k >= len(g.Inputs)
		u.at, u.windows = slices.Repeat([]int{absent}, len(l.sizes)), make([]window, len(l.sizes))
		for i, e := range g.IndexingMaps[k].Results() {
			for loop := range l.sizes {
				if p, plain := e.Position(); plain && p == loop && i < dims && u.at[loop] == absent {
					u.at[loop] = i
				} else if step, ok := termOf(e, loop, len(l.sizes)); ok && i < dims && u.at[loop] == absent {
					u.at[loop], u.windows[loop] = windowed, window{i, step}
				} else if e.DependsOnDim(loop) {
					u.at[loop] = mixed
				}
			}
		}
		l.uses = append(l.uses, u)
	}
	return l, true
}

// termOf returns the factor of a loop in an index that is a sum of such terms.
func termOf(e affine.Expr, loop, loops int) (step int64, ok bool) {
	if !e.DependsOnDim(loop) || !e.Walk(func(e affine.Expr) bool { return e.Kind() <= affine.KindMul }) {
		return 0, false
	}
	place := make([]int64, loops)
	first, _ := e.Eval(place, nil)
	place[loop] = 1
	second, _ := e.Eval(place, nil)
	return second - first, second > first
}

func useOf(v mlir.Value) use {
	u := use{operand: v, array: v}
	for u.array.IsResult() && slices.Contains(bufferViews, u.array.Owner().Name()) {
		u.array = u.array.Owner().Operand(0)
	}
	return u
}

// bufferViews are the operations whose result is in the memory of their operand.
var bufferViews = []string{"memref.cast", "memref.collapse_shape", "memref.expand_shape", "memref.reinterpret_cast",
	"memref.subview"}

// leadingDims returns how many of the first dimensions of a view are those of the array.
func leadingDims(v mlir.Value) int {
	dims, _ := v.Type().Dims()
	n := len(dims)
	for v.IsResult() && slices.Contains(bufferViews, v.Owner().Name()) {
		op := v.Owner()
		from, _ := op.Operand(0).Type().Dims()
		part, isPart := memref.AsSubView(op)
		reshapes := op.Name() == "memref.collapse_shape" || op.Name() == "memref.expand_shape"
		if !isPart && !(reshapes && isWhole(v.Type()) && isWhole(op.Operand(0).Type())) {
			return 0
		}
		same := 0
		for same < min(n, len(from)) && dims[same] == from[same] &&
			(!isPart || part.StaticOffsets[same] == 0 && part.StaticStrides[same] == 1) {
			same++
		}
		n, v, dims = same, op.Operand(0), from
	}
	return n
}

// computes reports whether the link does more than copy elements.
func (l link) computes() bool {
	if l.call != nil {
		return true
	}
	body := l.op.Region(0).First()
	return !body.First().Equal(body.Terminator())
}

// sizesOf returns the sizes of the loops that are the chain's.
func (l link) sizesOf() (sizes []int64) {
	for _, loop := range l.loops {
		sizes = append(sizes, l.sizes[loop])
	}
	return sizes
}

// loopAt returns which of the chain's loops is the index of a dimension of an array, and -1 if none is.
func (l link) loopAt(u use, dim int) int {
	return slices.IndexFunc(l.loops, func(loop int) bool { return u.at[loop] == dim })
}
