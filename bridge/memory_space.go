package bridge

import (
	"context"
	"fmt"
	"strings"

	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/internal/run/pjrt"
	"github.com/calliope-mlir/calliope/tensor"
)

// MemorySpaces returns the kinds of memory of a device, such as "device", "pinned_host" and
// "unpinned_host". The names are XLA's, as in its memory kinds and in JAX's placement hints. The
// CPU has one memory, whatever the kinds.
func (c *Client) MemorySpaces(device int) ([]string, error) {
	c.given("MemorySpaces")
	all, err := c.memories("MemorySpaces", device)
	var kinds []string
	for _, m := range all {
		kinds = append(kinds, m.Kind)
	}
	return kinds, err
}

func (c *Client) memories(method string, device int) ([]pjrt.Memory, error) {
	if device < 0 || device >= c.NumDevices() {
		return nil, fmt.Errorf("bridge: %s: there is no device %d; the client has %d, numbered from 0", method, device,
			c.NumDevices())
	}
	if err := c.use(method); err != nil {
		return nil, err
	}
	all, err := c.pjrt.Memories(device)
	if err != nil {
		err = pluginError("memories of a device", err)
	}
	_ = c.done() // the plugin's error says more
	return all, err
}

// ArrayInSpace is like ArrayFromHost, into one of MemorySpaces. A module takes the array for a
// parameter in that space only.
func (c *Client) ArrayInSpace(ctx context.Context, v tensor.View, device int, space string) (*engine.Array, error) {
	c.given("ArrayInSpace")
	all, err := c.memories("ArrayInSpace", device)
	if err != nil {
		return nil, err
	}
	var kinds []string
	for _, m := range all {
		if m.Kind == space {
			return watched(c.array(ctx, "ArrayInSpace", v, place{device: device, memory: m}))
		}
		kinds = append(kinds, m.Kind)
	}
	return nil, fmt.Errorf("bridge: ArrayInSpace: device %d has no memory space %q: give one of %s", device, space,
		strings.Join(kinds, ", "))
}

// MemorySpace returns the kind of memory that an array is in, one of Client.MemorySpaces. For an array in the host's
// memory that belongs to no client it is "unpinned_host".
func MemorySpace(a *engine.Array) (string, error) {
	u, err := a.Use()
	if err != nil {
		return "", fmt.Errorf("bridge: MemorySpace: %w", err)
	}
	kind := "unpinned_host"
	if m, ok := a.Memory().(*deviceArray); ok {
		if kind, err = m.pjrt.Memory(); err != nil {
			err = pluginError("memory of an array", err)
		}
	}
	_ = u.End() // the plugin's error says more
	return kind, err
}
