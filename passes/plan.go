package passes

import (
	"slices"

	"github.com/calliope-mlir/calliope/contract/callop"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/mlir/dialect/function"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// A tapPlan has the values to tap, and the operations that the token passes through. It is
// made before the module changes. Its keys are hashes of operations.
type tapPlan struct {
	order    []mlir.Operation // functions, each after those that it calls
	results  map[uint64][]int // the results of an operation to tap
	args     map[uint64][][]int
	contains map[uint64]bool // operations with a tap in them or in a function that they call
	carries  map[string]bool // functions that take the token from their callers
}

// plan finds the values for which after returns true.
func plan(m *mlir.Module, after func(mlir.Value) bool) *tapPlan {
	p := &tapPlan{results: map[uint64][]int{}, args: map[uint64][][]int{}, contains: map[uint64]bool{},
		carries: map[string]bool{}}
	functions, byName := function.Defined(m)
	closed := closedFunctions(m, byName)
	seen := map[string]bool{}
	var visit func(f mlir.Operation)
	visit = func(f mlir.Operation) {
		name, _ := f.Symbol()
		if seen[name] {
			return
		}
		seen[name] = true
		for _, called := range function.Callees(f) {
			if g, ok := byName[called]; ok {
				visit(g)
			}
		}
		if !closed[name] {
			p.mark(f, after)
			if p.contains[f.Hash()] {
				calls, only := callsOf(m, name)
				p.carries[name] = only && len(calls) > 0 && name != "main"
			}
		}
		p.order = append(p.order, f)
	}
	for _, f := range functions {
		visit(f)
	}
	return p
}

// mark records the values to tap in an operation that may contain callbacks, and the operations
// around them.
func (p *tapPlan) mark(op mlir.Operation, after func(mlir.Value) bool) {
	found := false
	args := make([][]int, op.NumRegions())
	for i, region := range op.Regions() {
		if region.NumBlocks() != 1 {
			continue
		}
		block := region.First()
		for j, v := range block.Arguments() {
			if tappable(v) && after(v) {
				args[i] = append(args[i], j)
				found = true
			}
		}
		for inner := range block.Operations() {
			for j, v := range inner.Results() {
				if tappable(v) && after(v) {
					p.results[inner.Hash()] = append(p.results[inner.Hash()], j)
					found = true
				}
			}
			if callop.CanHold(inner) {
				p.mark(inner, after)
			} else if name, isCall := function.Callee(inner); isCall && p.carries[name] {
				p.contains[inner.Hash()] = true
			}
			found = found || p.contains[inner.Hash()]
		}
	}
	if found {
		p.contains[op.Hash()] = true
		p.args[op.Hash()] = args
	}
}

// arguments returns the arguments of a block to tap.
func (p *tapPlan) arguments(block mlir.Block) []int {
	parent := block.Parent()
	for i, region := range parent.Regions() {
		if args := p.args[parent.Hash()]; region.First().Equal(block) && i < len(args) {
			return args[i]
		}
	}
	return nil
}

// tappable reports whether the value is an array, which a callback can take.
func tappable(v mlir.Value) bool {
	_, err := stablehlo.ShapeOf(v.Type())
	return err == nil
}

// closedFunctions returns the functions that are called, directly or through others, in a
// region in which no callback can run, such as the body of a reduce, or by a custom call, such as the comparator
// of ApproxTopK.
func closedFunctions(m *mlir.Module, byName map[string]mlir.Operation) map[string]bool {
	closed := map[string]bool{}
	var queue []string
	m.Operation().Walk(func(op mlir.Operation) mlir.WalkAction {
		if call, ok := stablehlo.AsCustomCall(op); ok {
			queue = append(queue, call.CalledComputations...)
		}
		if name, isCall := function.Callee(op); isCall {
			for at := op.Parent(); !at.IsNil() && at.Name() != "func.func"; at = at.Parent() {
				if !callop.CanHold(at) {
					queue = append(queue, name)
					break
				}
			}
		}
		return mlir.WalkContinue
	})
	for len(queue) > 0 {
		name := queue[0]
		queue = queue[1:]
		if f, ok := byName[name]; ok && !closed[name] {
			closed[name] = true
			queue = slices.Concat(queue, function.Callees(f))
		}
	}
	return closed
}
