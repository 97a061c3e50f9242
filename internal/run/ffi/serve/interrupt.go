package serve

import (
	"sync"

	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/contract"
)

// Interrupts registers the callback that passes.InterruptLoops has loops call: internal/run/dispatch looks at the
// context of the run before it calls a function.
var Interrupts = sync.OnceValue(func() error {
	r, err := callbacks.NewRegistry(contract.InterruptRegistry, callbacks.RegistryOptions{})
	if err != nil {
		return err
	}
	return r.Register(contract.InterruptCallback, func(*callbacks.Frame) error { return nil }, callbacks.Options{})
})
