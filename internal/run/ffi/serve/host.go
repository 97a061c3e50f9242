package serve

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"unsafe"

	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/internal/run/ffi"
	"github.com/calliope-mlir/calliope/internal/run/pjrt"
)

// Supported returns an error on systems where no plugin runs.
func Supported() error {
	if runtime.GOOS == "windows" {
		return errors.New("bridge: no plugin of XLA runs on Windows: use package jit there, or run modules in WSL or a container")
	}
	return nil
}

// Setup tells internal/run/ffi who binds call sites. It must be called before the first ffi.Open.
var Setup = sync.OnceFunc(func() {
	ffi.SetInstantiate(Instantiate)
	ffi.SetInstantiateForeign(instantiateForeign)
})

// CheckTarget returns an error for what is no name of a custom call target.
func CheckTarget(target string) error {
	if target == "" || strings.ContainsRune(target, 0) {
		return fmt.Errorf("bridge: %q is not a name of a custom call target", target)
	}
	return nil
}

// Register makes Go the handler of a target of the contract, or of one that is called as those are.
func Register(r *ffi.Registry, target string) error {
	if err := r.Register(target, attributed(target)); err != nil {
		return fmt.Errorf("bridge: custom call target %q: %w", target, err)
	}
	return nil
}

// attributed reports whether all calls of a target have attributes. Those that have their id
// as an operand have none, and those of a target with another name may be such calls.
func attributed(target string) bool {
	return target != contract.TargetEXLAElixirCallback && contract.IsTarget(target)
}

// Handlers returns the addresses of the two functions (XLA_FFI_Handler) that handle a custom
// call target: one for the stage instantiate, one for execute. They are for a host, a program
// that loads XLA and starts runs by itself: it registers both with its XLA for the platform
// Host or CUDA, under the target's name, without traits. They live as long as the process, and serve any number of
// targets and executables, of XLA's FFI 0.2 to 0.5.
//
// Calls of a host's runs have no Run: the context of a callback never ends, and
// an error reaches the host as the error of its execution, with the callback's message. Callbacks,
// their options, callbacks.Barrier and the statistics are the same as for runs of package bridge.
func Handlers(target string) (instantiate, execute unsafe.Pointer, err error) {
	if err := Supported(); err != nil {
		return nil, nil, err
	}
	if err := CheckTarget(target); err != nil {
		return nil, nil, err
	}
	Setup()
	instantiate, execute = ffi.Handlers(attributed(target))
	return instantiate, execute, nil
}

// RegisterPJRT registers the handlers of the contract's targets with a PJRT plugin that a host
// has loaded, by its table (PJRT_Api). See Handlers for calls of a host's runs.
func RegisterPJRT(table unsafe.Pointer) error {
	if err := Supported(); err != nil {
		return err
	}
	Setup()
	plugin, err := pjrt.Of(table)
	if err != nil {
		return fmt.Errorf("bridge: register with a plugin: %w", err)
	}
	registry, err := ffi.OpenHost(plugin.RegisterHandler, plugin.Platform())
	if err != nil {
		return fmt.Errorf("bridge: register with a plugin: %w", err)
	}
	for _, target := range contract.Targets() {
		if err := Register(registry, target); err != nil {
			return err
		}
	}
	return nil
}
