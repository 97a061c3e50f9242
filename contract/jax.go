package contract

import "fmt"

// JAXIndices returns the indices of the calls of JAX's callbacks among custom calls, in their order.
func JAXIndices(calls []CustomCall) (indices []int) {
	for _, call := range calls {
		if call.Index >= 0 && IsJAXTarget(call.Target) {
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
