package calliope

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/calliope-mlir/calliope/bridge"
	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/native"
)

// Options are the options of Open. The zero value is the usual choice.
type Options struct {
	// Offline forbids downloads. Without it, Open fetches the MLIR library and the XLA plugin if they are missing, with
	// the user's own pip, and prints where they go. See package native.
	Offline bool
	Library mlir.OpenOptions
	Plugin  bridge.OpenOptions
	Client  bridge.ClientOptions
	// Registry holds the closures of functions. nil means callbacks.Default.
	Registry *callbacks.Registry
}

// parts returns the native parts that are needed.
func (o Options) parts() []native.Part {
	return slices.DeleteFunc(native.DefaultParts(), func(p native.Part) bool {
		return p == native.MLIR && o.Library.Path != "" || p == native.PJRTPlugin && o.Plugin.Path != ""
	})
}

// A Session has what functions need to be built and run. It is safe for concurrent use.
type Session struct {
	library  *mlir.Library
	plugin   *bridge.Plugin
	client   *bridge.Client
	registry *callbacks.Registry

	building sync.Mutex // one goroutine uses the context
	ir       *mlir.Context
}

// Open opens a session. The context limits only Open.
func Open(ctx context.Context, o Options) (*Session, error) {
	var err error
	if o.Library.Path == "" || o.Plugin.Path == "" {
		err = native.EnsureAll(ctx, native.EnsureOptions{Offline: o.Offline}, o.parts()...)
	}
	s := &Session{registry: o.Registry}
	if s.registry == nil {
		s.registry = callbacks.Default
	}
	if err == nil {
		s.library, err = mlir.Open(o.Library)
	}
	if err == nil {
		s.plugin, err = bridge.Open(o.Plugin)
	}
	if err == nil {
		s.client, err = s.plugin.NewClient(o.Client)
	}
	if err != nil {
		return nil, fmt.Errorf("calliope: %w", err)
	}
	s.ir = s.library.NewContext(mlir.ContextOptions{})
	return s, nil
}

// Library returns the MLIR library.
func (s *Session) Library() *mlir.Library { return s.library }

// Plugin returns the XLA plugin.
func (s *Session) Plugin() *bridge.Plugin { return s.plugin }

// Client returns the client whose devices run functions.
func (s *Session) Client() *bridge.Client { return s.client }

// Registry returns the registry that holds the closures of functions.
func (s *Session) Registry() *callbacks.Registry { return s.registry }

// Close closes the client, as bridge.Client.Close does, after what it has compiled. Functions that use the session
// then return bridge.ErrClosed.
func (s *Session) Close() error {
	err := s.client.Close()
	s.building.Lock()
	defer s.building.Unlock()
	return errors.Join(err, s.ir.Close())
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
