package vmap

import "slices"

// kinds says how the operations of a family are batched.
var kinds = []struct {
	family map[string]rule
	kind   string
}{
	{shapes, "one more dimension"},
	{products, "a batching dimension, groups, or a part of another dimension"},
	{reductions, "one more dimension"},
	{windows, "one more dimension"},
	{indexing, "a batching dimension, or a part of the slices"},
	{normalizations, "more features"},
	{collectives, "one more dimension; over Options.AxisName, an operation on the batch"},
	{control, "the same; under a condition that differs, all is computed and selected"},
	{expanded, "the same, on larger arrays"},
}

// Kind returns how an operation is batched, or "".
func Kind(name string) string {
	switch {
	case name == "stablehlo.custom_call":
		return "by the callback's method; others in a loop"
	case slices.Contains(looped, name):
		return "a loop over the batch"
	case slices.Contains(elementwise, name):
		return "the same, on larger arrays"
	}
	for _, k := range kinds {
		if _, ok := k.family[name]; ok {
			return k.kind
		}
	}
	return ""
}
