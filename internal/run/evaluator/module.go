package evaluator

import (
	"context"

	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/tensor"
)

// A Module is a module for the child processes. It is safe for concurrent use.
type Module struct {
	id      int64 // in this process
	library string
	data    []byte
}

// New returns a copy of a module, which stablehlo.CheckEvaluate must have accepted.
func New(m *mlir.Module) (*Module, error) {
	data, err := m.Bytecode()
	if err != nil {
		return nil, err
	}
	return &Module{id: workers.add(), library: m.Context().Library().Path(), data: data}, nil
}

// Close lets the child processes drop the module.
func (m *Module) Close() { workers.remove(m.id) }

// Evaluate returns the elements of each result. If ctx ends, it ends the child process.
func (m *Module) Evaluate(ctx context.Context, args []tensor.View) ([][]byte, error) {
	return workers.evaluate(ctx, m, request{ID: m.id, Args: args})
}

// A State describes the child processes, for tests.
type State struct {
	Idle  []int // the process ids of those that wait for requests
	Known int   // how many modules they have
	Open  int   // how many modules there are
}

// Current returns the State of now.
func Current() (s State) {
	workers.mu.Lock()
	defer workers.mu.Unlock()
	for _, w := range workers.idle {
		s.Idle = append(s.Idle, w.Cmd.Process.Pid)
		s.Known += len(w.known)
	}
	s.Open = len(workers.open)
	return s
}
