package evaluator

import (
	"encoding/gob"
	"errors"

	"github.com/calliope-mlir/calliope/internal/host/worker"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
	"github.com/calliope-mlir/calliope/tensor"
)

// childVariable is the environment variable that makes an executable with this package a child.
const childVariable = "CALLIOPE_STAGES_CHILD"

func init() {
	modules := map[int64]*mlir.Module{}
	worker.Serve(childVariable, func(q request, responses *gob.Encoder) error {
		var r response
		results, err := answer(modules, q)
		if err != nil {
			r.Err = err.Error()
		}
		for _, v := range results {
			r.Results = append(r.Results, v.Data)
		}
		return responses.Encode(r)
	})
}

// A request asks a child to evaluate a module. Data is the module if the child does not have it.
type request struct {
	ID      int64
	Library string
	Data    []byte
	Args    []tensor.View
	Closed  []int64 // modules that are not needed any more
}

// A response has the elements of the results.
type response struct {
	Results [][]byte
	Err     string
}

func answer(modules map[int64]*mlir.Module, q request) ([]tensor.View, error) {
	for _, id := range q.Closed {
		if m := modules[id]; m != nil {
			delete(modules, id)
			c := m.Context()
			if err := errors.Join(m.Close(), c.Close()); err != nil {
				return nil, err
			}
		}
	}
	m := modules[q.ID]
	if m == nil {
		l, err := mlir.Open(mlir.OpenOptions{Path: q.Library})
		if err != nil {
			return nil, err
		}
		if m, err = l.NewContext(mlir.ContextOptions{}).Parse("stage", q.Data); err != nil {
			return nil, err
		}
		modules[q.ID] = m
	}
	for i, a := range q.Args {
		if a.Data == nil {
			q.Args[i].Data = []byte{} // gob does not tell an empty slice from none
		}
	}
	return stablehlo.Evaluate(m, q.Args...)
}
