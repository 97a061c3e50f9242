package calliope

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/calliope-mlir/calliope/bridge"
	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/internal/model"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/native"
	"github.com/calliope-mlir/calliope/stages"
)

// Options are the options of Open. The zero value is the usual choice.
type Options struct {
	// Offline forbids downloads. Without it, the MLIR library and the XLA plugin are fetched if they are missing, with
	// the user's own pip, and the session prints where they go. See package native.
	Offline bool
	// JIT compiles functions by MLIR and LLVM, as package jit does, and not by a plugin. There are no Arrays. On
	// platforms without a plugin, and if CALLIOPE_PJRT_PLUGIN is "none", Open makes this choice.
	JIT bool
	// Interpreter runs functions on StableHLO's interpreter, in a process of its own, and not on a plugin. It is slow,
	// and there are no Arrays.
	Interpreter bool
	// Cache is a folder that keeps what was compiled, for other processes: see bridge.Cache. Functions that call
	// closures are compiled each time.
	Cache   string
	Library mlir.OpenOptions
	Plugin  bridge.OpenOptions
	Client  bridge.ClientOptions
	// Registry holds the closures of functions. nil means callbacks.Default.
	Registry *callbacks.Registry
}

// A Session has what functions need to be built and run. It is safe for concurrent use.
type Session struct {
	offline    bool
	ownLibrary bool // Options.Library selects it
	library    *mlir.Library
	plugin     *bridge.Plugin  // nil if functions run without one
	client     *bridge.Client  // nil without a plugin
	devices    []stages.Device // that run functions without a plugin that calls back
	registry   *callbacks.Registry
	closed     atomic.Bool
}

// Open opens a session. The context limits only Open.
func Open(ctx context.Context, o Options) (*Session, error) {
	s := &Session{offline: o.Offline, ownLibrary: o.Library.Path != "" || o.Library.Part != "" || o.Library.Process,
		registry: o.Registry}
	if s.registry == nil {
		s.registry = callbacks.Default
	}
	if err := s.open(ctx, o); err != nil {
		return nil, fmt.Errorf("calliope: %w", err)
	}
	return s, nil
}

func (s *Session) open(ctx context.Context, o Options) (err error) {
	if o.Plugin.Path == "" && os.Getenv(native.PJRTPlugin.Env()) == "none" {
		o.JIT = true
	} else if o.Plugin.Path == "" && !native.PJRTPlugin.Fetchable() {
		_, err := native.Find(native.PJRTPlugin)
		o.JIT = o.JIT || errors.As(err, new(*native.NotFoundError))
	}
	alone := o.JIT || o.Interpreter
	if n := o.Client.Devices; alone && n > 1 {
		return fmt.Errorf("Options.Client.Devices is %d, and without an XLA plugin there is one device", n)
	}
	missing := slices.DeleteFunc(native.DefaultParts(), func(p native.Part) bool {
		return p == native.MLIR && o.Library.Path != "" || p == native.PJRTPlugin &&
			(o.Plugin.Path != "" || alone)
	})
	if len(missing) > 0 {
		if err := native.EnsureAll(ctx, s.fetching(), missing...); err != nil {
			return err
		}
	}
	s.library, err = model.Fetched(ctx, s.fetching(), func() (*mlir.Library, error) { return mlir.Open(o.Library) })
	s.devices = []stages.Device{stages.JIT()}
	if o.Interpreter {
		s.devices = []stages.Device{stages.Interpreter()}
	}
	if err != nil || alone {
		return err
	}
	if s.plugin, err = bridge.Open(o.Plugin); err != nil {
		return err
	}
	if o.Cache != "" {
		if o.Client.Cache, err = bridge.OpenCache(o.Cache, bridge.CacheOptions{}); err != nil {
			return err
		}
	}
	if s.client, err = s.plugin.NewClient(o.Client); err == nil {
		s.devices = stages.On(s.client)
	}
	return err
}

func (s *Session) fetching() native.EnsureOptions { return native.EnsureOptions{Offline: s.offline} }

// Library returns the MLIR library.
func (s *Session) Library() *mlir.Library { return s.library }

// Plugin returns the XLA plugin, or nil if functions run without one.
func (s *Session) Plugin() *bridge.Plugin { return s.plugin }

// Client returns the client whose devices run functions, or nil without a plugin.
func (s *Session) Client() *bridge.Client { return s.client }

// Devices returns what runs modules in stages: the client's devices, or one device without a plugin. They are for
// stages.Options.Devices, and so for whatever compiles a module and does not ask which engine there is.
func (s *Session) Devices() []stages.Device { return slices.Clone(s.devices) }

// Registry returns the registry that holds the closures of functions.
func (s *Session) Registry() *callbacks.Registry { return s.registry }

// Close closes the client, as bridge.Client.Close does, after what it has compiled. Functions that use the session
// then return bridge.ErrClosed.
func (s *Session) Close() error {
	s.closed.Store(true)
	if s.client == nil {
		return nil
	}
	return s.client.Close()
}

var standard struct {
	sync.Mutex
	session *Session
}

// Default returns the session of functions without one. The first call opens it with the zero Options.
func Default(ctx context.Context) (*Session, error) {
	standard.Lock()
	defer standard.Unlock()
	if standard.session == nil {
		s, err := Open(ctx, Options{})
		if err != nil {
			return nil, err
		}
		standard.session = s
	}
	return standard.session, nil
}

// SetDefault replaces the default session, for functions that were not called before, and returns the previous one, or
// nil. It does not close that.
func SetDefault(s *Session) *Session {
	standard.Lock()
	defer standard.Unlock()
	previous := standard.session
	standard.session = s
	return previous
}
