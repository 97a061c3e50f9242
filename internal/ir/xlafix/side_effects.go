package xlafix

import (
	"slices"

	"github.com/calliope-mlir/calliope/contract/callop"
	"github.com/calliope-mlir/calliope/internal/ir/rewrite"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/mlir/dialect/function"
)

// sideEffects finds side effects, also in functions that are called.
type sideEffects struct {
	functions map[string]mlir.Operation
	state     map[string]reading
}

// reading is what a function that was read has.
type reading int

const (
	unread      reading = iota
	callsItself         // or is being read
	harmless
	harmful // there are side effects
)

// read reads a function and those that it calls.
func (r *sideEffects) read(name string) reading {
	f, ok := r.functions[name]
	if !ok {
		return harmless // declared only
	}
	if known := r.state[name]; known != unread {
		return known
	}
	r.state[name] = callsItself
	found := harmless
	f.Walk(func(op mlir.Operation) mlir.WalkAction {
		if name, ok := function.Callee(op); ok {
			callee := r.read(name)
			if callee == callsItself {
				found = callee
				return mlir.WalkStop
			}
			found = max(found, callee)
		}
		if isEffect(op) {
			found = harmful
		}
		return mlir.WalkContinue
	})
	r.state[name] = found
	return found
}

// hasEffects reports whether there are side effects in an operation.
func (r *sideEffects) hasEffects(op mlir.Operation) (found bool) {
	op.Walk(func(inner mlir.Operation) mlir.WalkAction {
		name, ok := function.Callee(inner)
		if found = isEffect(inner) || ok && r.read(name) == harmful; found {
			return mlir.WalkStop
		}
		return mlir.WalkContinue
	})
	return found
}

func isBranch(op mlir.Operation) bool {
	return op.Name() == "stablehlo.if" || op.Name() == "stablehlo.case"
}

// isEffect reports whether XLA keeps an operation that nothing uses. Unlike effectReader, it
// goes by has_side_effect, also for callbacks.
func isEffect(op mlir.Operation) bool {
	if op.Name() == "stablehlo.custom_call" {
		return callop.HasSideEffect(op)
	}
	return slices.Contains(rewrite.EffectNames, op.Name())
}
