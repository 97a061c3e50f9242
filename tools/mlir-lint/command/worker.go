//go:build cgo

package command

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/calliope-mlir/calliope/internal/bounded"
	"github.com/calliope-mlir/calliope/internal/child"
	"github.com/calliope-mlir/calliope/lint"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/native"
	"github.com/calliope-mlir/calliope/stablehlo/jaxexport"
)

// The command and a worker exchange JSON values. The worker first sends whether it is ready,
// and then one answer to each input. It reads its standard input and writes to a separate
// pipe, because C++ code may print to standard output.

// workerEnv makes Main a worker. Its value is the list of rules.
const workerEnv = "CALLIOPE_MLIR_LINT_WORKER"

type answer struct {
	Problem     string // in the first answer: why the worker cannot run
	Diagnostics []lint.Diagnostic
	Needs       native.Part // if it is not "", the input needs this library, which was not fetched
}

// serve runs a worker and returns the exit status.
func serve(names string, analyzers []*lint.Analyzer) int {
	answers := json.NewEncoder(child.Answers())
	var ready answer
	chosen, err := choose(names, analyzers)
	if err != nil {
		ready.Problem = err.Error()
	}
	if _, err := mlir.Open(mlir.OpenOptions{}); err != nil {
		ready.Problem = err.Error()
	}
	if answers.Encode(ready) != nil || ready.Problem != "" {
		return 2
	}
	for in := range requests() {
		if in.Path != nil {
			if in.Data, err = bounded.ReadFile(string(in.Path), limit(in.Max)); err != nil {
				in.problem = reading(err)
			}
		}
		if in.problem == "" && jaxexport.Is(in.Data) {
			if in.Data, err = moduleOf(in.Data); err != nil {
				in.problem = err.Error()
			}
		}
		if answers.Encode(in.check(chosen)) != nil {
			return 2
		}
	}
	return 0
}

// check checks an input that was read.
func (in input) check(chosen []*lint.Analyzer) answer {
	if in.problem != "" {
		return answer{Diagnostics: []lint.Diagnostic{invalid(in.Name, "%s", in.problem)}}
	}
	library, err := mlir.OpenFor(in.Data)
	if missing, ok := errors.AsType[*native.NotFoundError](err); ok {
		return answer{Needs: missing.Part}
	}
	if err != nil {
		return answer{Diagnostics: []lint.Diagnostic{invalid(in.Name, "%v", err)}}
	}
	return answer{Diagnostics: lint.Check(library, in.Name, in.Data, chosen)}
}

// moduleOf returns the module in a file of jax.export.
func moduleOf(data []byte) ([]byte, error) {
	e, err := jaxexport.Read(data)
	if err != nil {
		return nil, err
	}
	return e.Module, nil
}

// requests reads inputs until the command closes the pipe or ends. Then it ends the worker,
// even while that checks a file, because the command no longer reads the answer.
func requests() <-chan input {
	next := make(chan input)
	go func() {
		decoder := json.NewDecoder(os.Stdin)
		for {
			var in input
			if decoder.Decode(&in) != nil {
				os.Exit(0)
			}
			next <- in
		}
	}()
	return next
}

// choose returns the rules in a list of names, or all if the list is empty.
func choose(names string, analyzers []*lint.Analyzer) ([]*lint.Analyzer, error) {
	if names == "" {
		return analyzers, nil
	}
	var chosen []*lint.Analyzer
	for name := range strings.SplitSeq(names, ",") {
		a := find(strings.TrimSpace(name), analyzers)
		if a == nil {
			return nil, fmt.Errorf("there is no rule %q: choose from %s", name, nameList(analyzers))
		}
		if !slices.Contains(chosen, a) {
			chosen = append(chosen, a)
		}
	}
	return chosen, nil
}

func find(name string, analyzers []*lint.Analyzer) *lint.Analyzer {
	for _, a := range analyzers {
		if a.Name == name {
			return a
		}
	}
	return nil
}

func nameList(analyzers []*lint.Analyzer) string {
	var names []string
	for _, a := range analyzers {
		names = append(names, a.Name)
	}
	return strings.Join(names, ", ")
}
