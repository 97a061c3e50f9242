package passes

import (
	"slices"

	"github.com/calliope-mlir/calliope/internal/ir/rewrite"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/mlir/dialect/function"
)

// A tokenGraph divides the values that are tokens of XLA, or tuples with such tokens, into
// chains: sets of values that are connected by operations that pass them on. A chain is kept if
// an operation uses it that Migrate does not replace. The tokens of one tuple are in one chain.
type tokenGraph struct {
	up   map[mlir.Value]mlir.Value // the union-find forest
	kept map[mlir.Value]string     // by root: why the chain is kept
	rewrite.TokenTypes
}

func (t *tokenGraph) root(v mlir.Value) mlir.Value {
	for {
		up, ok := t.up[v]
		if !ok || up == v {
			return v
		}
		if above, ok := t.up[up]; ok {
			t.up[v] = above
		}
		v = up
	}
}

// join connects two values if both hold tokens.
func (t *tokenGraph) join(a, b mlir.Value) {
	if !t.Holds(a.Type()) || !t.Holds(b.Type()) {
		return
	}
	a, b = t.root(a), t.root(b)
	if a == b {
		return
	}
	if reason := t.kept[a]; reason != "" && t.kept[b] == "" {
		t.kept[b] = reason
	}
	t.up[a] = b
}

// keep keeps the chain of a value.
func (t *tokenGraph) keep(v mlir.Value, reason string) {
	if root := t.root(v); t.kept[root] == "" {
		t.kept[root] = reason
	}
}

// keeps returns why a value's chain is kept, or "".
func (t *tokenGraph) keeps(v mlir.Value) string { return t.kept[t.root(v)] }

// connect finds the chains of a module, and the operations that it does not know.
func (t *tokenGraph) connect(g *migration) {
	t.up, t.kept, t.TokenTypes = map[mlir.Value]mlir.Value{}, map[mlir.Value]string{}, rewrite.TokenTypes{}
	for _, op := range g.ops {
		if !t.connectOperation(g, op) && t.Uses(op) {
			g.leave(op, "it uses a token, and is not known to Migrate")
			t.keepAll(op, "its token is also that of "+op.Name()+atPlace(op))
		}
	}
}

func (t *tokenGraph) keepAll(op mlir.Operation, reason string) {
	t.Each(op, func(v mlir.Value) {
		if t.Holds(v.Type()) {
			t.keep(v, reason)
		}
	})
}

// connectOperation connects the tokens of one operation. It returns false if it does not know
// how they pass through it.
func (t *tokenGraph) connectOperation(g *migration, op mlir.Operation) bool {
	operands, results := op.OperandValues(), op.ResultValues()
	joinAll := func() {
		var first mlir.Value
		t.Each(op, func(v mlir.Value) {
			if t.Holds(v.Type()) {
				if first.IsNil() {
					first = v
				}
				t.join(v, first)
			}
		})
	}
	pairs := func(a, b []mlir.Value) bool {
		if len(a) != len(b) {
			return false
		}
		for i := range a {
			t.join(a[i], b[i])
		}
		return true
	}
	switch op.Name() {
	case "builtin.module":
		return true
	case "func.func":
		return t.connectFunction(g, op)
	case "stablehlo.create_token":
		return true
	case "stablehlo.after_all", "stablehlo.outfeed", "stablehlo.infeed", "stablehlo.tuple",
		"stablehlo.get_tuple_element":
		joinAll()
		return true
	case "stablehlo.optimization_barrier":
		return pairs(operands, results)
	case "stablehlo.while", "stablehlo.if", "stablehlo.case":
		ok := true
		for i, region := range op.Regions() {
			if region.NumBlocks() != 1 {
				return !t.Uses(op)
			}
			block := region.First()
			end := block.Terminator()
			if op.Name() == "stablehlo.while" {
				ok = pairs(operands, block.ArgumentValues()) && ok
			}
			if end.IsNil() || end.Name() != "stablehlo.return" {
				ok = false
			} else if op.Name() != "stablehlo.while" || i == 1 {
				ok = pairs(end.OperandValues(), results) && ok
			}
		}
		return ok
	case "stablehlo.return":
		parent := op.Parent().Name()
		return parent == "stablehlo.while" || parent == "stablehlo.if" || parent == "stablehlo.case"
	case "func.return":
		return op.Parent().Name() == "func.func"
	}
	if name, isCall := function.Callee(op); isCall {
		f, ok := g.callers.byName[name]
		if !ok || f.Region(0).NumBlocks() != 1 || isInner(op) {
			return false
		}
		joinAll()
		block := f.Region(0).First()
		return pairs(operands, block.ArgumentValues()) && pairs(block.Terminator().OperandValues(), results)
	}
	return false
}

// connectFunction returns false if tokens in the signature of a function cannot be removed.
func (t *tokenGraph) connectFunction(g *migration, f mlir.Operation) bool {
	name, _ := f.Symbol()
	if defined, ok := g.callers.byName[name]; ok && defined == f && rewrite.IsPlain(f) {
		end := f.Region(0).First().Terminator()
		if !g.callers.other[name] && end.Name() == "func.return" {
			return true
		}
		// The results are not values of the function itself.
		for _, v := range end.Operands() {
			if t.Holds(v.Type()) {
				t.keep(v, "its token is in the signature of @"+name+", to which something other than a call refers")
			}
		}
	}
	a, _ := f.Attribute("function_type")
	of, _ := a.TypeValue()
	params, results, _ := of.Signature()
	if slices.ContainsFunc(slices.Concat(params, results), t.Holds) {
		g.leave(f, "a token is in its signature, which cannot change")
	}
	return !t.Uses(f)
}

// gone reports whether a value is a token that is removed.
func (t *tokenGraph) gone(v mlir.Value) bool {
	return t.Holds(v.Type()) && t.Only(v.Type()) && t.keeps(v) == ""
}

// shrinks reports whether a value is a tuple of which tokens are removed.
func (t *tokenGraph) shrinks(v mlir.Value) bool {
	return t.Holds(v.Type()) && !t.Only(v.Type()) && t.keeps(v) == ""
}

// dead reports whether the module has tokens to remove.
func (t *tokenGraph) dead(g *migration) bool {
	found := false
	for _, op := range g.ops {
		t.Each(op, func(v mlir.Value) { found = found || t.Holds(v.Type()) && t.keeps(v) == "" })
	}
	return found
}
