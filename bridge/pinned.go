package bridge

import (
	"fmt"
	"sync"

	"github.com/calliope-mlir/calliope/internal/cuda"
	"github.com/calliope-mlir/calliope/internal/ffi"
)

// pinnedLimit limits the pinned memory of a client in bytes, except while calls need more. It
// is as much as the operands and results of a few large calls.
const pinnedLimit = 256 << 20

// hostedPinned is the pinned memory of the calls of a host's runs.
var hostedPinned = sync.OnceValues(func() (*cuda.Pool, error) { return cuda.NewPool(pinnedLimit) })

// pinnedFor returns the pinned memory for a new client of the platform, nil if its calls are on
// the host. The error is a *PlatformError if the handlers are not those of the platform.
func (p *Plugin) pinnedFor(platform string) (*cuda.Pool, error) {
	switch {
	case platform == "cpu" && p.pjrt.Platform() == ffi.Host:
		return nil, nil
	case platform == "cuda" && p.pjrt.Platform() == ffi.CUDA:
		pool, err := cuda.NewPool(pinnedLimit)
		if err != nil {
			return nil, fmt.Errorf("bridge: NewClient: %w", err)
		}
		return pool, nil
	}
	return nil, &PlatformError{platform}
}

// pinnedFor returns the pinned memory for the calls of a run, which is nil if it is not known.
func pinnedFor(r *Run) (*cuda.Pool, error) {
	if r != nil && r.exec.client.pinned != nil {
		return r.exec.client.pinned, nil
	}
	return hostedPinned()
}
