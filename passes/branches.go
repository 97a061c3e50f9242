package passes

import (
	"fmt"
	"slices"

	"github.com/calliope-mlir/calliope/contract/callop"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/mlir/dialect/function"
)

// ReturnThroughBranches protects values that XLA's CPU compiler would overwrite. If a computation
// returns one array, which it computes before an if or a case with side effects, XLA drops the
// copies for what writes to the memory of this array in a branch: a callback that shares it with a result,
// or a loop that carries it. The computation then returns what was written. A value that is a
// result of the if itself is right. So ReturnThroughBranches lets such values pass through the branches
// unchanged, and returns the number of these values.
//
// A computation is a function, a branch or the body of a loop. A call of a function that holds such an
// if counts as one, and is inlined. An if with shardings of its results is left as it is.
//
// See ForXLA.
func ReturnThroughBranches(m *mlir.Module) (int, error) {
	list, functions := function.Defined(m)
	r := &returning{sideEffects: sideEffects{functions: functions, state: map[string]reading{}}, called: map[string]bool{}}
	for _, f := range list {
		if name, _ := f.Symbol(); r.read(name) == callsItself {
			return 0, nil // XLA refuses the module
		}
		for _, name := range function.Callees(f) {
			r.called[name] = true
		}
	}
	for _, f := range list {
		if f.Region(0).NumBlocks() != 1 {
			continue // control flow of another dialect, which XLA refuses, too
		}
		name, _ := f.Symbol()
		if err := r.block(f.Region(0).First(), r.called[name]); err != nil {
			return r.values, err
		}
	}
	if r.values == 0 {
		return 0, nil
	}
	return r.values, m.Verify()
}

// returning is the state of ReturnThroughBranches.
type returning struct {
	sideEffects
	called map[string]bool // the functions that are called
	values int
}

// block handles a block and those in it. What a function that is called returns may become what its caller
// returns alone, so all its values count.
func (r *returning) block(b mlir.Block, called bool) error {
	end := b.Terminator()
	if end.IsNil() || end.NumOperands() != 1 && !called {
		end = mlir.Operation{}
	}
	for op := b.First(); !op.IsNil() && op != b.Terminator(); {
		name, isCall := function.Callee(op)
		var err error
		switch {
		case end.IsNil():
		case isCall && r.read(name) == branch && returnsOther(end, op):
			if op, err = r.inline(op, name); err != nil {
				return err
			}
			continue
		case isBranch(op) && !hasSharding(op) && r.hasEffects(op):
			if op, err = r.protect(op, end); err != nil {
				return err
			}
		}
		for _, region := range op.Regions() {
			if block := region.First(); !block.IsNil() {
				if err := r.block(block, false); err != nil {
					return err
				}
			}
		}
		op = op.Next()
	}
	return nil
}

// independent reports whether a value is an array that does not depend on an operation.
func independent(v mlir.Value, op mlir.Operation) bool {
	return v.Type().IsRankedTensor() && !callop.DependsOn(v, op)
}

// returnsOther reports whether end returns a value that does not depend on op.
func returnsOther(end, op mlir.Operation) bool {
	return slices.ContainsFunc(end.OperandValues(), func(v mlir.Value) bool { return independent(v, op) })
}

// protect makes the values that end returns, and that do not depend on op, results of op. It
// returns the operation that takes op's place.
func (r *returning) protect(op, end mlir.Operation) (mlir.Operation, error) {
	for i := range end.NumOperands() {
		v := end.Operand(i)
		if !independent(v, op) {
			continue
		}
		hoist(v, op)
		for _, region := range op.Regions() {
			branch := region.First().Terminator()
			branch.SetOperands(append(branch.OperandValues(), v)...)
		}
		made, err := remake(op, op.OperandValues(), append(resultTypes(op), v.Type()), upTo(op.NumResults()))
		if err != nil {
			return op, err
		}
		op = made
		end.SetOperand(i, op.Result(op.NumResults()-1))
		r.values++
	}
	return op, nil
}

// hoist moves what computes a value, and stands after an operation, before it.
func hoist(v mlir.Value, before mlir.Operation) {
	if v.IsArgument() || v.Owner().Block() != before.Block() || v.Owner().IsBefore(before) {
		return
	}
	owner := v.Owner()
	owner.Walk(func(inner mlir.Operation) mlir.WalkAction {
		for _, used := range inner.Operands() {
			hoist(used, before)
		}
		return mlir.WalkContinue
	})
	owner.MoveBefore(before)
}

// inline replaces a call by what the function does, and returns the first operation of that, or
// the one after the call if there is none.
func (r *returning) inline(call mlir.Operation, name string) (mlir.Operation, error) {
	next := call.Next()
	copies, err := function.Inline(call, r.functions[name])
	if err != nil {
		return call, fmt.Errorf("passes: %w", err)
	}
	return append(copies, next)[0], nil
}

// hasSharding reports whether an operation has a sharding for each of its results.
func hasSharding(op mlir.Operation) bool {
	_, gspmd := op.Attribute("mhlo.sharding")
	_, shardy := op.Attribute("sdy.sharding")
	return gspmd || shardy
}
