package bridge

import (
	"context"
	"fmt"
	"strings"

	"github.com/calliope-mlir/calliope/internal/pjrt"
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

// BufferInSpace is like BufferFromHost, into one of MemorySpaces. A module takes the buffer for a
// parameter in that space only.
func (c *Client) BufferInSpace(ctx context.Context, v tensor.View, device int, space string) (*Buffer, error) {
	c.given("BufferInSpace")
	all, err := c.memories("BufferInSpace", device)
	if err != nil {
		return nil, err
	}
	var kinds []string
	for _, m := range all {
		if m.Kind == space {
			return watched(c.buffer(ctx, "BufferInSpace", v, place{device: device, memory: m}))
		}
		kinds = append(kinds, m.Kind)
	}
	return nil, fmt.Errorf("bridge: BufferInSpace: device %d has no memory space %q: give one of %s", device, space,
		strings.Join(kinds, ", "))
}

// MemorySpace returns the kind of memory that the array is in, one of Client.MemorySpaces. For a Buffer of
// NewHostBuffer it is "unpinned_host".
func (b *Buffer) MemorySpace() (string, error) {
	b.given("MemorySpace")
	if !b.life.use() {
		return "", fmt.Errorf("bridge: Buffer.MemorySpace: %w", errBuffer)
	}
	if b.host != nil {
		return "unpinned_host", b.done()
	}
	kind, err := b.pjrt.Memory()
	if err != nil {
		err = pluginError("memory of a buffer", err)
	}
	_ = b.done() // the plugin's error says more
	return kind, err
}

// A place is where a host array goes.
type place struct {
	device int
	borrow bool        // whether the array's own memory is used if canBorrow allows it
	memory pjrt.Memory // a memory of the device; its Kind is "" for the default one
}
