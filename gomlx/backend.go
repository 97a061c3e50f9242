// Package gomlx is a backend for GoMLX: its programs run on XLA by this module. A program imports it in place of
// GoMLX's own backends, which do not link together with it:
//
//	import _ "github.com/calliope-mlir/calliope/gomlx"
//
// The backend has the name "calliope". If it is the only one of the program it is the default one, and the environment
// variable GOMLX_BACKEND selects it otherwise, with options behind a colon and commas between them:
//
//	GOMLX_BACKEND=calliope:devices=4,cache=/var/cache/models
//
//	devices=N    divides the CPU into N devices
//	plugin=FILE  runs on another PJRT plugin
//	dynamic      has dynamic axes: see docs/gomlx.md before
//	sizes=N      keeps N compiled programs of a computation with dynamic axes, without it 64
//	cache=DIR    keeps compiled programs in a folder, see bridge.Cache
//	jit          compiles by MLIR and LLVM, see package jit, and needs no plugin
//	fallback=F   of what jit refuses: warn, without it, runs it on the interpreter, and logs a warning; on runs it there
//	             without one; off makes it an error
//	interpreter  runs on StableHLO's interpreter, which is slow and needs no plugin
//	offline      forbids downloads
//
// Native parts that are missing are fetched when the backend is opened, as package native describes, unless the options
// forbid it.
//
// The backend builds a module of StableHLO by package builder, and MLIR infers the types of results and checks them. An
// error names the line of the program that called GoMLX. docs/gomlx.md says what the backend can do.
package gomlx

import (
	"context"
	stderrors "errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/pkg/errors"

	"github.com/calliope-mlir/calliope"
	"github.com/calliope-mlir/calliope/bridge"
	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/interpreter"
	"github.com/calliope-mlir/calliope/jit"
)

// Name is the name of the backend.
const Name = "calliope"

func init() {
	compute.Register(Name, func(config string) (compute.Backend, error) { return New(config) })
}

// A Backend runs programs of GoMLX. It is safe for concurrent use.
type Backend struct {
	session   *calliope.Session
	offline   bool
	dynamic   bool // has dynamic axes
	fallback  engine.Fallback
	sizes     int  // for which a computation with dynamic axes stays compiled
	shared    bool // devices use the memory of the host
	ctx       atomic.Pointer[context.Context]
	called    sync.Map // the sets of Go functions, *called, that computations call
	finalized atomic.Bool
}

var _ compute.Backend = (*Backend)(nil)

// New opens a backend. config has the options that the package's documentation lists.
func New(config string) (*Backend, error) {
	o, err := parse(config)
	if err != nil {
		return nil, errors.WithStack(err)
	}
	session, err := calliope.Open(context.Background(), o.session)
	if err != nil {
		return nil, errors.WithStack(err)
	}
	b := &Backend{session: session, offline: o.session.Offline, dynamic: o.dynamic, sizes: o.sizes,
		fallback: o.session.Fallback}
	if b.onHost() {
		b.shared = true
		return b, nil
	}
	probe, _, err := b.NewSharedBuffer(0, shapes.Make(dtypes.Uint8, 1))
	if err != nil {
		return nil, errors.WithStack(stderrors.Join(err, session.Close()))
	}
	b.shared = probe.(*buffer).Borrowed()
	return b, errors.WithStack(probe.Finalize())
}

// options are what a configuration says.
type options struct {
	session calliope.Options
	dynamic bool
	sizes   int
}

// parse returns the options of a configuration.
func parse(config string) (o options, err error) {
	o.sizes = 64
	for option := range strings.SplitSeq(config, ",") {
		key, value, _ := strings.Cut(option, "=")
		switch key {
		case "":
		case "devices":
			o.session.Client.Devices, err = strconv.Atoi(value)
		case "plugin":
			o.session.Plugin.Path = value
		case "cache":
			o.session.Cache = value
		case "dynamic":
			o.dynamic = true
		case "sizes":
			o.sizes, err = strconv.Atoi(value)
		case "offline":
			o.session.Offline = true
		case "interpreter":
			o.session.Engine = interpreter.Engine()
		case "jit":
			o.session.Engine = jit.Engine()
		case "fallback":
			o.session.Fallback, err = engine.ParseFallback(value)
		default:
			err = errors.New("no such option")
		}
		if err != nil {
			return o, fmt.Errorf("%s: option %q: %w: the options are devices=N, plugin=FILE, cache=DIR, dynamic, sizes=N, "+
				"jit, fallback=off, warn or on, interpreter and offline", Name, option, err)
		}
	}
	return o, nil
}

// Session returns the session that the backend runs in.
func (b *Backend) Session() *calliope.Session { return b.session }

// client returns the client of the session, or nil without a plugin.
func (b *Backend) client() *bridge.Client { return b.session.Client() }

// onHost reports whether arrays are in the host's memory.
func (b *Backend) onHost() bool { return b.session.Engine().Can().OnHost }

// Name returns Name.
func (b *Backend) Name() string { return Name }

// String returns Name.
func (b *Backend) String() string { return Name }

// Description returns the name, and the file and version of the plugin.
func (b *Backend) Description() string {
	if b.client() == nil {
		return fmt.Sprintf("%s: StableHLO by MLIR, run by %s", Name, b.session.Engine())
	}
	info := b.session.Plugin().Info()
	return fmt.Sprintf("%s: StableHLO by MLIR, run by PJRT %s (%s)", Name, info.PJRT, info.Path)
}

// NumDevices returns the number of devices.
func (b *Backend) NumDevices() int { return b.session.Engine().NumDevices() }

// SetContext sets the context of the executions that begin from now on: see ContextExecutable.
func (b *Backend) SetContext(ctx context.Context) { b.ctx.Store(&ctx) }

func (b *Backend) context() context.Context {
	if ctx := b.ctx.Load(); ctx != nil {
		return *ctx
	}
	return context.Background()
}

// Stats returns the counts of arrays, memory and executions, which are zero without a plugin.
func (b *Backend) Stats() bridge.ClientStats {
	if b.client() == nil {
		return bridge.ClientStats{}
	}
	return b.client().Stats()
}

// DeviceDescription describes a device.
func (b *Backend) DeviceDescription(device compute.DeviceNum) string {
	return fmt.Sprintf("%s device %d of %d", Name, device, b.NumDevices())
}

// Builder starts a computation.
func (b *Backend) Builder(name string) compute.Builder { return newBuilder(b, name) }

// Finalize closes the backend, after the executions that are under way. What still uses it fails with bridge.ErrClosed.
func (b *Backend) Finalize() {
	if b.finalized.Swap(true) {
		return
	}
	_ = b.session.Close() // lists what it did not wait for, and there is nobody to tell
	for c := range b.called.Range {
		c.(*called).release()
	}
}

// IsFinalized reports whether Finalize was called.
func (b *Backend) IsFinalized() bool { return b.finalized.Load() }
