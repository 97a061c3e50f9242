package execution

import (
	"fmt"
	"unsafe"

	"github.com/calliope-mlir/calliope/experimental/capi"
)

// Packed compiles a function of the module and returns the address of a C function that calls it. That one takes an
// array with the addresses of the arguments, as the compiled function takes them, and of the variable for the result.
// Unlike Invoke, it checks nothing and allocates nothing. The address is valid until Close.
func (e *Engine) Packed(name string) (unsafe.Pointer, error) {
	t := e.live("Engine.Packed")
	if s, ok := e.functions[name]; !ok || !s.defined {
		return nil, fmt.Errorf("execution: the module does not define a function %q that can be called", name)
	}
	if f := capi.MlirExecutionEngineLookupPacked(t, e.raw, name); f != nil {
		return f, nil
	}
	return nil, e.unlinked(name)
}
