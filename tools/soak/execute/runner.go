package execute

import (
	"context"
	"fmt"
	"time"

	"github.com/calliope-mlir/calliope/internal/host/worker"
	"github.com/calliope-mlir/calliope/tensor"
)

// Kinds of engines.
const (
	Interpreter = "interpreter"
	Exact       = "xla exact"
	XLA         = "xla"
	JIT         = "jit"
)

// An Engine is what runs modules.
type Engine struct {
	Kind       string
	Plugin     string // the path, "" for that which bridge.Open finds. For JIT it is that of c/plugin, or ""
	Unprepared bool   // compile for XLA without passes.Prepare
	Name       string // see Engines
}

// An Answer has the results, or the error of a compile, or of a run.
type Answer struct {
	Results []tensor.View   // for the first set of arguments
	Sets    [][]tensor.View // the results for each one
	Refused string
	Error   string
}

// A Runner runs modules on an engine, in a child process. One goroutine uses it, and must close it.
type Runner struct {
	Engine
	Took    time.Duration // by runs
	process *worker.Process
	served  int
}

// limit is how long a module may take on a busy machine, and renewed after how many a process is replaced.
const (
	limit   = time.Minute
	renewed = 400
)

// Run runs a module with each of some sets of arguments. If it ends the process, or takes too long, crash says how.
func (r *Runner) Run(ctx context.Context, text string, sets ...[]tensor.View) (a Answer, crash string, err error) {
	start := time.Now()
	defer func() { r.Took += time.Since(start) }()
	if r.served++; r.served > renewed {
		r.Close()
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
	err = r.process.Encode(request{r.Engine, text, sets})
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
	for _, list := range a.Sets {
		restore(list)
	}
	if len(a.Sets) > 0 {
		a.Results = a.Sets[0]
	}
	return a, "", nil
}

// restore replaces what gob makes of an empty array.
func restore(list []tensor.View) {
	for i := range list {
		if list[i].Data == nil {
			list[i].Data = []byte{}
		}
	}
}

// Close ends the process.
func (r *Runner) Close() {
	if r.process != nil {
		r.process.End()
		r.process = nil
	}
}
