package vmap

import (
	"strings"

	"github.com/calliope-mlir/calliope/contract/callop"
	"github.com/calliope-mlir/calliope/internal/transform"
	"github.com/calliope-mlir/calliope/mlir"
)

// shardy has the operations that say how arrays are divided over devices. The batch is not divided.
var shardy = map[string]rule{
	callop.Manual:             manual,
	"sdy.sharding_constraint": constraint, "sdy.reshard": constraint, "sdy.propagation_barrier": alike,
}

// undivided returns the text of a sharding with a first dimension that is not divided or, if it is open, may be.
func undivided(sharding, dimension string) string {
	before, rest, _ := strings.Cut(sharding, "[")
	if !strings.HasPrefix(rest, "]") {
		dimension += ", "
	}
	return before + "[" + dimension + rest
}

func constraint(b *batcher, op mlir.Operation) []mlir.Value {
	a, _ := op.Attribute("sharding")
	return b.apply(op, b.all(op), mlir.NamedAttribute{
		Name: "sharding", Value: must(b.Context.ParseAttribute(undivided(a.String(), "{?}"))),
	})
}

// manual batches a manual computation. All its results are batched.
func manual(b *batcher, op mlir.Operation) []mlir.Value {
	m := must(transform.AsManual(op))
	operands, arguments := op.OperandValues(), typesOf(arguments(m.Body))
	for i, v := range operands {
		if operands[i] = b.get(v); b.batched(v) {
			m.In[i], arguments[i] = undivided(m.In[i], "{}"), b.typeOf(arguments[i])
		}
	}
	var results []mlir.Type
	for i, v := range op.Results() {
		m.Out[i] = undivided(m.Out[i], "{}")
		results = append(results, b.typeOf(v.Type()))
	}
	region, block := b.Context.NewRegion(), b.Context.NewBlock(op.Location(), arguments...)
	region.Append(block)
	end := must(mlir.Create(block, mlir.OperationState{Name: "sdy.return", Location: op.Location()}))
	outside := b.Emitter
	b.Emitter = transform.NewEmitter(end, op.Location()) // its constants are in it
	b.evaluate(m.Body, transform.Arguments(block))
	returned := m.Body.Terminator().OperandValues()
	for i, v := range returned {
		returned[i] = b.full(v)
	}
	end.SetOperands(returned...)
	b.Emitter = outside
	return must(mlir.Create(mlir.Before(b.Before), mlir.OperationState{
		Name: op.Name(), Location: op.Location(), Operands: operands, Results: results,
		Attributes: m.Attributes(b.Context), Regions: []mlir.Region{region},
	})).ResultValues()
}
