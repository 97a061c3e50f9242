package jit

import (
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/mlir/dialect/function"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// Donor returns the parameter whose memory a result takes if the caller donates it: that which the module gives the
// result by tf.aliasing_output, or the first one of its shape that is left and has jax.buffer_donor. It returns false
// if there is none.
func (e *Executable) Donor(result int) (parameter int, ok bool) {
	parameter, ok = e.donors[result]
	return parameter, ok
}

// setDonors sets which parameters give their memory to results.
func (e *Executable) setDonors(f mlir.Operation) {
	in, out := typesOf(f)
	parameters, results := stablehlo.Tokens(in), stablehlo.Tokens(out)
	e.donors = map[int]int{}
	give := func(parameter, result int) bool {
		if result < 0 || result >= len(e.outputs) {
			return false
		}
		shape := e.inputs[parameter]
		if _, taken := e.donors[result]; taken || shape.NumElements() == 0 || !shape.Equal(e.outputs[result]) {
			return false
		}
		e.donors[result] = parameter
		return true
	}
	for i := range e.inputs {
		if a, ok := function.ArgAttr(f, parameters+i, "tf.aliasing_output"); ok {
			result, _ := a.Int()
			give(i, int(result)-results)
		}
	}
	for i := range e.inputs {
		_, named := function.ArgAttr(f, parameters+i, "tf.aliasing_output")
		if _, ok := function.ArgAttr(f, parameters+i, "jax.buffer_donor"); !ok || named {
			continue
		}
		for k := range e.outputs {
			if give(i, k) {
				break
			}
		}
	}
}
