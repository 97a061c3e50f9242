package serve

import (
	"sync"
	"sync/atomic"

	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/internal/run/dispatch"
	"github.com/calliope-mlir/calliope/internal/run/ffi"
)

// jaxCompiles has the names of the callbacks of JAX in the compiles and loads in progress, by number.
var jaxCompiles sync.Map

var lastJAXCompile atomic.Uint64

// BindJAX sets the callbacks that serve the calls of JAX, by index, in the modules that XLA compiles or loads within a
// function that within calls. The caller must call end.
func BindJAX(names []string) (within func(func()), end func()) {
	number := lastJAXCompile.Add(1)
	jaxCompiles.Store(number, names)
	return func(f func()) { ffi.Within(number, f) }, func() { jaxCompiles.Delete(number) }
}

// jaxCallbackOf returns the callback of a call of JAX in the module that this thread compiles or
// loads.
func jaxCallbackOf(a callbacks.Attributes) (string, error) {
	index, err := dispatch.JAXIndex(a)
	if err != nil {
		return "", err
	}
	names, _ := jaxCompiles.Load(ffi.Binding())
	list, _ := names.([]string)
	return dispatch.JAXCallback(list, index)
}
