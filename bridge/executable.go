package bridge

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/calliope-mlir/calliope/bridge/internal/hlo"
	"github.com/calliope-mlir/calliope/bridge/internal/xla"
	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/internal/host/trim"
	"github.com/calliope-mlir/calliope/internal/run/dispatch"
	"github.com/calliope-mlir/calliope/internal/run/forgotten"
	"github.com/calliope-mlir/calliope/internal/run/lifetime"
	"github.com/calliope-mlir/calliope/internal/run/pjrt"
	"github.com/calliope-mlir/calliope/internal/text/errtext"
	"github.com/calliope-mlir/calliope/tensor"
)

// An Executable is a compiled module. It is safe for concurrent use.
type Executable struct {
	*resources
	guard   *forgotten.Guard[forgottenExecutable]
	pjrt    pjrt.Executable // of xla
	devices []int           // one for each replica or partition; nil if it runs on any single device
	ordered []int           // devices in ascending order
	outputs int             // on each device, without the tokens
	params  []tensor.Shape  // on each device, without the tokens; see parameters
	effects []string        // for which parameters and results are runtime tokens
	leading bool            // whether these are the first ones, as JAX lowers them, and not the last
	known   bool            // whether params are known

	replicas, partitions int      // of CompileOptions
	jax                  []string // CompileOptions.JAXCallbacks
	cached               bool     // see Cached
	// code is what a loaded executable was loaded from: XLA does not keep it, and what it
	// serializes of such an executable cannot run. nil if it was compiled.
	code []byte

	results     []hlo.Result // on each device; nil if unknown
	resultBytes int64        // on all devices
	async       atomic.Bool  // whether XLA has run it on its own threads; see noteAsync
}

// The resources of an Executable are what it frees.
type resources struct {
	life      lifetime.Lifetime
	client    *Client
	xla       *xla.Executable
	runMemory pjrt.RunPool

	closeMu sync.Mutex
	onClose []func()
	freed   bool
}

// Compile compiles a StableHLO module. It binds the module's callbacks: if a name is not
// registered, the error is a [PluginError] in which errors.As finds a
// callbacks.UnknownError. If a custom call has no handler, it is a *[TargetError].
// If the module has arrays that are not row-major where Go reads or
// writes them, the error is a [LayoutError]. If XLA refuses one of o.Flags, the error is a
// *[FlagError]. An error of the program's Artifact is wrapped.
// A module with an outfeed or an infeed is refused, because nothing is at its other end: see passes.Migrate.
//
// If ClientOptions.Cache is set, Compile looks there first, see [Cache].
//
// XLA cannot stop compiling. If ctx ends, Compile returns ctx.Err(), and the executable is
// closed when it is compiled.
func (c *Client) Compile(ctx context.Context, program engine.Program, o engine.CompileOptions) (*Executable, error) {
	c.given("Compile")
	if err := dispatch.Ended(ctx); err != nil {
		return nil, err
	}
	if program == nil {
		return nil, errors.New("bridge: Compile: the program is nil; give a Source, or a module by passes.Program")
	}
	flags, err := checkOptions(o, c.pjrt.NumInAll())
	if err != nil {
		return nil, fmt.Errorf("bridge: Compile: %w", err)
	}
	if c.plugin.CallsBack() {
		for _, t := range o.Foreign {
			if err := c.plugin.RegisterForeign(t); err != nil {
				return nil, err
			}
		}
	}
	if err := c.use("Compile"); err != nil {
		return nil, err
	}
	m, err := c.describe(program)
	if err != nil {
		_ = c.done() // the error says more
		return nil, fmt.Errorf("bridge: Compile: %w", err)
	}
	if err := refuseInternal(m); err != nil {
		_ = c.done() // the error says more
		return nil, err
	}
	if len(m.Effects) > 0 && c.options.Process != nil {
		_ = c.done() // the error says more
		return nil, errors.New("bridge: Compile: runtime tokens order the effects of one process, and the client is connected with others: compile without passes.PrepareOptions.RuntimeTokens")
	}
	c.warnInexact(m, flags)
	c.warnUnprepared(program, o)
	o.JAXCallbacks = slices.Clone(o.JAXCallbacks)
	source := m.Artifact
	if ctx.Done() != nil {
		source = bytes.Clone(source) // the caller may change it once Compile has returned
	}
	e, err := orEnd(ctx, func() (*Executable, error) {
		e, err := c.compile(source, o, flags)
		if err != nil {
			_ = c.done() // the error says more
			return nil, err
		}
		if err := e.hideTokens(m.Effects); err != nil {
			_ = e.Close() // the error says more
			return nil, fmt.Errorf("bridge: Compile: %w", err)
		}
		return e, nil
	})
	if err != nil {
		return nil, c.plugin.explain(err, m)
	}
	if err := checkIndices(m, o.JAXCallbacks); err != nil { // what XLA finds in the calls came first
		_ = e.Close() // the error says more
		return nil, fmt.Errorf("bridge: Compile: %w", err)
	}
	e.watch()
	return e, nil
}

// orEnd calls f, which makes an executable, and returns its results. If ctx ends first, it
// returns ctx.Err(), and closes the executable when f returns.
func orEnd(ctx context.Context, f func() (*Executable, error)) (*Executable, error) {
	if ctx.Done() == nil {
		return f()
	}
	type result struct {
		e   *Executable
		err error
	}
	results := make(chan result, 1)
	go func() {
		e, err := f()
		results <- result{e, err}
	}()
	select {
	case r := <-results:
		return r.e, r.err
	case <-ctx.Done():
		go func() {
			if r := <-results; r.e != nil {
				r.e.Close()
			}
		}()
		return nil, ctx.Err()
	}
}

// compile takes over one use of the client, if it succeeds.
func (c *Client) compile(source []byte, o engine.CompileOptions, flags map[string]string) (*Executable, error) {
	if c.options.Cache != nil && !c.plugin.dumps(flags) {
		return c.compileCached(source, o, flags)
	}
	return c.compileAnew(source, o, flags)
}

// compileAnew is compile without the cache.
func (c *Client) compileAnew(source []byte, o engine.CompileOptions, flags map[string]string) (*Executable, error) {
	options := xla.CompileOptions{Replicas: o.Replicas, Partitions: o.Partitions, GSPMD: o.GSPMD}
	end, err := c.bindJAX(o.JAXCallbacks, &options)
	if err != nil {
		return nil, err
	}
	defer end()
	compiled, err := c.compileWith(flags, func(flags map[string]string) (*xla.Executable, error) {
		options.Flags = flags
		return c.xla.Compile(source, options)
	})
	if err != nil {
		return nil, err
	}
	return c.executable(compiled, o.Replicas, o.Partitions, o.JAXCallbacks)
}

// executable takes over what XLA made, and, if it succeeds, one use of the client.
func (c *Client) executable(x *xla.Executable, replicas, partitions int, jax []string) (*Executable, error) {
	err := checkLayouts(x.Program, c.plugin.rowMajor())
	if err == nil {
		err = checkPolicies(x.Program, c.plugin.served(), max(1, replicas, partitions))
	}
	if err == nil {
		err = checkJAXTypes(x.Program, jax)
	}
	if err == nil {
		err = checkFeeds(x.Program)
	}
	if err == nil {
		err = checkPermutes(x.Program, max(1, replicas)*max(1, partitions))
	}
	if err != nil {
		_ = x.Close() // the error says more
		return nil, err
	}
	e := &Executable{
		resources: &resources{client: c, xla: x}, pjrt: x.PJRT, devices: x.Devices, outputs: x.NumOutputs,
		replicas: replicas, partitions: partitions, jax: jax,
	}
	e.params, e.known = hlo.Parameters(x.Program)
	e.readResults(x.Program)
	e.hideJAXTokens()
	return e, nil
}

// name returns the name of the module.
func (e *Executable) name() string { return e.xla.Name }

// Cached reports whether Compile found the executable in ClientOptions.Cache.
func (e *Executable) Cached() bool {
	e.given("Cached")
	return e.cached
}

// NumOutputs returns the number of results of the module on one device, without runtime
// tokens.
func (e *Executable) NumOutputs() int {
	e.given("NumOutputs")
	return e.outputs
}

// NumDevices returns the number of devices that one run uses.
func (e *Executable) NumDevices() int {
	e.given("NumDevices")
	return max(1, len(e.devices))
}

// Close frees the executable when its last run is over. Closing it again does nothing.
func (e *Executable) Close() error {
	e.given("Close")
	if _, free := e.life.Close(); free {
		return e.free()
	}
	return nil
}

// Barrier is [Client.Barrier] of the executable's client: it waits for the callbacks of all of its runs.
func (e *Executable) Barrier(ctx context.Context, name string) error {
	e.given("Barrier")
	return e.client.Barrier(ctx, name)
}

// OnClose registers f to be called when the executable is freed, which is after Close and
// after its last run. For example, f unregisters callbacks that only this executable calls.
// If the executable is already freed, OnClose calls f at once. If f is nil, OnClose does nothing.
func (e *Executable) OnClose(f func()) {
	e.given("OnClose")
	if f == nil {
		return
	}
	e.closeMu.Lock()
	if !e.freed {
		e.onClose = append(e.onClose, f)
		f = nil
	}
	e.closeMu.Unlock()
	if f != nil {
		f()
	}
}

func (e *Executable) done() error {
	if e.life.Done() {
		return e.free()
	}
	return nil
}

func (e *Executable) free() error {
	forgottenExecutables.Drop(&e.guard)
	return e.resources.free()
}

func (r *resources) free() error {
	r.runMemory.Free()
	err := r.xla.Close()
	trim.Soon()
	if err != nil {
		err = pluginError("close executable", err)
	}
	r.closeMu.Lock()
	r.freed = true
	list := r.onClose
	r.onClose = nil
	r.closeMu.Unlock()
	for _, f := range list {
		f()
	}
	return errors.Join(err, r.client.done())
}

// given panics because a method was called on a nil pointer or a zero value.
func (e *Executable) given(method string) {
	if e == nil || e.resources == nil {
		panic(errtext.Receiver("bridge: Executable."+method, e == nil, "Client.Compile"))
	}
}
