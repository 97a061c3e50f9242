package vmap

import (
	"strings"

	"github.com/calliope-mlir/calliope/contract/callop"
	"github.com/calliope-mlir/calliope/internal/ir/transform"
	"github.com/calliope-mlir/calliope/mlir"
)

// shardy has the operations that say how arrays are divided over devices. The batch is not divided.
var shardy = map[string]rule{
	callop.Manual:             manual,
	"sdy.sharding_constraint": constraint, "sdy.reshard": constraint, "sdy.propagation_barrier": alike,
}

// undivided returns the text of a sharding with a first dimension that is not divided or, if it is open, may be.
func undivided(sharding, dimension string) string {
	before, rest, _ := strings.Cut(sharding, ", [") // a mesh without a name has brackets, too
	if !strings.HasPrefix(rest, "]") {
		dimension += ", "
	}
	return before + ", [" + dimension + rest
}

func constraint(b *batcher, op mlir.Operation) []mlir.Value {
	a, _ := op.Attribute("sharding")
	if strings.Contains(a.String(), ", unreduced=") {
		return b.all(op) // XLA would add up what only its partitioner leaves to be added up
	}
	return b.apply(op, b.all(op), mlir.NamedAttribute{
		Name: "sharding", Value: transform.Must(b.Context.ParseAttribute(undivided(a.String(), "{?}"))),
	})
}

// manual batches a manual computation. All its results but tokens are batched, unless the batch takes the place of its
// devices.
func manual(b *batcher, op mlir.Operation) []mlir.Value {
	m := transform.Must(transform.AsManual(op))
	if len(b.taken(m)) > 0 {
		return b.replace(m)
	}
	operands := op.OperandValues()
	for i, v := range operands {
		if operands[i] = b.get(v); b.batched(v) {
			m.In[i] = undivided(m.In[i], "{}")
		}
	}
	for i, v := range op.Results() {
		if !b.tokens[v] {
			m.Out[i] = undivided(m.Out[i], "{}")
		}
	}
	return b.manual(m, operands, mlir.TypesOf(op.ResultValues()))
}

// manual creates a manual computation with these operands, for which m has the shardings, and batches of results.
func (b *batcher) manual(m transform.Manual, operands []mlir.Value, results []mlir.Type) []mlir.Value {
	for i, t := range results {
		if !b.tokens[m.Op.Result(i)] {
			results[i] = b.typeOf(t)
		}
	}
	parts := mlir.TypesOf(m.Body.ArgumentValues())
	for i, v := range operands {
		if transform.Rank(v) > transform.Rank(m.Body.Argument(i)) {
			parts[i] = b.typeOf(parts[i])
		}
	}
	region, block := b.Context.NewRegion(), b.Context.NewBlock(m.Op.Location(), parts...)
	region.Append(block)
	end := transform.Must(mlir.Create(block, mlir.OperationState{Name: "sdy.return", Location: m.Op.Location()}))
	outside := b.Emitter
	b.Emitter = transform.NewEmitter(end, m.Op.Location()) // its constants are in it
	end.SetOperands(b.parts(m, block.ArgumentValues(), b.full)...)
	b.Emitter = outside
	return transform.Must(mlir.Create(mlir.Before(b.Before), mlir.OperationState{
		Name: m.Op.Name(), Location: m.Op.Location(), Operands: operands, Results: results,
		Attributes: m.Attributes(b.Context), Regions: []mlir.Region{region},
	})).ResultValues()
}

// parts creates the operations of a manual computation, and returns the tokens that it returns and, by of, the batches.
func (b *batcher) parts(m transform.Manual, with []mlir.Value, of func(mlir.Value) mlir.Value) []mlir.Value {
	b.evaluate(m.Body, with)
	returned := m.Body.Terminator().OperandValues()
	for i, v := range returned {
		if b.tokens[v] {
			returned[i] = b.get(v)
		} else {
			returned[i] = of(v)
		}
	}
	return returned
}
