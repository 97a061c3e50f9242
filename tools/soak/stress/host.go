package stress

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/calliope-mlir/calliope/bridge"
	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/tensor"
	"github.com/calliope-mlir/calliope/tools/soak/load"
)

// XLA executes a small module on the thread that starts it, and a large one on its own
// threads.
var sizes = []int{2, 2048}

// short is the timeout of calls of shaky callbacks.
const short = time.Millisecond

// patience limits the wait for anything that must happen.
const patience = time.Minute

// host is a registry with a client that calls it.
type host struct {
	client   *bridge.Client
	registry *callbacks.Registry
	lanes    []*lane
	tapFails atomic.Int64 // failures of taps that barriers reported
	tapsOver atomic.Int64 // failures of taps of registries that are closed
}

// lane holds the programs and the callbacks of one way of dispatch.
type lane struct {
	way           callbacks.Dispatch
	steady, shaky counted
	programs      map[string][]*bridge.Executable // by callback, for each size
}

// counted is a callback with its expected counts.
type counted struct {
	name         string
	calls, sum   atomic.Int64 // counted by the function
	fired, carry atomic.Int64 // counted by runs that completed
}

// The second number of a call says what a shaky function does.
const (
	behave = iota
	late   // return after the timeout
	fail
	panics
	numModes
)

var errFault = errors.New("a fault on purpose")

var lastHouse atomic.Int64

func newHost(ctx context.Context, plugin *bridge.Plugin, devices int) (h *host, err error) {
	h = &host{}
	defer func() {
		if err != nil {
			err = errors.Join(err, h.close())
		}
	}()
	if h.client, err = plugin.NewClient(bridge.ClientOptions{Devices: devices, DrainTimeout: patience}); err != nil {
		return h, err
	}
	if h.registry, h.lanes, err = newLanes(); err != nil {
		return h, err
	}
	for _, l := range h.lanes {
		if l.programs, err = l.compile(ctx, h.client, h.registry); err != nil {
			return h, err
		}
	}
	return h, nil
}

func (h *host) close() error {
	var errs []error
	for _, l := range h.lanes {
		for _, list := range l.programs {
			for _, e := range list {
				errs = append(errs, e.Close())
			}
		}
	}
	if h.registry != nil {
		h.registry.Close()
	}
	if h.client != nil {
		errs = append(errs, expected(h.client.Close()))
	}
	return errors.Join(errs...)
}

// newLanes returns a registry with a steady and a shaky callback in each way.
func newLanes() (*callbacks.Registry, []*lane, error) {
	r, err := callbacks.NewRegistry(fmt.Sprintf("stress %d", lastHouse.Add(1)), callbacks.RegistryOptions{
		Workers: 4, QueueBytes: 1 << 20, Logger: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		return nil, nil, err
	}
	var list []*lane
	for _, way := range load.Ways {
		l := &lane{way: way}
		l.steady.name, l.shaky.name = "steady "+way.String(), "shaky "+way.String()
		shaky := callbacks.Options{Dispatch: way}
		if way != callbacks.Inline {
			shaky.Timeout = short
		}
		err := errors.Join(
			r.Register(l.steady.name, l.function(&l.steady), callbacks.Options{Dispatch: way}),
			r.Register(l.shaky.name, l.function(&l.shaky), shaky))
		if err != nil {
			r.Close()
			return nil, nil, err
		}
		list = append(list, l)
	}
	return r, list, nil
}

// function is called with a number and with what to do. If the call has a result, function
// returns the number plus one.
func (l *lane) function(c *counted) callbacks.Func {
	return func(f *callbacks.Frame) error {
		v, err := tensor.Slice[int64](f.Args[0])
		if err != nil {
			return err
		}
		c.calls.Add(1)
		c.sum.Add(v[0])
		mode := v[1]
		if l.way != callbacks.Async {
			v[0]++
		}
		switch mode {
		case late:
			if c == &l.shaky {
				time.Sleep(2 * short)
			}
		case fail:
			return errFault
		case panics:
			panic(errFault)
		}
		return nil
	}
}

// compile compiles both callbacks in both sizes.
func (l *lane) compile(
	ctx context.Context, client *bridge.Client, r *callbacks.Registry,
) (map[string][]*bridge.Executable, error) {
	programs := map[string][]*bridge.Executable{}
	for _, name := range []string{l.steady.name, l.shaky.name} {
		for _, size := range sizes {
			e, err := client.Compile(ctx, bridge.Source(l.module(name, r.Name(), size)), engine.CompileOptions{})
			if err != nil {
				for _, list := range programs {
					for _, e := range list {
						err = errors.Join(err, e.Close())
					}
				}
				return nil, err
			}
			programs[name] = append(programs[name], e)
		}
	}
	return programs, nil
}

// module makes calls in a loop.
func (l *lane) module(name, registry string, size int) string {
	return load.Counting(l.way, fmt.Sprintf("callback = %q, registry = %q", name, registry), size, "")
}
