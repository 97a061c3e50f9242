package dispatch

import (
	"fmt"
	"strings"
)

// JAXCallback returns the callback that serves a call of JAX with an index, of the names that
// bridge.CompileOptions.JAXCallbacks has.
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
	return "", fmt.Errorf("the call has the index %d, which CompileOptions.JAXCallbacks does not name (it has %s)", index, strings.Join(known, ", "))
}
