package vmap

import (
	"slices"

	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/contract/callop"
	"github.com/calliope-mlir/calliope/internal/ir/transform"
	"github.com/calliope-mlir/calliope/internal/ir/xlacalls"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo/sharding"
)

// OneDevice makes a module whose arrays several devices share one for a single device, which computes the same: a batch
// takes the place of the devices of each manual computation, along all its axes, and what else says how arrays are
// divided is removed, as by sharding.Undivide. A callback in a manual computation is called for each device, in their
// order. If there is an error, the module must not be used any more.
func OneDevice(m *mlir.Module) (err error) {
	defer transform.Catch(&err, func() {})
	eachFunction(m, inlineManual)
	unused, err := m.Context().NewPassManager(mlir.PassManagerOptions{Pipeline: "builtin.module(symbol-dce)"})
	if err != nil {
		return err
	}
	if err := unused.Run(m); err != nil { // such as functions with manual computations inside of others, which are inlined
		return err
	}
	eachFunction(m, batchManual)
	m.Operation().RemoveAttribute("mhlo.num_partitions")
	return sharding.Undivide(m)
}

// eachFunction calls f for each function that a module has now.
func eachFunction(m *mlir.Module, f func(table *mlir.SymbolTable, of mlir.Operation)) {
	for _, op := range slices.Collect(m.Body().Operations()) {
		if op.Name() == "func.func" {
			f(m.SymbolTable(), op)
		}
	}
}

// outermost returns the manual computations of a function that are not in others.
func outermost(f mlir.Operation) (list []mlir.Operation) {
	f.Walk(func(op mlir.Operation) mlir.WalkAction {
		if op.Name() != callop.Manual {
			return mlir.WalkContinue
		}
		list = append(list, op)
		return mlir.WalkSkip
	})
	return list
}

// inlineManual inlines the functions that manual computations call.
func inlineManual(table *mlir.SymbolTable, f mlir.Operation) {
	for _, op := range outermost(f) {
		if at, err := transform.InlineExcept(op, table, stays(table)); err != nil {
			transform.Fail(at, "%v", err)
		}
	}
}

// batchManual puts batches in the place of manual computations.
func batchManual(table *mlir.SymbolTable, f mlir.Operation) {
	for _, op := range outermost(f) {
		transform.Unpack(op)
		transform.Must(xlacalls.Expand(op))
		asComposites(op)
		transform.DropScalarShardings(op)
		b := &batcher{
			Emitter: transform.NewEmitter(op, op.Location()), size: 1, method: contract.Sequential, table: table,
			made: map[string]string{}, axis: &axis{each: true}, tokens: map[mlir.Value]bool{}, values: map[mlir.Value]mlir.Value{},
		}
		for block := range f.Region(0).Blocks() {
			for v := range tokensOf(block) {
				b.tokens[v] = true
			}
		}
		results := b.replace(transform.Must(transform.AsManual(op)))
		transform.Replace(op.ResultValues(), results)
		transform.Check(op.Erase())
	}
}
