package execute

import (
	"context"
	"encoding/gob"
	"fmt"
	"sync"

	"github.com/calliope-mlir/calliope/bridge"
	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/internal/host/worker"
	"github.com/calliope-mlir/calliope/jit"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/passes"
	"github.com/calliope-mlir/calliope/stablehlo"
	"github.com/calliope-mlir/calliope/tensor"
)

// childVariable is the environment variable that makes an executable with this package a child.
const childVariable = "CALLIOPE_SOAK_ENGINE"

// Serve runs modules and ends the process, if a Runner started it.
func Serve() { worker.Serve(childVariable, serve) }

// A request asks a child to run a module.
type request struct {
	Engine
	Module string
	Sets   [][]tensor.View
}

func serve(q request, answers *gob.Encoder) error {
	for _, list := range q.Sets {
		restore(list)
		for i := range list {
			list[i] = list[i].Clone() // gob does not align arrays
		}
	}
	return answers.Encode(q.answer(context.Background()))
}

var (
	library = sync.OnceValues(func() (*mlir.Library, error) { return mlir.Open(mlir.OpenOptions{}) })
	opened  *bridge.Client // of the plugin that the first request names: a child serves one runner
)

func client(path string) (*bridge.Client, error) {
	if opened != nil {
		return opened, nil
	}
	plugin, err := bridge.Open(bridge.OpenOptions{Path: path})
	if err != nil {
		return nil, err
	}
	opened, err = plugin.NewClient(bridge.ClientOptions{})
	return opened, err
}

type executable interface {
	Call(ctx context.Context, inputs ...tensor.View) ([]tensor.View, error)
	Close() error
}

func (q request) answer(ctx context.Context) (a Answer) {
	l, err := library()
	if err != nil {
		return Answer{Error: err.Error()}
	}
	c := l.NewContext(mlir.ContextOptions{})
	defer c.Close()
	if err := stablehlo.LoadQuant(c); err != nil {
		return Answer{Error: err.Error()}
	}
	m, err := c.Parse("program", []byte(q.Module))
	if err != nil {
		return Answer{Error: fmt.Sprintf("the generator: %v", err)}
	}
	defer m.Close()
	e, err := q.compile(ctx, m)
	if err != nil {
		return Answer{Refused: err.Error()}
	}
	defer e.Close()
	for _, list := range q.Sets {
		results, err := e.Call(ctx, list...)
		if err != nil {
			return Answer{Error: err.Error()}
		}
		a.Sets = append(a.Sets, results)
	}
	return a
}

func (q request) compile(ctx context.Context, m *mlir.Module) (executable, error) {
	switch {
	case q.Kind == Interpreter:
		if stablehlo.CheckEvaluate(m) != nil {
			if err := expand(m); err != nil {
				return nil, err
			}
		}
		return interpreted{m}, stablehlo.CheckEvaluate(m)
	case q.Kind == JIT && q.Plugin == "":
		return jit.Compile(ctx, m, jit.Options{})
	}
	x, err := client(q.Plugin)
	if err != nil {
		return nil, err
	}
	var program engine.Program = passes.Program(m, passes.PrepareOptions{})
	switch {
	case q.Kind == JIT: // preparing is for XLA
		program = bridge.Source(q.Module)
	case q.Unprepared:
		program = stablehlo.Unprepared(m)
	}
	return x.Compile(ctx, program, engine.CompileOptions{Exact: q.Kind == Exact})
}

// interpreted is a module on the interpreter.
type interpreted struct{ *mlir.Module }

func (m interpreted) Close() error { return nil }

func (m interpreted) Call(_ context.Context, inputs ...tensor.View) ([]tensor.View, error) {
	return stablehlo.Evaluate(m.Module, inputs...)
}

// expand replaces what the interpreter lacks by what it has, as package stages does.
func expand(m *mlir.Module) error {
	if err := stablehlo.CheckElements(m.Operation().Index()); err != nil {
		return err
	}
	p, err := m.Context().NewPassManager(mlir.PassManagerOptions{
		Pipeline: "builtin.module(func.func(stablehlo-legalize-deprecated-ops,stablehlo-legalize-quant-to-math," +
			"chlo-legalize-to-stablehlo))",
	})
	if err != nil {
		return err
	}
	defer p.Close()
	return p.Run(m)
}
