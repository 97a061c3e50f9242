package vmap

import (
	"errors"
	"fmt"
	"slices"

	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/contract/callop"
	"github.com/calliope-mlir/calliope/internal/ir/transform"
	"github.com/calliope-mlir/calliope/internal/ir/xlacalls"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
	"github.com/calliope-mlir/calliope/stablehlo/sharding"
)

// OneDevice makes a module for several devices one for a single device, which computes the same. A batch takes the
// place of the devices of each manual computation, along all its axes, and what else says how devices share arrays is
// removed, as by sharding.Undivide. Where each device calls a callback, it is called for one after the other.
//
// If replicas is more than 1, main takes the parameters of all replicas, first all of the first one, and returns their
// results in the same order.
//
// Private functions to which no symbol refers are removed. If there is an error, the module must not be used any more.
func OneDevice(m *mlir.Module, replicas int) (err error) {
	defer transform.Catch(&err, func() {})
	if a, ok := m.Operation().Attribute("mhlo.num_partitions"); ok && replicas > 1 {
		if n, _ := a.Int(); n > 1 {
			return fmt.Errorf("vmap: the module has %d replicas of %d partitions each: only one of both can be more than 1",
				replicas, n)
		}
	}
	eachFunction(m, inlineManual)
	unused, err := m.Context().NewPassManager(mlir.PassManagerOptions{Pipeline: "builtin.module(symbol-dce)"})
	if err != nil {
		return err
	}
	if err := unused.Run(m); err != nil { // functions that were inlined may have manual computations of their own
		return err
	}
	eachFunction(m, batchManual)
	if replicas > 1 {
		batchReplicas(m.SymbolTable(), replicas)
	}
	m.Operation().RemoveAttribute("mhlo.num_partitions")
	m.Operation().RemoveAttribute("mhlo.num_replicas")
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

// outermost returns the manual computations of a function that are over some axes and not in others.
func outermost(f mlir.Operation) (list []mlir.Operation) {
	f.Walk(func(op mlir.Operation) mlir.WalkAction {
		if op.Name() != callop.Manual || len(transform.Must(transform.AsManual(op)).Axes) == 0 {
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
			made: map[string]string{}, axis: &axis{each: true}, tokens: tokensOf(f.Region(0).First()),
			values: map[mlir.Value]mlir.Value{},
		}
		transform.Replace(op.ResultValues(), b.replace(transform.Must(transform.AsManual(op))))
		transform.Check(op.Erase())
	}
}

// batchReplicas makes main compute all replicas, as a batch.
func batchReplicas(table *mlir.SymbolTable, n int) {
	main, ok := table.Lookup("main")
	if !ok {
		transform.Check(errors.New("vmap: the module has no function @main to compute replicas of"))
	}
	of := main.Region(0).First()
	parameters := mlir.TypesOf(of.ArgumentValues())
	if slices.ContainsFunc(parameters, stablehlo.IsToken) {
		transform.Fail(main, "its calls are in the order of a token that it takes, and replicas have no order")
	}
	batched := transform.Must(Batch(main, Options{
		Size: int64(n), Method: contract.Sequential, Name: "main.replicas",
		axis: &axis{devices: [][]int64{transform.UpTo(n)}, each: true},
	}))
	batched.SetVisibility(mlir.Private)
	made := transform.NewFunction(main.Location(), "main.each", slices.Repeat(parameters, n))
	transform.Check(main.Erase())
	transform.Must(table.Insert(made))
	body := made.Region(0).First()
	b := &batcher{Emitter: transform.NewEmitter(body.Terminator(), made.Location()), size: int64(n)}
	operands := make([]mlir.Value, len(parameters))
	for i := range operands {
		var parts []mlir.Value
		for replica := range n {
			v := body.Argument(replica*len(parameters) + i)
			parts = append(parts, b.Reshape(v, first(1, transform.Dims(v))...))
		}
		operands[i] = b.Do(stablehlo.ConcatenateOp{Inputs: parts})
	}
	name, _ := batched.Symbol()
	results := b.call(name, operands, mlir.TypesOf(batched.Region(0).First().Terminator().OperandValues()))
	var returned []mlir.Value
	for replica := range n {
		for _, v := range results {
			returned = append(returned, b.part(v, int64(replica)))
		}
	}
	body.Terminator().SetOperands(returned...)
	transform.Settle(made, table, "main")
}
