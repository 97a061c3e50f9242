package callop

import (
	"fmt"
	"iter"

	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// A Call is a callback operation of a module.
type Call struct {
	Op     mlir.Operation // the stablehlo.custom_call
	Target string
	Config contract.Config
	// Err is the error in the call's backend_config. Config is then zero.
	Err error
}

// Calls returns an iterator over the callback operations of a module, in the order of its
// text: custom calls of a target of the contract, and those of any other target whose
// dictionary, which is that of stablehlo.TypedConfig, has the contract's keys "v" and "form". The module must not
// change during the iteration.
func Calls(m *mlir.Module) iter.Seq[Call] {
	return func(yield func(Call) bool) {
		var r Reader
		for op := range m.Operation().Index().Named("stablehlo.custom_call") {
			if call, ok := r.AsCall(op); ok && !yield(call) {
				return
			}
		}
	}
}

// AsCall reads a callback operation. It returns false if op is another operation.
func AsCall(op mlir.Operation) (Call, bool) {
	var r Reader
	return r.AsCall(op)
}

// A Reader reads callback operations of one context. It decodes equal dictionaries once, and the
// calls share what it decoded. The zero value is ready to use, by one goroutine.
type Reader struct {
	configs map[mlir.Attribute]read
}

type read struct {
	config contract.Config
	err    error
}

// config decodes a dictionary.
func (r *Reader) config(dictionary mlir.Attribute) (contract.Config, error) {
	got, ok := r.configs[dictionary]
	if !ok {
		got.config, got.err = ReadConfig(dictionary)
		if r.configs == nil {
			r.configs = map[mlir.Attribute]read{}
		}
		r.configs[dictionary] = got
	}
	return got.config, got.err
}

// AsCall reads a callback operation, as the function AsCall does.
func (r *Reader) AsCall(op mlir.Operation) (Call, bool) {
	if op.Name() != "stablehlo.custom_call" {
		return Call{}, false
	}
	call := Call{Op: op}
	call.Target = target(op)
	known := contract.IsTarget(call.Target)
	dictionary, _ := stablehlo.TypedConfig(op)
	switch {
	case !known && dictionary.IsNil():
		return Call{}, false
	case !known:
		_, version := dictionary.Entry("v")
		_, form := dictionary.Entry("form")
		if !version || !form {
			return Call{}, false
		}
	case dictionary.IsNil() && call.Target != contract.TargetEXLAElixirCallback:
		call.Err = fmt.Errorf("callop: the call of @%s has no dictionary as its backend_config", call.Target)
		return call, true
	}
	call.Config, call.Err = r.config(dictionary)
	if call.Config.Host.Encoding == contract.EncodingWords && passesAll(op) {
		call.Config.Form = contract.Passthrough
	}
	return call, true
}

// HasSideEffect reports whether op is a custom call with side effects outside the program. The
// targets of XLA's own have none, whatever their attribute says: some have it only so that they stay in the program.
func HasSideEffect(op mlir.Operation) bool {
	if op.Name() != "stablehlo.custom_call" {
		return false
	}
	effect, ok := op.Attribute("has_side_effect")
	if !ok {
		return false
	}
	has, _ := effect.Bool()
	return has && contract.XLATargetOf(target(op)) == contract.NotXLA
}

// target returns the target of a custom call.
func target(op mlir.Operation) string {
	a, _ := op.Attribute("call_target_name")
	name, _ := a.Text()
	return name
}

// CanHold reports whether callbacks can run in the regions of an operation.
func CanHold(op mlir.Operation) bool {
	switch op.Name() {
	case "stablehlo.while", "stablehlo.if", "stablehlo.case":
		return true
	}
	return false
}

// passesAll reports whether each result of a call is aliased to an operand.
func passesAll(op mlir.Operation) bool {
	call, _ := stablehlo.AsCustomCall(op)
	return len(call.Results) > 0 && len(call.Aliases) == len(call.Results)
}
