package bridge

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/calliope-mlir/calliope/internal/dispatch"

	"github.com/calliope-mlir/calliope/bridge/internal/xla"
	"github.com/calliope-mlir/calliope/internal/ffi"
	"github.com/calliope-mlir/calliope/internal/pjrt"
)

// Client has devices and the memory on them. It is safe for concurrent use.
type Client struct {
	plugin  *Plugin
	xla     *xla.Client
	pjrt    *pjrt.Client // of xla
	options ClientOptions
	number  int64 // among those of the process, from 1
	group   *dispatch.Group
	debug   bool
	onCall  bool // every Run is as by OnCaller

	// A use is an open executable, buffer or run: PJRT does not survive a client
	// that goes before them.
	life   lifetime
	memory memory
	gates  []gate // by device

	stalls     stalls
	watching   atomic.Bool // stallTimer runs
	stallMu    sync.Mutex
	stallTimer *time.Timer

	innerMu sync.Mutex
	inner   *Client
}

// ClientOptions are the options of [Plugin.NewClient].
type ClientOptions struct {
	// Devices is the number of devices that the CPU is made to look like; 0 leaves
	// it to the plugin. Each has threads of its own; there are 1024 at most.
	Devices int
	// DrainTimeout is how long Close waits for runs and callbacks that are under way; 0
	// is 10 s, and a negative one does not wait.
	DrainTimeout time.Duration
	// StallAfter is how long a run waits while a callback of the client that was called
	// does not return; then it fails with a *StallError, which names the callback. 0 is
	// 30 s, and a negative one is for ever. Give more where callbacks take longer.
	StallAfter time.Duration
	// MemoryLimit is how many bytes the arrays on all devices may take together, 0 for no
	// limit. A buffer or a run that would take more is refused with a *MemoryError. It
	// does not count what XLA takes within a run, nor borrowed memory.
	MemoryLimit int64
}

// maxDevices is more than any program shares, and few enough for XLA to begin with soon.
const maxDevices = 1024

const defaultDrain = 10 * time.Second

var lastClient atomic.Int64

// NewClient makes a client.
func (p *Plugin) NewClient(o ClientOptions) (*Client, error) {
	if o.Devices < 0 || o.Devices > maxDevices {
		return nil, fmt.Errorf("bridge: NewClient: Devices is %d; give a number of devices up to %d, or 0 for the plugin's default", o.Devices, maxDevices)
	}
	if o.MemoryLimit < 0 {
		return nil, fmt.Errorf("bridge: NewClient: MemoryLimit is %d; give a number of bytes, or 0 for no limit", o.MemoryLimit)
	}
	wrapped, err := p.xla.NewClient(o.Devices)
	if err != nil {
		return nil, pluginError("new client", err)
	}
	if name := wrapped.Platform(); name != "cpu" {
		return nil, errors.Join(&PlatformError{name}, wrapped.Close())
	}
	c := &Client{
		plugin: p, xla: wrapped, pjrt: wrapped.PJRT(), options: o, number: lastClient.Add(1),
		debug: p.debug.Load(), onCall: enabled("CALLIOPE_INLINE"),
	}
	c.memory.limit, c.gates = o.MemoryLimit, make([]gate, c.NumDevices())
	if c.stalls.after = max(o.StallAfter, 0); o.StallAfter == 0 {
		c.stalls.after = defaultStall
	}
	c.group = dispatch.NewGroup(dispatch.GroupOptions{Enter: c.enter, Leave: leave, Inside: c.inside})
	// Left to the garbage collector, a client could go before its executables.
	p.mu.Lock()
	p.clients[c] = struct{}{}
	p.mu.Unlock()
	return c, nil
}

// NumDevices is the number of devices; they are numbered from 0.
func (c *Client) NumDevices() int { return c.pjrt.NumDevices() }

// Barrier waits until every callback of every run that was started before it is over,
// on all devices, those in queues too. Taps do not stop a run: their errors come back
// here, as a *callbacks.TapErrors, nil where there was none since the last barrier. When
// ctx ends first it is a *callbacks.BarrierError, which says what is under way. name
// stands in these errors. Inside a callback a barrier is refused.
func (c *Client) Barrier(ctx context.Context, name string) error {
	return c.group.Barrier(ctx, name)
}

// Close ends the client: from now on it compiles, runs and transfers nothing. It waits
// for the runs and callbacks that are under way, for as long as
// ClientOptions.DrainTimeout says, and its error tells which were left, and what taps
// failed since the last barrier. What the client holds in C is freed when the last of its
// executables, buffers, views and runs is closed or over. Closing again does nothing.
//
// Nothing waits at the end of a Go program by itself: defer it.
func (c *Client) Close() error {
	first, free := c.life.close()
	if !first {
		return nil
	}
	for i := range c.gates {
		c.gates[i].close()
	}
	c.innerMu.Lock()
	inner := c.inner
	c.innerMu.Unlock()
	err := c.drain()
	c.group.Close()
	if inner != nil {
		err = errors.Join(err, inner.Close())
	}
	if free {
		err = errors.Join(err, c.free())
	}
	return err
}

// drain is the barrier of Close. Inside a callback it would wait for itself.
func (c *Client) drain() error {
	limit := c.options.DrainTimeout
	if limit == 0 {
		limit = defaultDrain
	}
	if limit < 0 || c.inside() {
		return nil
	}
	ctx, stop := context.WithTimeout(context.Background(), limit)
	defer stop()
	if err := c.group.Barrier(ctx, "close client"); err != nil {
		return fmt.Errorf("bridge: close client: %w%s", err, c.stillInFlight())
	}
	return nil
}

// runs is the runs under way.
func (c *Client) runs() []*Run {
	var list []*Run
	for _, r := range c.group.Runs() {
		if run := runs.find(r.ID()); run != nil {
			list = append(list, run)
		}
	}
	return list
}

// stillInFlight names the runs that Close leaves.
func (c *Client) stillInFlight() string {
	const most = 8
	text := ""
	for i, r := range c.runs() {
		if i == most {
			return text + "; and more"
		}
		text += fmt.Sprintf("; run %d of executable %q on device %d is left", r.id, r.exec.name(), r.device)
		if _, err := r.result(); err != nil {
			text += fmt.Sprintf(" (it was given up: %v)", err)
		}
	}
	return text
}

// inside says whether this thread is inside of a callback of the client's.
func (client *Client) inside() bool {
	return client.within(context.Background(), ffi.Inside())
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
	if err := c.xla.Close(); err != nil {
		return pluginError("close client", err)
	}
	return nil
}
