package jit

import (
	"slices"
	"strings"

	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/mlir/dialect/linalg"
	"github.com/calliope-mlir/calliope/mlir/dialect/tensor"
)

// readInputs makes inputs of the outputs that operations linalg.generic without reductions read. The pass
// linalg-fuse-elementwise-ops computes such an operation once for each use of an element by the next one, and each time
// reads what it has written before.
func readInputs(m *mlir.Module, _ *Executable) error {
	for op := range m.Operation().Index().Named("linalg.generic") {
		g, ok := linalg.AsGeneric(op)
		if !ok || op.NumResults() != len(g.Outputs) || slices.ContainsFunc(g.IteratorTypes, isReduction) {
			continue
		}
		if err := readInputsOf(op, g); err != nil {
			return err
		}
	}
	return nil
}

func isReduction(loop mlir.Attribute) bool {
	return !strings.Contains(loop.String(), linalg.ParallelLoop)
}

// readInputsOf makes an operation whose outputs are new in the place of one that reads some.
func readInputsOf(op mlir.Operation, g linalg.GenericOp) error {
	n := len(g.Inputs)
	inputs, outputs := slices.Clone(g.Inputs), slices.Clone(g.Outputs)
	maps := slices.Clone(g.IndexingMaps[:n])
	b, body := mlir.NewBuilder(mlir.Before(op), op.Location()), g.Region.First()
	for i, v := range g.Outputs {
		out := body.Argument(len(inputs) + i)
		if !out.HasUses() {
			continue
		}
		out.ReplaceAllUses(body.InsertArgument(len(inputs), out.Type(), op.Location()))
		inputs, maps = append(inputs, v), append(maps, g.IndexingMaps[n+i])
		outputs[i] = tensor.Empty(b, v.Type())
	}
	if len(inputs) == n {
		return nil
	}
	g.Inputs, g.Outputs, g.IndexingMaps = inputs, outputs, append(maps, g.IndexingMaps[n:]...)
	g.Region = b.Context().NewRegion()
	g.Region.TakeBody(op.Region(0))
	changed := g.Create(b)
	if b.Err() != nil {
		return b.Err()
	}
	for i, r := range op.Results() {
		r.ReplaceAllUses(changed.Result(i))
	}
	return op.Erase()
}
