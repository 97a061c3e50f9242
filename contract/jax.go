package contract

import (
	"fmt"
	"slices"
)

// The custom call targets of JAX's callbacks on CPU. Their calls do not follow the contract: the
// attribute index, a ui64, says which callback of the module is called, counted from 0 in the order
// in which JAX lowered them. Those of an ordered callback have a token as the first operand and the
// first result. The callbacks of TargetJAXPartitioned have no results.
const (
	TargetJAX            = "xla_ffi_python_cpu_callback"
	TargetJAXPartitioned = "xla_ffi_partitioned_python_cpu_callback"
)

// JAXTargets returns the custom call targets of JAX's callbacks on CPU.
func JAXTargets() []string { return []string{TargetJAX, TargetJAXPartitioned} }

// JAXIndices returns the indices of the calls of JAX's callbacks among custom calls, in their order.
func JAXIndices(calls []CustomCall) (indices []int) {
	for _, call := range calls {
		if call.Index >= 0 && slices.Contains(JAXTargets(), call.Target) {
			indices = append(indices, call.Index)
		}
	}
	return indices
}

// JAXEffect returns the effect of the i-th of the tokens that main takes and returns in a module
// that JAX lowered. The module does not name the effects, so the runs of all such modules are in
// one order.
func JAXEffect(i int) string {
	if i == 0 {
		return "jax.token"
	}
	return fmt.Sprintf("jax.token %d", i)
}
