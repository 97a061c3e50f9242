package calliope

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"reflect"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/calliope-mlir/calliope/bridge"
	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/engine/load"
	"github.com/calliope-mlir/calliope/internal/text/errtext"
	"github.com/calliope-mlir/calliope/jit"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/native"
	"github.com/calliope-mlir/calliope/tensor"
)

// Options are the options of Open. The zero value is the usual choice.
type Options struct {
	// Offline forbids downloads. Without it, the MLIR library and the XLA plugin are fetched if they are missing, with
	// the user's own pip, and the session prints where they go. See package native.
	Offline bool
	// Engine runs functions: jit.Engine() or interpreter.Engine(), which need no plugin, or one of the program's own.
	// nil is XLA, on the plugin and the client that Cache, Plugin and Client describe. On platforms without a plugin,
	// and if CALLIOPE_PJRT_PLUGIN is "none", it is jit.Engine(), and a warning is logged if those are set. With an
	// Engine they are an error.
	Engine engine.Engine
	// Fallback is what becomes of functions that Engine refuses, as package jit does. The zero value has StableHLO's
	// interpreter run them, and logs a warning.
	Fallback engine.Fallback
	// Cache is a folder that keeps what was compiled, for other processes: see bridge.Cache. Functions that call
	// closures are compiled each time.
	Cache string
	// Interruptible has loops of functions end with the context of their call, also those that call no closures: each
	// iteration takes some tenths of a microsecond longer. Without it, XLA goes on with such a loop after its call has
	// returned the context's error, and later calls wait for it. The other engines end loops in any case.
	Interruptible bool
	Library       mlir.OpenOptions
	Plugin        bridge.OpenOptions
	Client        bridge.ClientOptions
	// Registry holds the closures of functions. nil means callbacks.Default.
	Registry *callbacks.Registry
}

// A Session has what functions need to be built and run. It is safe for concurrent use.
type Session struct {
	offline       bool
	ownLibrary    bool // Options.Library selects it
	interruptible bool // see Options
	library       *mlir.Library
	plugin        *bridge.Plugin // nil if functions run without one
	client        *bridge.Client // nil without a plugin
	engine        engine.Engine
	fallback      engine.Fallback
	registry      *callbacks.Registry
	closed        atomic.Bool
}

var errNoContext = errors.New("calliope: the context is nil: give context.Background() if there is no other")

// Open opens a session. The context limits only Open.
func Open(ctx context.Context, o Options) (*Session, error) {
	if ctx == nil {
		return nil, errNoContext
	}
	s := &Session{offline: o.Offline, interruptible: o.Interruptible, fallback: o.Fallback,
		registry:   o.Registry,
		ownLibrary: o.Library.Path != "" || o.Library.Part != "" || o.Library.Process}
	if s.registry == nil {
		s.registry = callbacks.Default
	}
	if err := s.open(ctx, o); err != nil {
		return nil, fmt.Errorf("calliope: %w", err)
	}
	return s, nil
}

func (s *Session) open(ctx context.Context, o Options) (err error) {
	if s.engine = o.Engine; s.engine == nil && o.Plugin.Path == "" && !native.PJRTPlugin.Available() {
		s.engine = jit.Engine()
	}
	alone := s.engine != nil
	if n := o.Client.Devices; alone && n > s.engine.NumDevices() {
		return fmt.Errorf("Options.Client.Devices is %d, and without an XLA plugin there are %d", n, s.engine.NumDevices())
	}
	if name := o.ofXLA(); alone && name != "" {
		if o.Engine != nil {
			return fmt.Errorf("the option %s is for XLA, and Options.Engine is %s: leave one out", name, s.engine)
		}
		slog.Warn("calliope: there is no XLA plugin here, so an option is without effect", "option", name)
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
	s.library, err = load.Fetched(ctx, s.fetching(), func() (*mlir.Library, error) { return mlir.Open(o.Library) })
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
		s.engine = s.client.Engine()
	}
	return err
}

// ofXLA returns the name of an option that is set, and that only XLA has, or "".
func (o Options) ofXLA() string {
	o.Client.Devices = 0
	switch {
	case o.Cache != "":
		return "Cache"
	case !reflect.ValueOf(o.Plugin).IsZero():
		return "Plugin"
	case !reflect.ValueOf(o.Client).IsZero():
		return "Client"
	}
	return ""
}

// given panics because a method was called on a nil pointer or a zero value.
func (s *Session) given(method string) {
	if s == nil || s.registry == nil {
		panic(errtext.Receiver("calliope: Session."+method, s == nil, "Open"))
	}
}

func (s *Session) fetching() native.EnsureOptions { return native.EnsureOptions{Offline: s.offline} }

// Library returns the MLIR library.
func (s *Session) Library() *mlir.Library {
	s.given("Library")
	return s.library
}

// Plugin returns the XLA plugin, or nil if functions run without one.
func (s *Session) Plugin() *bridge.Plugin {
	s.given("Plugin")
	return s.plugin
}

// Client returns the client whose devices run functions, or nil without a plugin.
func (s *Session) Client() *bridge.Client {
	s.given("Client")
	return s.client
}

// Engine returns what runs functions.
func (s *Session) Engine() engine.Engine {
	s.given("Engine")
	return s.engine
}

// ArrayFromHost copies a host array to a device of the engine. An Array is an argument of the functions of its session.
// The caller must close it.
func (s *Session) ArrayFromHost(ctx context.Context, v tensor.View, device int) (Array, error) {
	s.given("ArrayFromHost")
	if s.closed.Load() {
		return nil, fmt.Errorf("calliope: Session.ArrayFromHost: the session is %w", engine.ErrClosed)
	}
	return s.engine.ArrayFromHost(ctx, v, device)
}

// Registry returns the registry that holds the closures of functions.
func (s *Session) Registry() *callbacks.Registry {
	s.given("Registry")
	return s.registry
}

// Close closes the client, as bridge.Client.Close does, after what it has compiled. Functions that use the session
// then return bridge.ErrClosed.
func (s *Session) Close() error {
	s.given("Close")
	s.closed.Store(true)
	if s.client == nil {
		return nil
	}
	return s.client.Close()
}

var standard struct {
	sync.Mutex
	session *Session
	opening *opening // nil if nobody opens it
}

// An opening is the Open of the default session.
type opening struct {
	done chan struct{} // closed when the others are set
	s    *Session
	err  error
}

// Default returns the session of functions without one. The first call opens it with the zero Options. If the context
// ends, that goes on for later calls.
func Default(ctx context.Context) (*Session, error) {
	if ctx == nil {
		return nil, errNoContext
	}
	standard.Lock()
	if s := standard.session; s != nil {
		standard.Unlock()
		return s, nil
	}
	o := standard.opening
	if o == nil {
		o = &opening{done: make(chan struct{})}
		standard.opening = o
		go o.open(context.WithoutCancel(ctx))
	}
	standard.Unlock()
	select {
	case <-o.done:
		return o.s, o.err
	case <-ctx.Done():
		return nil, fmt.Errorf("calliope: the default session is being opened, which goes on for later calls: %w",
			context.Cause(ctx))
	}
}

func (o *opening) open(ctx context.Context) {
	defer close(o.done)
	o.s, o.err = Open(ctx, Options{})
	standard.Lock()
	defer standard.Unlock()
	standard.opening = nil
	if o.err != nil {
		return
	}
	if standard.session != nil { // SetDefault came first
		_ = o.s.Close() // nothing has used it
		o.s = standard.session
		return
	}
	standard.session = o.s
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
