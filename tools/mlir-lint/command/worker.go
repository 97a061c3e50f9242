package command

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/calliope-mlir/calliope/internal/bounded"
	"github.com/calliope-mlir/calliope/internal/child"
	"github.com/calliope-mlir/calliope/lint"
	"github.com/calliope-mlir/calliope/mlir"
)

// The command and a worker exchange JSON values. The worker first sends whether it is ready,
// and then one answer to each input. It reads its standard input and writes to a separate
// pipe, because C++ code may print to standard output.

// workerEnv makes Main a worker. Its value is the list of rules.
const workerEnv = "CALLIOPE_MLIR_LINT_WORKER"

type answer struct {
	Problem     string // in the first answer: why the worker cannot run
	Diagnostics []lint.Diagnostic
}

// serve runs a worker and returns the exit status.
func serve(names string, analyzers []*lint.Analyzer) int {
	answers := json.NewEncoder(child.Answers())
	var ready answer
	chosen, err := choose(names, analyzers)
	if err != nil {
		ready.Problem = err.Error()
	}
	library, err := mlir.Open(mlir.OpenOptions{})
	if err != nil {
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
		var a answer
		if in.problem != "" {
			a.Diagnostics = []lint.Diagnostic{invalid(in.Name, "%s", in.problem)}
		} else {
			a.Diagnostics = lint.Check(library, in.Name, in.Data, chosen)
		}
		if answers.Encode(a) != nil {
			return 2
		}
	}
	return 0
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
