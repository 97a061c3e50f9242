package operations

import (
	"context"
	"encoding/gob"
	"fmt"
	"sync"
	"time"

	"github.com/calliope-mlir/calliope/bridge"
	"github.com/calliope-mlir/calliope/internal/worker"
	"github.com/calliope-mlir/calliope/jit"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/passes"
	"github.com/calliope-mlir/calliope/stablehlo"
	"github.com/calliope-mlir/calliope/tensor"
)

// engines are what runs modules. The first one is the reference where it runs a program.
var engines = []string{"interpreter", "xla exact", "xla", "jit"}

// childVariable is the environment variable that makes an executable with this package a child.
const childVariable = "CALLIOPE_SOAK_OPERATIONS"

// Serve runs modules and ends the process, if Run started it.
func Serve() { worker.Serve(childVariable, serve) }

// A request asks a child to run a module.
type request struct {
	Engine, Module string
	Inputs         []tensor.View
	Crash          bool // end the process, in a test
}

// An answer has the results, or the error of a compile, or of a run.
type answer struct {
	Results []tensor.View
	Refused string
	Error   string
}

func serve(q request, answers *gob.Encoder) error {
	for i := range q.Inputs {
		if q.Inputs[i].Data == nil {
			q.Inputs[i].Data = []byte{} // gob does not tell an empty slice from none
		}
		q.Inputs[i] = q.Inputs[i].Clone()
	}
	return answers.Encode(q.answer(context.Background()))
}

var (
	library = sync.OnceValues(func() (*mlir.Library, error) { return mlir.Open(mlir.OpenOptions{}) })
	client  = sync.OnceValues(func() (*bridge.Client, error) {
		plugin, err := bridge.Open(bridge.OpenOptions{})
		if err != nil {
			return nil, err
		}
		return plugin.NewClient(bridge.ClientOptions{})
	})
)

type executable interface {
	Call(ctx context.Context, inputs ...tensor.View) ([]tensor.View, error)
	Close() error
}

func (q request) answer(ctx context.Context) (a answer) {
	l, err := library()
	if err != nil {
		return answer{Error: err.Error()}
	}
	c := l.NewContext(mlir.ContextOptions{})
	defer c.Close()
	if err := stablehlo.LoadQuant(c); err != nil {
		return answer{Error: err.Error()}
	}
	m, err := c.Parse("program", []byte(q.Module))
	if err != nil {
		return answer{Error: fmt.Sprintf("the generator: %v", err)}
	}
	defer m.Close()
	var e executable
	switch q.Engine {
	case "interpreter":
		if err = expand(m); err == nil {
			err = stablehlo.CheckEvaluate(m)
		}
		e = interpreted{m}
	case "jit":
		e, err = jit.Compile(ctx, m, jit.Options{})
	default:
		var x *bridge.Client
		if x, err = client(); err != nil {
			return answer{Error: err.Error()}
		}
		e, err = x.Compile(ctx, passes.Program(m, passes.PrepareOptions{}),
			bridge.CompileOptions{Exact: q.Engine == "xla exact"})
	}
	if err != nil {
		return answer{Refused: err.Error()}
	}
	defer e.Close()
	if a.Results, err = e.Call(ctx, q.Inputs...); err != nil {
		a.Error = err.Error()
	}
	return a
}

// interpreted is a module on the interpreter.
type interpreted struct{ *mlir.Module }

func (m interpreted) Close() error { return nil }

func (m interpreted) Call(_ context.Context, inputs ...tensor.View) ([]tensor.View, error) {
	return stablehlo.Evaluate(m.Module, inputs...)
}

// expand replaces what the interpreter lacks by what it has, as package stages does.
func expand(m *mlir.Module) error {
	p, err := m.Context().NewPassManager(mlir.PassManagerOptions{
		Pipeline: "builtin.module(func.func(stablehlo-legalize-deprecated-ops,stablehlo-legalize-quant-to-math,chlo-legalize-to-stablehlo))",
	})
	if err != nil {
		return err
	}
	defer p.Close()
	return p.Run(m)
}

// A runner runs modules on an engine, in a child process.
type runner struct {
	engine  string
	process *worker.Process
	served  int
}

// limit is how long a module may take on a busy machine, and renewed after how many a process is replaced.
const (
	limit   = time.Minute
	renewed = 400
)

// run runs a module. If it ends the process, or takes too long, crash says how.
func (r *runner) run(ctx context.Context, text string, inputs []tensor.View) (a answer, crash string, err error) {
	if r.served++; r.served > renewed {
		r.close()
	}
	if r.process == nil {
		if r.process, err = worker.Start(ctx, childVariable); err != nil {
			return a, "", err
		}
		r.served = 1
	}
	late := false
	timer := time.AfterFunc(limit, func() { late = true; r.process.Kill() })
	stop := context.AfterFunc(ctx, r.process.Kill)
	err = r.process.Encode(request{Engine: r.engine, Module: text, Inputs: inputs})
	if err == nil {
		err = r.process.Decode(&a)
	}
	if timer.Stop(); !stop() {
		return a, "", context.Cause(ctx)
	}
	if err != nil {
		how := r.process.End()
		r.process = nil
		if late {
			how = fmt.Sprintf("it took longer than %v", limit)
		}
		return a, how, nil
	}
	for i := range a.Results {
		if a.Results[i].Data == nil {
			a.Results[i].Data = []byte{}
		}
	}
	return a, "", nil
}

func (r *runner) close() {
	if r.process != nil {
		r.process.End()
		r.process = nil
	}
}
