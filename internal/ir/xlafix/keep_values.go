package xlafix

import (
	"slices"

	"github.com/calliope-mlir/calliope/internal/ir/kept"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/mlir/dialect/function"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// KeepValues protects values that XLA's CPU compiler would overwrite. Where an operation writes to the memory of an
// operand, such as a callback that shares it with a result, or a loop that carries it, XLA copies the operand if it is
// needed later. It forgets that what a computation returns is needed: if the write is in a branch inside this
// computation, or if the computation returns one array instead of a tuple. It then removes the copy, and the
// computation returns what was written. XLA also gives all branches of an if the same memory for a result. If one of
// them, through an if inside it, returns a value from outside, another may write its result over that value while it is
// needed.
//
// In these three cases KeepValues gives the operation a select whose predicate is true, in place of the operand. XLA
// computes it into memory of its own. KeepValues returns the number of selects. It changes nothing in a module
// without side effects.
func KeepValues(m *mlir.Module) (int, error) {
	list, functions := function.Defined(m)
	effects := &sideEffects{functions: functions, state: map[string]reading{}}
	found := harmless
	for _, f := range list {
		name, _ := f.Symbol()
		if effects.read(name) == callsItself || f.Region(0).NumBlocks() != 1 {
			return 0, nil // XLA refuses the module
		}
		found = max(found, effects.read(name))
	}
	if found == harmless {
		return 0, nil
	}
	s := readStorage(list, functions, false)
	var risky []write
	for _, w := range s.writes {
		v := w.op.Operand(w.operand)
		if canRenew(v) && !s.isToken(v) && (s.returnedAlone(v) || s.fromOutside(v, w.op)) {
			risky = append(risky, w)
		}
	}
	for _, w := range s.returns {
		v := w.op.Operand(w.operand)
		if canRenew(v) && !s.isToken(v) && s.fromOutside(v, w.op.Parent()) {
			risky = append(risky, w)
		}
	}
	for _, w := range risky {
		if err := renew(w); err != nil {
			return 0, err
		}
	}
	if len(risky) == 0 {
		return 0, nil
	}
	return len(risky), m.Verify()
}

// canRenew reports whether renew can be called: for an array of a known size that it has not made.
func canRenew(v mlir.Value) bool {
	shape, err := stablehlo.ShapeOf(v.Type())
	return err == nil && slices.Min(append(shape.Dims, 1)) > 0 && !kept.Is(v)
}

// renew lets an operation write to a select with a predicate that is true instead of x. XLA does not simplify it. Its
// code generator does, so that a copy is left.
func renew(w write) error {
	e, x := before(w.op), w.op.Operand(w.operand)
	kept := stablehlo.Select(e.Builder, e.certain(x), x, e.Zeros(x.Type()))
	if e.Cause() == nil {
		w.op.SetOperand(w.operand, kept)
	}
	return e.Cause()
}

// KeepAgain removes the selects of KeepValues, and runs it again if there were any.
func KeepAgain(m *mlir.Module) error {
	var copies []mlir.Operation
	for op := range m.Operation().Index().Named("stablehlo.select") {
		if kept.Is(op.Result(0)) {
			copies = append(copies, op)
		}
	}
	for _, op := range copies {
		op.Result(0).ReplaceAllUses(op.Operand(1))
		if err := eraseUnused(op); err != nil {
			return err
		}
	}
	if len(copies) == 0 {
		return nil
	}
	_, err := KeepValues(m)
	return err
}

// eraseUnused erases an operation without uses, and what only it uses and KeepValues adds.
func eraseUnused(op mlir.Operation) error {
	operands := op.OperandValues()
	if err := op.Erase(); err != nil {
		return err
	}
	for _, v := range operands {
		if !v.IsResult() || v.HasUses() {
			continue
		}
		switch v.Owner().Name() {
		case "stablehlo.compare", "stablehlo.or", "stablehlo.convert", "stablehlo.real", "stablehlo.broadcast_in_dim",
			"stablehlo.constant":
			if err := eraseUnused(v.Owner()); err != nil {
				return err
			}
		}
	}
	return nil
}
