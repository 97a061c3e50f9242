package interpreter

import (
	"bufio"
	"encoding/gob"
	"errors"
	"io"
	"os"

	"github.com/calliope-mlir/calliope/internal/child"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
	"github.com/calliope-mlir/calliope/tensor"
)

// childVariable is the environment variable that makes an executable with this package a child.
const childVariable = "CALLIOPE_STAGES_CHILD"

// hello is what a child writes first.
const hello = "calliope stages 1\n"

// A child is the program's own executable, so that no other file has to be found. It never gets to main.
func init() {
	if os.Getenv(childVariable) == "1" {
		serve(os.Stdin, child.Answers())
		os.Exit(0)
	}
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

// serve answers requests until there are no more. It then ends at once: the program that wants the answer has ended.
func serve(in io.Reader, out io.Writer) {
	if _, err := io.WriteString(out, hello); err != nil {
		return
	}
	modules := map[int64]*mlir.Module{}
	responses := gob.NewEncoder(out)
	for q := range received(in) {
		var r response
		results, err := answer(modules, q)
		if err != nil {
			r.Err = err.Error()
		}
		for _, v := range results {
			r.Results = append(r.Results, v.Data)
		}
		if err := responses.Encode(r); err != nil {
			return
		}
	}
}

// received returns the requests. It ends the process after the last one, also while one is being answered.
func received(in io.Reader) <-chan request {
	list := make(chan request)
	go func() {
		requests := gob.NewDecoder(bufio.NewReader(in))
		for {
			var q request
			if err := requests.Decode(&q); err != nil {
				os.Exit(0)
			}
			list <- q
		}
	}()
	return list
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
