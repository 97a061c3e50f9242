package programs

import (
	"context"
	"errors"
	"math/rand/v2"
	"strings"

	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/jit"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/passes"
	"github.com/calliope-mlir/calliope/stages"
)

// A compiler compiles the module of a program.
type compiler func(ctx context.Context, s *session, p *program, m *mlir.Module, r *rand.Rand) (engine.Executable, error)

// A way makes a module of a program, and compiles it.
type way struct {
	name    string
	profile profile
	host    bool // the program runs without a client
	// module makes the module, and returns what ends what it needs, or nil. It may change what is expected. nil builds
	// it.
	module  func(c *mlir.Context, p *program, r *rand.Rand) (*mlir.Module, func() error, error)
	compile compiler
}

var all = []way{
	{name: "inline", compile: inline(engine.CompileOptions{})},
	{name: "saved", compile: saved},
	{name: "cut", compile: staged(func(s *session, p *program, _ *rand.Rand) stages.Options {
		return stages.Options{Devices: stages.On(s.client.Engine()), Force: cuts(p, func() bool { return true })}
	})},
	{name: "cut at some", compile: staged(func(s *session, p *program, r *rand.Rand) stages.Options {
		return stages.Options{Devices: stages.On(s.client.Engine()),
			Force: cuts(p, func() bool { return r.IntN(2) == 0 })}
	})},
	{name: "placed", compile: staged(placed)},
	{name: "jit", host: true, compile: onJIT},
	{name: "interpreter", host: true, compile: staged(func(*session, *program, *rand.Rand) stages.Options {
		return stages.Options{Devices: []stages.Device{stages.Interpreter()}}
	})},
	{name: "tapped", module: tapped, compile: inline(engine.CompileOptions{})},
	{name: "migrated", profile: profile{old: true}, module: migrated, compile: inline(engine.CompileOptions{})},
	{name: "replicas", profile: profile{devices: 2}, compile: inline(engine.CompileOptions{Replicas: 2})},
	{name: "one of replicas", profile: profile{devices: 2, once: true},
		compile: inline(engine.CompileOptions{Replicas: 2})},
	{name: "mesh", profile: profile{devices: 2, once: true, mesh: true},
		compile: inline(engine.CompileOptions{Partitions: 2})},
}

func inline(o engine.CompileOptions) compiler {
	return func(ctx context.Context, s *session, p *program, m *mlir.Module, _ *rand.Rand) (engine.Executable, error) {
		return s.client.Compile(ctx, passes.Program(m, passes.PrepareOptions{}), o)
	}
}

// onJIT also reports what package jit refuses, which stages would run on the interpreter.
func onJIT(ctx context.Context, s *session, p *program, m *mlir.Module, r *rand.Rand) (engine.Executable, error) {
	e, err := jit.Compile(ctx, m, jit.Options{})
	if err != nil {
		return nil, err
	}
	if err := e.Close(); err != nil {
		return nil, err
	}
	return staged(func(*session, *program, *rand.Rand) stages.Options {
		return stages.Options{Devices: []stages.Device{stages.JIT()}}
	})(ctx, s, p, m, r)
}

func saved(ctx context.Context, s *session, p *program, m *mlir.Module, _ *rand.Rand) (engine.Executable, error) {
	e, err := s.client.Compile(ctx, passes.Program(m, passes.PrepareOptions{}), engine.CompileOptions{})
	if err != nil {
		return nil, err
	}
	data, err := e.Serialize()
	if err := errors.Join(err, e.Close()); err != nil {
		return nil, err
	}
	return s.client.Load(ctx, data)
}

func staged(options func(*session, *program, *rand.Rand) stages.Options) compiler {
	return func(ctx context.Context, s *session, p *program, m *mlir.Module, r *rand.Rand) (engine.Executable, error) {
		return stages.Compile(ctx, m, options(s, p, r))
	}
}

// cuts decides at which functions a module is cut. It is cut at all queued calls or at none: one that is cut has
// another queue than those of the device.
func cuts(p *program, cut func() bool) map[string]stages.Decision {
	force := map[string]stages.Decision{}
	decisions := []stages.Decision{stages.Inline, stages.Boundary}
	queued := decisions[truth(cut())]
	for _, c := range p.calls() {
		if _, decided := force[c.name]; !decided {
			force[c.name] = decisions[truth(cut())]
		}
		if strings.HasSuffix(c.name, async) {
			force[c.name] = queued
		}
	}
	return force
}

// placed lowers pure calls, and runs stages on devices at random, of two clients and of none.
func placed(s *session, p *program, r *rand.Rand) stages.Options {
	devices := append(stages.On(s.client.Engine(), 0, 1), stages.On(s.other.Engine())...)
	if r.IntN(4) == 0 { // it is slow
		devices = append(devices, stages.Interpreter())
	}
	o := stages.Options{Devices: devices, Force: cuts(p, func() bool { return true })}
	o.Place = func(*stages.Stage) int { return r.IntN(len(devices)) }
	for _, c := range p.calls() {
		if c.form == pure {
			o.Force[c.name], o.Lower = stages.Lower, map[string]stages.Lowering{c.name: lower}
		}
	}
	return o
}

// ways returns the ways of some names, with commas between them. "" is all of them.
func ways(names string) (list []way, err error) {
	if names == "" {
		return all, nil
	}
	for _, name := range strings.Split(names, ",") {
		found := false
		for _, w := range all {
			if w.name == strings.TrimSpace(name) {
				list, found = append(list, w), true
			}
		}
		if !found {
			return nil, errors.New("there is no way " + name)
		}
	}
	return list, nil
}
