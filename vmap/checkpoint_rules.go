package vmap

import (
	"slices"

	"github.com/calliope-mlir/calliope/internal/ir/rewrite"
	"github.com/calliope-mlir/calliope/internal/ir/transform"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// stays returns a function that reports whether a call is not inlined: a composite that states its derivative, or a
// checkpoint of a function without effects, whose order would go through the call.
func stays(table *mlir.SymbolTable) func(call mlir.Operation) bool {
	return func(call mlir.Operation) bool {
		_, checkpoint := transform.CheckpointOf(call)
		return transform.HasRule(call) || checkpoint && !hasEffects(call, table, nil)
	}
}

// hasEffects reports whether an operation or what it calls has side effects.
func hasEffects(op mlir.Operation, table *mlir.SymbolTable, within []string) bool {
	for inner := range op.All() {
		name, _ := rewrite.CalledFunction(inner)
		if name == "" {
			if inner.NumRegions() == 0 && !transform.IsPure(inner) {
				return true
			}
			continue
		}
		f, ok := table.Lookup(name)
		if !ok || slices.Contains(within, name) || hasEffects(f, table, append(within, name)) {
			return true // if it is not there, or calls itself, inlining reports it
		}
	}
	return false
}

// asComposites makes the calls in a function that are checkpoints composites, which are known to have no effects.
func asComposites(f mlir.Operation) {
	for _, op := range slices.Collect(f.All()) {
		policy, ok := transform.CheckpointOf(op)
		if !ok || op.Name() != "func.call" {
			continue
		}
		name, _ := rewrite.CalledFunction(op)
		made := transform.NewEmitter(op, op.Location()).Op(stablehlo.CompositeOp{
			Name: transform.Checkpoint, Decomposition: name, Inputs: op.OperandValues(),
			CompositeAttributes: f.Context().DictionaryAttribute(mlir.NamedAttribute{Name: "policy", Value: policy}),
			ResultTypes:         mlir.TypesOf(op.ResultValues()),
		})
		transform.Replace(op.ResultValues(), made.ResultValues())
		transform.Check(op.Erase())
	}
}

// checkpoint batches a checkpoint, with its function. All results are batched.
func checkpoint(b *batcher, op mlir.Operation) []mlir.Value {
	o, _ := stablehlo.AsComposite(op)
	in := make([]int, len(o.Inputs))
	for i, v := range o.Inputs {
		if o.Inputs[i] = b.get(v); !b.batched(v) {
			in[i] = NotBatched
		}
	}
	f, _ := b.table.Lookup(o.Decomposition)
	o.Decomposition = b.function(f, in)
	for i, t := range o.ResultTypes {
		o.ResultTypes[i] = b.typeOf(t)
	}
	return b.Op(o).ResultValues()
}
