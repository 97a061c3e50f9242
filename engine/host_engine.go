package engine

import (
	"context"
	"fmt"

	"github.com/calliope-mlir/calliope/tensor"
)

// A HostEngine has what engines share that run in the host's memory. They embed it.
type HostEngine struct{}

// NumDevices implements Engine.
func (HostEngine) NumDevices() int { return 1 }

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
