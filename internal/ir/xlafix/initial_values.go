package xlafix

import (
	"math"
	"slices"

	"github.com/calliope-mlir/calliope/internal/ir/rewrite"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// KeepInitialValues rewrites the reductions whose initial values XLA loses, unless they are constants that change
// nothing. Where a reduce, or a reduce_window without dimensions, combines one element, XLA returns that element, and a
// select_and_scatter without dimensions ends the process. KeepInitialValues makes maps of them. A select_and_scatter
// without windows, which XLA folds to zeros or compiles without end, becomes its initial value. Where a reduce_window
// adds elements around its operands, or between them, XLA leaves them out. KeepInitialValues puts a pad before it, and
// before one whose windows have one element and whose padding removes elements, on which XLA's compiler ends the
// process. It returns the number of reductions that it rewrote.
func KeepInitialValues(m *mlir.Module) (int, error) {
	n := 0
	for op := range m.Operation().Index().Named(reductions...) {
		if !losesInitialValue(op) {
			continue
		}
		e := before(op)
		window, ok := stablehlo.AsReduceWindow(op)
		half := op.NumOperands() / 2
		switch {
		case ok && len(window.WindowDimensions) > 0:
			e.padBefore(op, window)
		case scattersNothing(op):
			v := stablehlo.BroadcastInDim(e.Builder, op.Result(0).Type(), op.Operand(2), []int64{})
			if e.Cause() != nil {
				return n, e.Cause()
			}
			rewrite.KeepSharding(op, v.Owner())
			op.Result(0).ReplaceAllUses(v)
			e.Fail(op.Erase())
		case op.Name() == "stablehlo.select_and_scatter":
			e.mapElements(op, 1, op.OperandValues()[2:], op.OperandValues()[1:2])
		default:
			e.mapElements(op, 0, op.OperandValues()[half:], op.OperandValues()[:half])
		}
		if e.Cause() != nil {
			return n, e.Cause()
		}
		n++
	}
	return n, nil
}

// reductions are the operations that have initial values.
var reductions = []string{"stablehlo.reduce", "stablehlo.reduce_window", "stablehlo.select_and_scatter"}

// losesInitialValue reports whether XLA loses the initial values of a reduction, and they may change its results.
func losesInitialValue(op mlir.Operation) bool {
	switch op.Name() {
	case "stablehlo.reduce":
		reduce, ok := stablehlo.AsReduce(op)
		if !ok {
			return false
		}
		for _, v := range reduce.Inputs {
			n, static := v.Type().NumElements()
			to, staticToo := op.Result(0).Type().NumElements()
			if !static || !staticToo || n == 0 || n != to {
				return false
			}
		}
		return !IsNeutral(reduce.Body, reduce.InitValues)
	case "stablehlo.reduce_window":
		window, ok := stablehlo.AsReduceWindow(op)
		_, static := op.Operand(0).Type().NumElements()
		return ok && static && (trimsElements(op) || (len(window.WindowDimensions) == 0 || extends(window)) &&
			!IsNeutral(window.Body, window.InitValues))
	case "stablehlo.select_and_scatter":
		dims, ranked := op.Operand(0).Type().Dims()
		return ranked && len(dims) == 0 || scattersNothing(op)
	}
	return false
}

// scattersNothing reports whether a select_and_scatter has no windows.
func scattersNothing(op mlir.Operation) bool {
	if op.Name() != "stablehlo.select_and_scatter" || !isStatic(op) {
		return false
	}
	n, _ := op.Operand(1).Type().NumElements()
	return n == 0
}

// extends reports whether a reduce_window adds elements to its operands.
func extends(o stablehlo.ReduceWindowOp) bool {
	for _, p := range o.Padding {
		if p[0] > 0 || p[1] > 0 {
			return true
		}
	}
	for _, d := range o.BaseDilations {
		if d > 1 {
			return true
		}
	}
	return false
}

// trimsElements reports whether an operation is a reduce_window with windows of one element and padding that removes
// elements.
func trimsElements(op mlir.Operation) bool {
	o, ok := stablehlo.AsReduceWindow(op)
	return ok && !slices.ContainsFunc(o.WindowDimensions, func(n int64) bool { return n != 1 }) &&
		slices.ContainsFunc(o.Padding, func(p [2]int64) bool { return p[0] < 0 || p[1] < 0 })
}

// mapElements replaces a reduction that combines one element, and the initial value, for each of its results. A region
// says how. The body of a map has one result.
func (e emitter) mapElements(op mlir.Operation, region int, initial, elements []mlir.Value) {
	dims, _ := op.Result(0).Type().Dims()
	var operands []mlir.Value
	for i, v := range initial {
		operands = append(operands, stablehlo.BroadcastInDim(e.Builder, op.Result(i).Type(), v, []int64{}))
	}
	for i, v := range elements {
		operands = append(operands, stablehlo.Reshape(e.Builder, op.Result(i).Type(), v))
	}
	all := make([]int64, len(dims))
	for i := range all {
		all[i] = int64(i)
	}
	for i, r := range op.ResultValues() {
		copied, body := op.Clone(), e.Context().NewRegion()
		body.TakeBody(copied.Region(region))
		end := body.First().Terminator()
		end.SetOperands(end.Operand(i))
		made := stablehlo.MapOp{Inputs: operands, Dimensions: all, Computation: body}.Create(e.Builder)
		if e.Fail(copied.Erase()); e.Cause() != nil {
			return
		}
		if len(elements) == 1 {
			rewrite.KeepSharding(op, made)
		}
		r.ReplaceAllUses(made.Result(0))
	}
	e.Fail(op.Erase())
}

// padBefore makes the elements that a reduce_window adds those of a pad. The barrier hides that they are the initial
// value, because XLA otherwise makes one operation of both again.
func (e emitter) padBefore(op mlir.Operation, o stablehlo.ReduceWindowOp) {
	rank := len(o.WindowDimensions)
	low, high, interior := make([]int64, rank), make([]int64, rank), make([]int64, rank)
	for i, p := range o.Padding {
		low[i], high[i] = p[0], p[1]
	}
	for i, d := range o.BaseDilations {
		interior[i] = d - 1
	}
	for i, v := range o.Inputs {
		hidden := stablehlo.OptimizationBarrier(e.Builder, o.InitValues[i]).Result(0)
		padded := stablehlo.Pad(e.Builder, v, hidden, low, high, interior)
		if e.Cause() != nil {
			return
		}
		op.SetOperand(i, padded)
	}
	op.RemoveAttribute("padding")
	op.RemoveAttribute("base_dilations")
}

// IsNeutral reports whether a body is one operation that returns one of its arguments if the other one is the initial
// value.
func IsNeutral(body mlir.Region, initial []mlir.Value) bool {
	if len(initial) != 1 {
		return false
	}
	start, ok := splatOf(initial[0])
	if !ok {
		return false
	}
	element, _ := initial[0].Type().Element()
	bits, sign, isInteger := element.IntegerWidth()
	least, most := math.Inf(-1), math.Inf(1)
	switch {
	case isInteger && (sign == mlir.Unsigned || bits == 1):
		least, most = 0, math.Ldexp(1, bits)-1
	case isInteger:
		least, most = -math.Ldexp(1, bits-1), math.Ldexp(1, bits-1)-1
	}
	switch combining(body) {
	case "stablehlo.add", "stablehlo.or", "stablehlo.xor":
		return start == 0
	case "stablehlo.multiply":
		return start == 1
	case "stablehlo.maximum":
		return start == least
	case "stablehlo.minimum":
		return start == most
	case "stablehlo.and":
		return start == most || start == -1
	}
	return false
}

// combiners are the operations of which IsNeutral knows the values that change nothing.
var combiners = []string{"stablehlo.add", "stablehlo.and", "stablehlo.maximum", "stablehlo.minimum",
	"stablehlo.multiply", "stablehlo.or", "stablehlo.xor"}

// combining returns the name of the one operation that a body makes of its two arguments, or "".
func combining(body mlir.Region) string {
	if body.NumBlocks() != 1 {
		return ""
	}
	block := body.First()
	end := block.Terminator()
	if end.NumOperands() != 1 || !end.Operand(0).IsResult() {
		return ""
	}
	op := end.Operand(0).Owner()
	if op.Block() != block || op.NumOperands() != 2 {
		return ""
	}
	x, y := op.Operand(0), op.Operand(1)
	if x.Equal(y) || !x.IsArgument() || !y.IsArgument() || x.Block() != block || y.Block() != block {
		return ""
	}
	return op.Name()
}

// isUnclear reports whether a reduction has constants as initial values of which IsNeutral cannot say that they change
// nothing: its body is more than one operation, such as those of an argmax, or combines complex numbers. Programs give
// these a neutral value as a rule.
func isUnclear(op mlir.Operation) bool {
	for _, v := range op.OperandValues()[op.NumOperands()/2:] {
		if _, ok := rewrite.SplatElement(v); !ok {
			return false
		}
	}
	element, _ := op.Result(0).Type().Element()
	return isComplex(element) || !slices.Contains(combiners, combining(op.Region(0)))
}

// splatOf returns the number that all elements of a constant are. One of 64 bits may be rounded.
func splatOf(v mlir.Value) (float64, bool) {
	element, ok := rewrite.SplatElement(v)
	if !ok {
		return 0, false
	}
	if b, ok := element.Bool(); ok {
		if b {
			return 1, true
		}
		return 0, true
	}
	if n, ok := element.BigInt(); ok {
		x, _ := n.Float64()
		return x, true
	}
	return element.Float()
}
