package passes

import (
	"slices"

	"github.com/calliope-mlir/calliope/internal/ir/rewrite"
	"github.com/calliope-mlir/calliope/mlir"
)

// A tokenChange is what an operation loses with the tokens that are gone.
type tokenChange struct {
	op       mlir.Operation
	operands []mlir.Value // without tokens
	results  []int        // that stay
	erase    bool
	index    int       // of an element in a tuple that has fewer then, or -1
	blocks   [][]int   // the arguments of each region that go
	cut      [2][]bool // of a function: parameters and results that go
}

// removeTokens removes the tokens whose chains are not kept, which order nothing any more.
func (g *migration) removeTokens() error {
	t := &g.tokens
	// Everything is decided before the first change.
	var changes []tokenChange
	var shrunk []mlir.Value
	g.module.Operation().WalkPostOrder(func(op mlir.Operation) mlir.WalkAction {
		if t.Uses(op) || op.Name() == "func.func" {
			changes = append(changes, t.change(op))
			t.Each(op, func(v mlir.Value) {
				if t.shrinks(v) {
					shrunk = append(shrunk, v)
				}
			})
		}
		return mlir.WalkContinue
	})
	for _, c := range changes {
		if len(c.operands) < c.op.NumOperands() {
			c.op.SetOperands(c.operands...)
		}
	}
	for _, v := range shrunk {
		v.SetType(t.Without(v.Type()))
	}
	for _, c := range changes {
		if err := g.apply(c); err != nil {
			return err
		}
	}
	return g.removeTuples()
}

// change decides what becomes of an operation.
func (t *tokenGraph) change(op mlir.Operation) tokenChange {
	c := tokenChange{op: op, index: t.newIndex(op), results: []int{}}
	for _, v := range op.Operands() {
		if !t.gone(v) {
			c.operands = append(c.operands, v)
		}
	}
	for i, v := range op.Results() {
		if !t.gone(v) {
			c.results = append(c.results, i)
		}
	}
	c.erase = op.NumResults() > 0 && len(c.results) == 0 && slices.Contains([]string{
		"stablehlo.create_token", "stablehlo.after_all", "stablehlo.tuple", "stablehlo.get_tuple_element",
		"stablehlo.optimization_barrier",
	}, op.Name())
	for _, region := range op.Regions() {
		var gone []int
		if region.NumBlocks() == 1 {
			for i, v := range region.First().Arguments() {
				if t.gone(v) {
					gone = append(gone, i)
				}
			}
		}
		c.blocks = append(c.blocks, gone)
	}
	if op.Name() == "func.func" && op.Region(0).NumBlocks() == 1 {
		block := op.Region(0).First()
		for _, v := range block.Arguments() {
			c.cut[0] = append(c.cut[0], t.gone(v))
		}
		for _, v := range block.Terminator().Operands() {
			c.cut[1] = append(c.cut[1], t.gone(v))
		}
	}
	return c
}

// newIndex returns the index of an element that is taken of a tuple that loses tokens, or -1 for another operation.
func (t *tokenGraph) newIndex(op mlir.Operation) int {
	if op.Name() != "stablehlo.get_tuple_element" || !t.shrinks(op.Operand(0)) {
		return -1
	}
	a, _ := op.Attribute("index")
	i, _ := a.Int()
	elements, _ := op.Operand(0).Type().Elements()
	for _, e := range elements[:i] {
		if t.Only(e) {
			i--
		}
	}
	return int(i)
}

// apply makes a change, but for the operands.
func (g *migration) apply(c tokenChange) error {
	ctx, name := g.module.Context(), c.op.Name()
	if c.index >= 0 {
		c.op.SetAttribute("index", ctx.IntegerAttribute(ctx.IntegerType(32, mlir.Signless), int64(c.index)))
	}
	for r, gone := range c.blocks {
		for _, i := range slices.Backward(gone) {
			if err := c.op.Region(r).First().EraseArgument(i); err != nil {
				return err
			}
		}
	}
	switch {
	case c.erase:
		if name == "stablehlo.create_token" || name == "stablehlo.after_all" {
			g.erased++
		}
		return c.op.Erase()
	case len(c.results) < c.op.NumResults():
		var types []mlir.Type
		for _, i := range c.results {
			types = append(types, c.op.Result(i).Type())
		}
		for _, name := range []string{"arg_attrs", "res_attrs"} {
			c.op.RemoveAttribute(name) // of a call
		}
		_, err := rewrite.Remake(c.op, c.op.OperandValues(), types, c.results)
		return err
	case c.index >= 0:
		if tuple := c.op.Operand(0); tuple.IsResult() && tuple.Owner().Name() == "stablehlo.tuple" {
			c.op.Result(0).ReplaceAllUses(tuple.Owner().Operand(c.index))
			return c.op.Erase()
		}
	case name == "func.func" && c.op.Region(0).NumBlocks() == 1:
		cutSignature(c.op, c.cut)
	}
	return nil
}

// removeTuples removes tuples that lost their uses with the tokens in them.
func (g *migration) removeTuples() error {
	var unused []mlir.Operation
	g.module.Operation().Walk(func(op mlir.Operation) mlir.WalkAction {
		if op.Name() == "stablehlo.tuple" && !op.Result(0).HasUses() {
			unused = append(unused, op)
		}
		return mlir.WalkContinue
	})
	for _, op := range unused {
		if err := op.Erase(); err != nil {
			return err
		}
	}
	return nil
}

// cutSignature sets the type of a function from its block and its return. cut states which
// parameters and results were removed.
func cutSignature(f mlir.Operation, cut [2][]bool) {
	c, block := f.Context(), f.Region(0).First()
	types := [2][]mlir.Type{mlir.TypesOf(block.ArgumentValues()), mlir.TypesOf(block.Terminator().OperandValues())}
	f.SetAttribute("function_type", c.TypeAttribute(c.FunctionType(types[0], types[1])))
	for i, name := range []string{"arg_attrs", "res_attrs"} {
		a, ok := f.Attribute(name)
		if !ok || !slices.Contains(cut[i], true) {
			continue
		}
		elements, _ := a.Elements()
		var rest []mlir.Attribute
		for j, e := range elements {
			if j >= len(cut[i]) || !cut[i][j] {
				rest = append(rest, e)
			}
		}
		if len(rest) == 0 {
			f.RemoveAttribute(name)
			continue
		}
		f.SetAttribute(name, c.ArrayAttribute(rest...))
	}
}
