package main

import (
	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// A jaxCall is a call of a callback of JAX that stays as it is, because it has tokens or because
// each device makes it with its part.
type jaxCall struct {
	stablehlo.CustomCallOp // without tokens
	index                  uint64
}

// maxJAX is larger than any number of callbacks of a module.
const maxJAX = 1 << 20

// asJAX reads a call that is served by engine.CompileOptions.JAXCallbacks. Other calls are replaced.
func asJAX(op mlir.Operation, call stablehlo.CustomCallOp) (j jaxCall, ok bool) {
	if !contract.IsJAXTarget(call.Target) {
		return j, false
	}
	j.CustomCallOp = call
	j.Aliases = nil // their indices count the tokens, and JAX writes none
	j.Operands = j.Operands[stablehlo.Tokens(mlir.TypesOf(j.Operands)):]
	j.Results = j.Results[stablehlo.Tokens(j.Results):]
	if call.Target == contract.TargetJAX && len(j.Operands) == len(call.Operands) {
		return j, false
	}
	if dictionary, _ := stablehlo.TypedConfig(op); !dictionary.IsNil() {
		if index, has := dictionary.Entry("index"); has {
			j.index, ok = index.Uint()
		}
	}
	return j, ok && j.index < maxJAX
}

// bindJAX makes a callback serve the calls with the index, if none does.
func (s *standIns) bindJAX(index uint64, name string, fn callbacks.Func) error {
	for uint64(len(s.jax)) <= index {
		s.jax = append(s.jax, "")
	}
	if s.jax[index] != "" {
		return nil
	}
	s.jax[index] = name
	if fn == nil {
		return nil // the recording has it
	}
	return callbacks.Default.Register(name, fn, s.observers.callbackOptions())
}
