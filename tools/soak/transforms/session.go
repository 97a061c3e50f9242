package transforms

import (
	"context"
	"errors"
	"fmt"

	"github.com/calliope-mlir/calliope/bridge"
	"github.com/calliope-mlir/calliope/bridge/lapack"
	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/contract/callop"
	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/passes"
	"github.com/calliope-mlir/calliope/tensor"
)

// A session has what the trials of a process share.
type session struct {
	library           *mlir.Library
	client            *bridge.Client
	registries        map[string]*callbacks.Registry
	bound             map[[2]string]bool // the registries and names of functions
	modules, programs []source
}

// open opens what the trials of a process share.
func open(root, cases string) (*session, error) {
	s := &session{registries: map[string]*callbacks.Registry{"": callbacks.Default}, bound: map[[2]string]bool{}}
	var err error
	if s.modules, s.programs, err = sources(root, cases); err != nil {
		return nil, err
	}
	if s.library, err = mlir.Open(mlir.OpenOptions{}); err != nil {
		return nil, err
	}
	plugin, err := bridge.Open(bridge.OpenOptions{})
	if err != nil {
		return nil, err
	}
	if err := lapack.Register(plugin); err != nil {
		return nil, err
	}
	s.client, err = plugin.NewClient(bridge.ClientOptions{})
	return s, err
}

// bind registers a function for each callback of a module that has none.
func (s *session) bind(m *mlir.Module) error {
	for call := range callop.Calls(m) {
		in, name := call.Config.Registry, call.Config.Callback
		if call.Err != nil || name == "" || s.bound[[2]string{in, name}] {
			continue
		}
		if s.registries[in] == nil {
			r, err := callbacks.NewRegistry(in, callbacks.RegistryOptions{})
			if err != nil {
				return err
			}
			s.registries[in] = r
		}
		if err := s.registries[in].Register(name, zeros, callbacks.Options{}); err != nil {
			return err
		}
		s.bound[[2]string{in, name}] = true
	}
	return nil
}

// zeros is the function of all callbacks. It passes on what it can, and returns zeros in place of the rest.
func zeros(f *callbacks.Frame) error {
	if f.Config.Form != contract.Passthrough {
		for _, v := range f.Results {
			clear(v.Data)
		}
	}
	return nil
}

// A runner runs a function.
type runner func(arguments ...tensor.View) ([]tensor.View, error)

// compiled compiles a function, and calls use with what runs it.
func (s *session) compiled(f mlir.Operation, use func(runner) error) (err error) {
	ctx := context.Background()
	m, err := asMain(f)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, m.Close()) }()
	if err := s.bind(m); err != nil {
		return err
	}
	executable, err := s.client.Compile(ctx, passes.Program(m, passes.PrepareOptions{}),
		engine.CompileOptions{OptimizationLevel: engine.NoOptimization})
	if err != nil {
		return fmt.Errorf("compiling it: %w", err)
	}
	defer func() { err = errors.Join(err, executable.Close()) }()
	return use(func(arguments ...tensor.View) ([]tensor.View, error) {
		results, err := executable.Call(ctx, arguments...)
		if err != nil {
			return nil, fmt.Errorf("running it: %w", err)
		}
		return results, nil
	})
}

// asMain returns a copy of the module of a function in which the function is main.
func asMain(f mlir.Operation) (*mlir.Module, error) {
	m, err := f.Context().Parse("", []byte(f.Parent().String()))
	if err != nil {
		return nil, err
	}
	name, _ := f.Symbol()
	table := m.SymbolTable()
	if _, ok := table.Lookup("main"); ok && name != "main" {
		err = table.Rename("main", "main.original")
	}
	if name != "main" {
		err = errors.Join(err, table.Rename(name, "main"))
	}
	if made, ok := table.Lookup("main"); ok && err == nil {
		made.SetVisibility(mlir.Public)
		return m, nil
	}
	return nil, errors.Join(err, m.Close())
}
