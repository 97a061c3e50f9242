package bridge

import (
	"errors"
	"fmt"
	"unsafe"

	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/internal/ffi"
	"github.com/calliope-mlir/calliope/internal/pjrt"
)

// Handlers returns the addresses of the two functions (XLA_FFI_Handler) that handle a custom
// call target: one for the stage instantiate, one for execute. They are for a host, a program
// that loads XLA and starts runs by itself: it registers both with its XLA for the platform
// Host or CUDA, under the target's name, without traits. They live as long as the process, and serve any number of
// targets and executables, of XLA's FFI 0.2 to 0.5.
//
// Calls of a host's runs have no Run and no Client: the context of a callback never ends, and
// an error reaches the host as the error of its execution, with the callback's message. Callbacks,
// their options, callbacks.Barrier and the statistics are the same as for runs of this package.
func Handlers(target string) (instantiate, execute unsafe.Pointer, err error) {
	if err := platformError(); err != nil {
		return nil, nil, err
	}
	if err := checkTarget(target); err != nil {
		return nil, nil, err
	}
	setHandlers()
	instantiate, execute = ffi.Handlers(attributed(target))
	return instantiate, execute, nil
}

// RegisterPJRT registers the handlers of custom call targets with a PJRT plugin that a host
// has loaded, by its table (PJRT_Api). Nil targets are contract.Targets. See [Handlers] for calls of a
// host's runs. A plugin that [Open] loaded needs no RegisterPJRT.
func RegisterPJRT(table unsafe.Pointer, targets []string) error {
	if err := platformError(); err != nil {
		return err
	}
	if table == nil {
		return errors.New("bridge: RegisterPJRT: the table of the plugin (PJRT_Api) is nil")
	}
	if targets == nil {
		targets = contract.Targets()
	}
	for _, target := range targets {
		if err := checkTarget(target); err != nil {
			return err
		}
	}
	setHandlers()
	plugin, err := pjrt.Of(table)
	if err != nil {
		return fmt.Errorf("bridge: RegisterPJRT: %w", err)
	}
	registry, err := ffi.OpenHost(plugin.RegisterHandler, plugin.Platform())
	if err != nil {
		return fmt.Errorf("bridge: RegisterPJRT: %w", err)
	}
	for _, target := range targets {
		if err := registry.Register(target, attributed(target)); err != nil {
			return fmt.Errorf("bridge: RegisterPJRT: custom call target %q: %w", target, err)
		}
	}
	return nil
}
