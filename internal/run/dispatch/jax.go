package dispatch

import (
	"fmt"
	"slices"
	"strings"

	"github.com/calliope-mlir/calliope/callbacks"
)

// CheckJAXCallbacks returns an error for a name that serves no call of a module of JAX. called are the
// indices of the module's calls.
func CheckJAXCallbacks(names []string, called []int) error {
	for i, name := range names {
		if name == "" || slices.Contains(called, i) {
			continue
		}
		called = slices.Compact(slices.Sorted(slices.Values(called)))
		return fmt.Errorf("CompileOptions.JAXCallbacks[%d] is %q, but the module has no call of JAX with the index %d (it has %s): leave the name out, or move it to the index of its call",
			i, name, i, strings.Trim(fmt.Sprint(called), "[]"))
	}
	return nil
}

// JAXIndex returns the index of a call of JAX.
func JAXIndex(a callbacks.Attributes) (uint64, error) {
	const want = "a uint64"
	v, ok := a.Get("index")
	if !ok {
		return 0, &callbacks.AttributeError{Name: "index", Want: want}
	}
	index, ok := v.(uint64)
	if !ok {
		return 0, &callbacks.AttributeError{Name: "index", Want: want, Got: fmt.Sprintf("a %T", v)}
	}
	return index, nil
}

// JAXCallback returns the callback that serves a call of JAX with an index, of the names that
// engine.CompileOptions.JAXCallbacks has.
func JAXCallback(names []string, index uint64) (string, error) {
	if len(names) == 0 {
		return "", fmt.Errorf("the call has the index %d, and CompileOptions.JAXCallbacks is empty: name the callbacks of the module there", index)
	}
	if index < uint64(len(names)) && names[index] != "" {
		return names[index], nil
	}
	known := []string{}
	for i, name := range names {
		if name != "" {
			known = append(known, fmt.Sprintf("%d: %q", i, name))
		}
	}
	return "", fmt.Errorf("the call has the index %d, which CompileOptions.JAXCallbacks does not name (it has %s)",
		index, strings.Join(known, ", "))
}
