package programs

import (
	"context"
	"errors"

	"github.com/calliope-mlir/calliope/bridge"
	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/mlir"
)

// registryName is the name of the registry of the functions.
const registryName = "random programs"

// A session has what the programs of a process share.
type session struct {
	library       *mlir.Library
	client, other *bridge.Client
	registry      *callbacks.Registry
	spoiled       bool // leave a call out of what is expected
}

// open opens what the programs of a process share. The plugin is the one that bridge.Open finds.
func open() (s *session, err error) {
	s = &session{}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.close())
		}
	}()
	if s.library, err = mlir.Open(mlir.OpenOptions{}); err != nil {
		return s, err
	}
	plugin, err := bridge.Open(bridge.OpenOptions{})
	if err != nil {
		return s, err
	}
	if s.client, err = plugin.NewClient(bridge.ClientOptions{Devices: 2}); err != nil {
		return s, err
	}
	if s.other, err = plugin.NewClient(bridge.ClientOptions{Devices: 1}); err != nil {
		return s, err
	}
	s.registry, err = register(registryName)
	return s, err
}

func (s *session) close() (err error) {
	for _, c := range []*bridge.Client{s.client, s.other} {
		if c != nil {
			err = errors.Join(err, c.Close())
		}
	}
	if s.registry != nil {
		err = errors.Join(err, s.registry.Close())
	}
	return err
}

// try runs a program in a way. It calls made with the module before it compiles it. The error is a mismatch, or what
// went wrong.
func (s *session) try(ctx context.Context, w way, seed uint64, made func(module string) error) (err error) {
	p := generate(seed, w.profile)
	r := p.random(1)
	p.tokens = r.IntN(3) == 0 && w.profile.devices == 0 && !w.profile.old
	c := s.library.NewContext(mlir.ContextOptions{})
	defer func() { err = errors.Join(err, c.Close()) }()
	make := w.module
	if make == nil {
		make = built
	}
	m, end, err := make(c, p, r)
	defer func() {
		if m != nil {
			err = errors.Join(err, m.Close())
		}
		if end != nil {
			err = errors.Join(err, end())
		}
	}()
	if m != nil {
		err = errors.Join(err, made(m.String()))
	}
	if err != nil {
		return err
	}
	e, err := w.compile(ctx, s, p, m, r)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, e.Close()) }()
	if s.spoiled {
		p.spoil()
	}
	run := &runner{session: s, p: p, executable: e, host: w.host, random: r}
	return run.all(ctx)
}

// Module returns the module of a random program, whose callbacks are in a registry with a name of their own.
func Module(c *mlir.Context, seed uint64) (*mlir.Module, error) {
	return generate(seed, profile{}).build(c, registryName, nil)
}

// Register makes the registry of the functions that such modules call. The caller must close it.
func Register() (*callbacks.Registry, error) { return register(registryName) }
