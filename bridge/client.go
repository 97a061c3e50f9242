package bridge

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/calliope-mlir/calliope/bridge/internal/stall"
	"github.com/calliope-mlir/calliope/bridge/internal/wait"
	"github.com/calliope-mlir/calliope/bridge/internal/xla"
	"github.com/calliope-mlir/calliope/internal/run/cuda"
	"github.com/calliope-mlir/calliope/internal/run/dispatch"
	"github.com/calliope-mlir/calliope/internal/run/ffi"
	"github.com/calliope-mlir/calliope/internal/run/ffi/serve"
	"github.com/calliope-mlir/calliope/internal/run/lifetime"
	"github.com/calliope-mlir/calliope/internal/run/pjrt"
	"github.com/calliope-mlir/calliope/internal/text/errtext"
)

// A Client has devices and the memory on them. It is safe for concurrent use.
type Client struct {
	plugin  *Plugin
	xla     *xla.Client
	pjrt    *pjrt.Client // of xla
	options ClientOptions
	number  int64 // among those of the process, from 1
	group   *dispatch.Group
	debug   bool
	onCall  bool // every Run behaves as with OnCaller

	// Each open executable, buffer or run is a use: PJRT crashes if the client is
	// destroyed before them.
	life   lifetime.Lifetime
	memory memory
	pinned *cuda.Pool  // for calls on GPUs; nil for other clients
	gates  []wait.Gate // one for each device
	behind wait.Gate   // holds the runs that wait for others of their Sequence

	sequence *Sequence // the default one
	ready    readyTokens
	failed   failedRuns

	stalls     stall.Watch
	watching   atomic.Bool // stallTimer runs
	stallMu    sync.Mutex
	stallTimer *time.Timer

	unprepared sync.Once // see warnUnprepared

	innerMu sync.Mutex
	inner   *Client
}

// ClientOptions are the options of [Plugin.NewClient].
type ClientOptions struct {
	// Devices is the number of devices that the CPU is divided into, up to 1024. Each has
	// its own threads. 0 means the plugin's default. The devices of a client for GPUs are the
	// machine's: Devices must be 0.
	Devices int
	// Process connects the client with those of other processes. nil means that it is alone. Only plugins for GPUs
	// connect clients.
	Process *Process
	// DrainTimeout limits how long Close waits for runs and callbacks in flight. 0 means
	// 10 s. If it is negative, Close does not wait.
	DrainTimeout time.Duration
	// StallAfter limits how long a run waits while a callback of the client does not
	// return. Then the run fails with a *StallError, which names the callback. 0 means
	// 30 s, and a negative value means no limit. Increase it if callbacks take longer.
	//
	// XLA executes a small module inside the call that launches it. With a context that cannot end,
	// Run and Start make that call themselves, which is faster: they then return the error only
	// when the callback returns. Until then the client logs it, and ends the callback's context.
	StallAfter time.Duration
	// MemoryLimit limits the size in bytes of the arrays on all devices together. 0 means
	// no limit. A buffer or a run that would exceed it fails with a *MemoryError. It does
	// not count what XLA allocates within a run, nor borrowed memory.
	MemoryLimit int64
	// Logger gets warnings, and errors that no call returns. nil means slog.Default(). What
	// callbacks log goes to the Logger of their registry.
	Logger *slog.Logger
	// Cache keeps what Compile makes, for further clients and processes. nil means that
	// Compile always compiles. Several clients may share a Cache.
	Cache *Cache
}

// maxDevices is more than any program shares, and few enough for XLA to start quickly.
const maxDevices = 1024

const defaultDrain = 10 * time.Second

var lastClient atomic.Int64

// NewClient returns a new client. The caller must close it. It returns an error if Go cannot read the memory of the
// plugin's devices, as it can that of the host, and of cuda. For a flag in XLA_FLAGS that the plugin does not have, the
// error is a *[FlagError].
func (p *Plugin) NewClient(o ClientOptions) (*Client, error) {
	p.given("NewClient")
	if o.Devices < 0 || o.Devices > maxDevices {
		return nil, fmt.Errorf("bridge: NewClient: Devices is %d; give a number of devices up to %d, or 0 for the plugin's default", o.Devices, maxDevices)
	}
	if o.MemoryLimit < 0 {
		return nil,
			fmt.Errorf("bridge: NewClient: MemoryLimit is %d; give a number of bytes, or 0 for no limit", o.MemoryLimit)
	}
	if o.Cache != nil && o.Cache.folder == nil {
		return nil, errors.New("bridge: NewClient: the Cache is a zero value; give one of OpenCache")
	}
	if o.Devices > 0 && p.pjrt.Platform() == ffi.CUDA {
		return nil, fmt.Errorf("bridge: NewClient: Devices is %d, but the devices of this plugin are the machine's GPUs: leave it 0, and set CUDA_VISIBLE_DEVICES to select GPUs", o.Devices)
	}
	options := xla.ClientOptions{Devices: o.Devices}
	if o.Process != nil {
		if err := o.Process.check(p.pjrt.Platform()); err != nil {
			return nil, fmt.Errorf("bridge: NewClient: %w", err)
		}
		options.Process, options.Processes, options.Store = o.Process.Number, o.Process.Count, o.Process.Store
	}
	if err := p.checkEnvironment(); err != nil {
		return nil, err
	}
	wrapped, err := p.xla.NewClient(options)
	if err != nil {
		if err = pluginError("new client", err); p.pjrt.Platform() == ffi.CUDA {
			err = fmt.Errorf("%w: this plugin needs an NVIDIA GPU with its driver, which nvidia-smi lists and CUDA_VISIBLE_DEVICES does not hide, and CUDA's libraries; see docs/gpu.md", err)
		}
		return nil, err
	}
	p.parsed.Store(true)
	pinned, err := p.pinnedFor(wrapped.Platform(), wrapped.PJRT().OnHost)
	if err != nil {
		return nil, errors.Join(err, wrapped.Close())
	}
	c := &Client{
		plugin: p, xla: wrapped, pjrt: wrapped.PJRT(), pinned: pinned, options: o, number: lastClient.Add(1),
		debug: p.debug.Load(), onCall: enabled("CALLIOPE_INLINE"),
	}
	c.sequence = c.NewSequence()
	c.memory.limit, c.gates = o.MemoryLimit, make([]wait.Gate, c.NumDevices())
	if c.stalls.After = max(o.StallAfter, 0); o.StallAfter == 0 {
		c.stalls.After = defaultStall
	}
	c.group = dispatch.NewGroup(dispatch.GroupOptions{Enter: c.enter, Leave: leave, Inside: c.inside})
	// The garbage collector could free a client before its executables.
	p.mu.Lock()
	p.clients[c] = struct{}{}
	p.mu.Unlock()
	return c, nil
}

// pinnedFor returns the pinned memory for a new client of a platform, nil if its calls are on the host. onHost reports
// whether its memory is the host's. It returns an error if calls have their arrays in memory that Go cannot read.
func (p *Plugin) pinnedFor(platform string, onHost func() (bool, error)) (*cuda.Pool, error) {
	switch {
	case p.pjrt.Platform() == ffi.CUDA && platform == "cuda":
		pool, err := serve.NewPinned()
		if err != nil {
			return nil, fmt.Errorf("bridge: NewClient: %w", err)
		}
		return pool, nil
	case p.pjrt.Platform() == ffi.Host:
		is, err := onHost()
		if err != nil {
			return nil, pluginError("new client", err)
		}
		if is {
			return nil, nil
		}
	}
	return nil, fmt.Errorf("bridge: NewClient: the plugin's platform is %q, and Go can read only the memory of the host and of cuda: open a plugin for one of these", platform)
}

// NumDevices returns the number of devices in this process. They are numbered from 0.
func (c *Client) NumDevices() int {
	c.given("NumDevices")
	return c.pjrt.NumDevices()
}

// Plugin returns the plugin of the client.
func (c *Client) Plugin() *Plugin {
	c.given("Plugin")
	return c.plugin
}

// Close ends the client: it does not compile, run or transfer any more. Close waits for the
// runs and callbacks in flight, for at most ClientOptions.DrainTimeout. The error lists the
// runs that are left, and the errors of taps since the last barrier, but not those of runs. What the client holds
// in C is freed when the last of its executables, buffers, views and runs is closed or
// over. Closing it again does nothing.
//
// A Go program does not wait for its clients when it exits, so defer Close.
func (c *Client) Close() error {
	c.given("Close")
	first, free := c.life.Close()
	if !first {
		return nil
	}
	for i := range c.gates {
		c.gates[i].Close()
	}
	c.behind.Close()
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

// drain is the barrier of Close. It does not wait inside a callback, which would wait for
// itself.
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

// runs returns the runs in flight.
func (c *Client) runs() []*Run {
	var list []*Run
	for _, r := range c.group.Runs() {
		if run := serve.Find(r.ID()); run != nil {
			list = append(list, run.Of.(*Run))
		}
	}
	return list
}

// stillInFlight describes the runs that Close leaves.
func (c *Client) stillInFlight() string {
	const most = 8
	text := ""
	for i, r := range c.runs() {
		if i == most {
			return text + "; and more"
		}
		text += fmt.Sprintf("; run %d of executable %q on device %d is left", r.served.ID(), r.exec.name(), r.device)
		if _, err := r.outcome.Result(); err != nil {
			text += fmt.Sprintf(" (it was abandoned: %v)", err)
		}
	}
	return text
}

// inside reports whether this thread is inside a callback of the client.
func (client *Client) inside() bool {
	return client.within(context.Background(), ffi.Inside())
}

func (c *Client) use(method string) error {
	if !c.life.Use() {
		return fmt.Errorf("bridge: %s: the client is %w", method, ErrClosed)
	}
	return nil
}

func (c *Client) done() error {
	if c.life.Done() {
		return c.free()
	}
	return nil
}

func (c *Client) free() error {
	c.plugin.mu.Lock()
	delete(c.plugin.clients, c)
	c.plugin.mu.Unlock()
	err := c.ready.destroy()
	if c.pinned != nil {
		err = errors.Join(err, c.pinned.Close())
	}
	if err = errors.Join(err, c.xla.Close()); err != nil {
		return pluginError("close client", err)
	}
	return nil
}

// given panics because a method was called on a nil pointer or a zero value.
func (c *Client) given(method string) {
	if c == nil || c.plugin == nil {
		panic(errtext.Receiver("bridge: Client."+method, c == nil, "Plugin.NewClient"))
	}
}

func (c *Client) logger() *slog.Logger {
	if c.options.Logger != nil {
		return c.options.Logger
	}
	return slog.Default()
}

// log logs an error that has no caller to return to, or a warning. It uses a new goroutine, because
// a log handler may block or panic.
func (c *Client) log(level slog.Level, message string, args ...any) {
	go func() {
		defer func() { _ = recover() }() // the line is lost
		c.logger().Log(context.Background(), level, message, args...)
	}()
}

// logError logs an error that has no caller to return to.
func (c *Client) logError(message string, args ...any) { c.log(slog.LevelError, message, args...) }
