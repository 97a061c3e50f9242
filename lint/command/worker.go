//go:build cgo

package command

import (
	"bufio"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"io"
	"os"

	"github.com/calliope-mlir/calliope/internal/host/bounded"
	"github.com/calliope-mlir/calliope/internal/host/child"
	"github.com/calliope-mlir/calliope/lint"
	"github.com/calliope-mlir/calliope/lint/finding"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/native"
	"github.com/calliope-mlir/calliope/stablehlo/jaxexport"
)

// The command and a worker exchange JSON values, each on a line, and behind an input its data, if the command has read
// them. The worker first sends whether it is ready, and then one answer to each input. Before that of a traced input it
// sends which rule it runs. It reads its standard input and
// writes to a separate pipe, because C++ code may print to standard output.

// workerEnv makes Main a worker.
const workerEnv = "CALLIOPE_MLIR_LINT_WORKER"

type answer struct {
	Problem  string            // why the worker cannot run, or cannot check any input
	Findings []finding.Finding `json:",omitempty"`
	Text     bool              // the input has lines
	Sum      [sha256.Size]byte // of the input, if that is wanted and it was checked
	Mended   *mended           `json:",omitempty"` // if the input was to be repaired and is valid
	Needs    native.Part       // if it is not "", the input needs this library, which was not fetched
	Rule     *string           `json:",omitempty"` // the rule that runs now, or "": the answer is still to come
}

// A worker checks inputs, one after another.
type worker struct {
	analyzers []*lint.Analyzer
	known     []string // the names of the rules
	checker   lint.Checker
	answers   *json.Encoder
}

// serve runs a worker and returns the exit status.
func serve(analyzers []*lint.Analyzer) int {
	collectLess()
	answers := json.NewEncoder(child.Answers())
	_, err := mlir.Open(mlir.OpenOptions{})
	if err == nil {
		err = mlir.OnLargeStack(func() error { return serveAll(answers, analyzers) })
	}
	if err != nil {
		_ = answers.Encode(answer{Problem: err.Error()}) // fails if the command has ended
		return 2
	}
	return 0
}

// serveAll answers all inputs.
func serveAll(answers *json.Encoder, analyzers []*lint.Analyzer) error {
	if err := answers.Encode(answer{}); err != nil { // the worker is ready
		return err
	}
	w := worker{analyzers: analyzers, known: namesOf(described(analyzers)), answers: answers}
	for in := range requests() {
		if err := answers.Encode(w.answer(in)); err != nil {
			return err
		}
	}
	return nil
}

// answer reads an input, unless the command did, and checks it.
func (w *worker) answer(in input) answer {
	if in.Path != nil {
		data, err := bounded.ReadFile(string(in.Path), limit(in.Max))
		if err != nil {
			return refuse(in.Name, "%s", reading(err))
		}
		in.Data = data
	}
	if in.Traced {
		defer func(all []*lint.Analyzer) { w.analyzers = all }(w.analyzers)
		w.analyzers = w.traced()
	}
	read, exported := in.Data, jaxexport.Is(in.Data)
	if exported {
		e, err := jaxexport.Read(in.Data)
		if err != nil {
			return refuse(in.Name, "%v", err)
		}
		in.Data = e.Module
	}
	library, err := in.library()
	if missing, ok := errors.AsType[*native.NotFoundError](err); ok {
		return answer{Needs: missing.Part}
	}
	if err != nil {
		return answer{Findings: []finding.Finding{unable(in.Name, "%v", err)}}
	}
	var sum [sha256.Size]byte
	if in.Sum {
		sum = sha256.Sum256(read)
	}
	if in.Fixing.on() {
		return w.mend(in, library, exported, sum)
	}
	a := w.findings(in, library)
	a.Sum = sum
	return a
}

// findings returns the answer with the findings of an input that was read.
func (w *worker) findings(in input, library *mlir.Library) answer {
	return answer{Text: !mlir.IsBytecode(in.Data), Findings: w.examine(in, library)}
}

// library opens the library that reads the input.
func (in input) library() (*mlir.Library, error) {
	if in.Engine == "" {
		return mlir.OpenFor(in.Data)
	}
	return mlir.Open(mlir.OpenOptions{Path: in.Engine})
}

// refuse returns the answer to an input that cannot be checked.
func refuse(file, format string, args ...any) answer {
	return answer{Findings: []finding.Finding{invalid(file, format, args...)}}
}

// requests reads inputs until the command closes the pipe or ends. Then it ends the worker,
// even while that checks a file, because the command no longer reads the answer.
func requests() <-chan input {
	next := make(chan input)
	go func() {
		r := bufio.NewReader(os.Stdin)
		for {
			var in input
			line, err := r.ReadBytes('\n')
			if err == nil {
				err = json.Unmarshal(line, &in)
			}
			if err == nil {
				in.Data = make([]byte, in.Size)
				_, err = io.ReadFull(r, in.Data)
			}
			if err != nil {
				os.Exit(0)
			}
			next <- in
		}
	}()
	return next
}
