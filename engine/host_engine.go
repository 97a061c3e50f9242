package engine

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/calliope-mlir/calliope/tensor"
)

// A HostEngine has what engines share that run in the host's memory. They embed it.
type HostEngine struct{}

// NumDevices implements Engine.
func (HostEngine) NumDevices() int { return 1 }

// CheckOptions returns an error for options that only engines with several devices have, which is a *[RefusedError], or
// only XLA.
func (HostEngine) CheckOptions(o CompileOptions) error {
	switch {
	case max(o.Replicas, o.Partitions) > 1:
		return &RefusedError{fmt.Errorf("the module runs on %d devices, and there is one",
			max(o.Replicas, o.Partitions))}
	case len(o.Flags) > 0:
		return fmt.Errorf("CompileOptions.Flags has %q: only XLA has flags, so leave them out",
			slices.Sorted(maps.Keys(o.Flags))[0])
	case o.DumpTo != "":
		return errors.New("CompileOptions.DumpTo: only XLA writes its passes, so leave it out")
	}
	return nil
}

// ArrayFromHost implements Engine.
func (HostEngine) ArrayFromHost(ctx context.Context, v tensor.View, device int) (*Array, error) {
	if device != 0 {
		return nil, fmt.Errorf("engine: there is no device %d: the host's memory is device 0", device)
	}
	return HostArray(ctx, v)
}

// BorrowFromHost implements Engine.
func (HostEngine) BorrowFromHost(_ context.Context, v tensor.View, device int) (*Array, error) {
	if device != 0 {
		return nil, fmt.Errorf("engine: there is no device %d: the host's memory is device 0", device)
	}
	return BorrowHostArray(v)
}

// Owns implements Engine.
func (HostEngine) Owns(a *Array) bool { return a != nil && a.OnHost() }
