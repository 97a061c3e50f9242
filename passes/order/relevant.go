package order

import (
	"github.com/calliope-mlir/calliope/internal/ir/rewrite"
	"github.com/calliope-mlir/calliope/mlir"
)

// A relevance finds the operations on which the order of calls may depend: the calls, those that
// depend on a call, and those around or before them that need to be in the graph. Most operations
// of a module only compute what calls take.
type relevance struct {
	g     *graphMaker
	ops   map[mlir.Operation]bool
	calls map[mlir.Operation][]mlir.Operation // of each function with a body
	todo  []mlir.Operation
}

// relevantOps returns the relevant operations of a module, or nil if it has no calls to order.
func (g *graphMaker) relevantOps(m *mlir.Module) map[mlir.Operation]bool {
	r := relevance{g: g, ops: map[mlir.Operation]bool{}, calls: map[mlir.Operation][]mlir.Operation{}}
	all := g.options.Index
	if all == nil {
		all = m.Operation().Index()
	}
	var sites []mlir.Operation
	for op := range all.Named(rewrite.EffectNames...) {
		if kind, ok := g.reader.Read(op); ok && g.ordered(op, &kind) {
			sites = append(sites, op)
		}
	}
	if len(sites) == 0 {
		return nil
	}
	for op := range all.Named("func.call", "call", "stablehlo.composite") {
		if callee, ok := g.callee(op); ok {
			r.calls[callee.op] = append(r.calls[callee.op], op)
		}
	}
	if len(r.calls) == 0 && runOnce(sites) {
		return nil
	}
	for _, op := range sites {
		r.add(op)
	}
	for _, f := range g.order { // chains of tokens have their names from the parameters
		for _, v := range f.op.Region(0).First().Arguments() {
			if g.reader.Tokens.Holds(v.Type()) {
				r.follow(v)
			}
		}
	}
	for len(r.todo) > 0 {
		op := r.todo[len(r.todo)-1]
		r.todo = r.todo[:len(r.todo)-1]
		r.visit(op)
	}
	return r.ops
}

// runOnce reports whether each of some calls is the only one in its function, and runs at most once
// in it. Then nothing is to be ordered if no function calls another one.
func runOnce(sites []mlir.Operation) bool {
	functions := map[mlir.Operation]bool{}
	for _, op := range sites {
		f := op.Parent()
		if functions[f] || f.IsNil() || f.Name() != "func.func" {
			return false
		}
		functions[f] = true
		if block := op.Block(); block != f.Region(0).First() || !block.Next().IsNil() {
			return false
		}
	}
	return true
}

func (r *relevance) add(op mlir.Operation) {
	if !r.ops[op] {
		r.ops[op] = true
		r.todo = append(r.todo, op)
	}
}

// follow adds the operations that use a value.
func (r *relevance) follow(v mlir.Value) {
	for use := range v.Uses() {
		r.add(use.Owner)
	}
}

// visit adds what depends on an operation, the operations around it, and the calls of its
// function.
func (r *relevance) visit(op mlir.Operation) {
	for _, v := range op.Results() {
		r.follow(v)
	}
	r.enter(op)
	if f, ok := r.g.callee(op); ok {
		r.enter(f.op)
	}
	parent := op.Parent()
	if parent.IsNil() {
		return
	}
	if parent.Name() == "func.func" {
		for _, call := range r.calls[parent] {
			r.add(call)
		}
		return
	}
	r.add(parent)
}

// enter adds what depends on the arguments of an operation's regions.
func (r *relevance) enter(op mlir.Operation) {
	for _, region := range op.Regions() {
		for block := range region.Blocks() {
			for _, v := range block.Arguments() {
				r.follow(v)
			}
		}
	}
}
