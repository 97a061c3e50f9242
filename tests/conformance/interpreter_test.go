package conformance

import (
	"bytes"
	"context"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"time"

	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
	"github.com/calliope-mlir/calliope/tensor"
)

// The interpreter ends the process over what it does not take, so it runs in a child:
// this test binary with interpreterVariable set, which reads programs from its input and
// writes an answer for each.
const interpreterVariable = "CALLIOPE_TEST_INTERPRETER"

type answer struct {
	Results []tensor.View
	Error   string
}

// beInterpreter is the child.
func beInterpreter(library *mlir.Library) error {
	from, to := gob.NewDecoder(os.Stdin), gob.NewEncoder(os.Stdout)
	for {
		var p program
		if err := from.Decode(&p); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		var a answer
		if results, err := evaluate(library, &p); err != nil {
			a.Error = err.Error()
		} else {
			a.Results = results
		}
		if err := to.Encode(a); err != nil {
			return err
		}
	}
}

func evaluate(library *mlir.Library, p *program) ([]tensor.View, error) {
	c := library.NewContext(mlir.ContextOptions{})
	defer c.Close()
	m, err := c.Parse("conformance", p.Module)
	if err != nil {
		return nil, err
	}
	return stablehlo.Evaluate(m, p.Arguments...)
}

// interpret runs programs in one child, or in a further one after each that ends it.
func interpret(ctx context.Context, programs []*program) ([]answer, error) {
	var answers []answer
	for len(answers) < len(programs) {
		got, err := child(ctx, programs[len(answers):])
		answers = append(answers, got...)
		if len(answers) == len(programs) {
			return answers, nil
		}
		if err == nil {
			err = errors.New("it ended early")
		}
		answers = append(answers, answer{Error: fmt.Sprintf("the interpreter's process: %v", err)})
	}
	return answers, nil
}

func child(ctx context.Context, programs []*program) (answers []answer, err error) {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	var input, output, complaints bytes.Buffer
	to := gob.NewEncoder(&input)
	for _, p := range programs {
		if err := to.Encode(p); err != nil {
			return nil, err
		}
	}
	command := exec.CommandContext(ctx, os.Args[0])
	command.Env = append(os.Environ(), interpreterVariable+"=1")
	command.Stdin, command.Stdout, command.Stderr = &input, &output, &complaints
	err = command.Run()
	from := gob.NewDecoder(&output)
	for {
		var a answer
		if from.Decode(&a) != nil {
			break
		}
		answers = append(answers, a)
	}
	if err != nil {
		err = fmt.Errorf("%w: %s", err, firstLine(complaints.Bytes()))
	}
	return answers, err
}

func firstLine(text []byte) []byte {
	line, _, _ := bytes.Cut(text, []byte("\n"))
	return line
}
