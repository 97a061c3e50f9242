package bridge

import (
	"errors"
	"fmt"
	"sync"

	"github.com/gomlx/gopjrt/pjrt"
)

// Client has devices and the memory on them. It is safe for concurrent use.
type Client struct {
	plugin  *Plugin
	pjrt    *pjrt.Client
	options ClientOptions

	// A use is an open executable, buffer or run: PJRT does not survive a client
	// that goes before them.
	life lifetime

	innerMu sync.Mutex
	inner   *Client
}

// ClientOptions are the options of [Plugin.NewClient].
type ClientOptions struct {
	// Devices is the number of devices that the CPU is made to look like; 0 leaves
	// it to the plugin.
	Devices int
}

// NewClient makes a client.
func (p *Plugin) NewClient(o ClientOptions) (*Client, error) {
	if o.Devices < 0 {
		return nil, fmt.Errorf("bridge: NewClient: Devices is %d; give the number of devices, or 0 for the plugin's default", o.Devices)
	}
	options := pjrt.NamedValuesMap{}
	if o.Devices > 0 {
		options["cpu_device_count"] = int64(o.Devices)
	}
	wrapped, err := p.pjrt.NewClient(options)
	if err != nil {
		return nil, pluginError("new client", err)
	}
	if name := wrapped.Platform(); name != "cpu" {
		return nil, errors.Join(
			fmt.Errorf("bridge: the plugin's platform is %q, and Go can only be called from cpu", name),
			wrapped.Destroy())
	}
	c := &Client{plugin: p, pjrt: wrapped, options: o}
	// Left to the garbage collector, a client could go before its executables.
	p.mu.Lock()
	p.clients[c] = struct{}{}
	p.mu.Unlock()
	return c, nil
}

// NumDevices is the number of devices; they are numbered from 0.
func (c *Client) NumDevices() int { return len(c.pjrt.AddressableDevices()) }

// Close ends the client: from now on it compiles, runs and transfers nothing. What
// it holds in C is freed when the last of its executables, buffers and runs is
// closed or over. Closing again does nothing.
func (c *Client) Close() error {
	first, free := c.life.close()
	if !first {
		return nil
	}
	c.innerMu.Lock()
	inner := c.inner
	c.innerMu.Unlock()
	var err error
	if inner != nil {
		err = inner.Close()
	}
	if free {
		err = errors.Join(err, c.free())
	}
	return err
}

func (c *Client) use(method string) error {
	if !c.life.use() {
		return fmt.Errorf("bridge: %s: the client is closed", method)
	}
	return nil
}

func (c *Client) done() error {
	if c.life.done() {
		return c.free()
	}
	return nil
}

func (c *Client) free() error {
	c.plugin.mu.Lock()
	delete(c.plugin.clients, c)
	c.plugin.mu.Unlock()
	if err := c.pjrt.Destroy(); err != nil {
		return pluginError("close client", err)
	}
	return nil
}
