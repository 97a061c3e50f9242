package jit

import (
	"context"
	"encoding/gob"
	"errors"
	"fmt"
	"time"

	"github.com/calliope-mlir/calliope/internal/host/worker"
	"github.com/calliope-mlir/calliope/jit/internal/callback"
	"github.com/calliope-mlir/calliope/mlir"
)

// childVariable is the environment variable that makes an executable with this package a child.
const childVariable = "CALLIOPE_JIT_CHILD"

func init() { worker.Serve(childVariable, serve) }

// A request asks a child to rewrite a module.
type request struct {
	Library string
	Module  []byte
	Phase   phase
	Donors  map[int]int
	Find    int // the number of the pass that crashes, or all, to find on which operation; 0 rewrites the module
}

// An answer is what a child says: what it begins with, and how it ended.
type answer struct {
	Number int       // of the pass, from 1 on
	Pass   string    // that begins; "" stands for other steps
	On     Operation // on which it begins, if that was asked for

	Done        bool
	Module      []byte
	Arena       int
	Level       int
	Loops       bool
	Unsupported []Operation // see UnsupportedError
	Err         string
}

// spare has a child that waits for requests.
var spare = make(chan *worker.Process, 1)

// take returns the spare child, or a new one.
func take(ctx context.Context) (*worker.Process, error) {
	select {
	case p := <-spare:
		if !p.Ended() {
			return p, nil
		}
		p.End()
	default:
	}
	return worker.Start(ctx, childVariable)
}

// put makes a child the spare one, or ends it.
func put(p *worker.Process) {
	select {
	case spare <- p:
	default:
		p.End()
	}
}

// ask returns the last answer of a child. If it is not Done, the child has crashed, and cause says how.
func ask(ctx context.Context, q request) (last answer, cause string, err error) {
	p, err := take(ctx)
	if err != nil {
		return last, "", err
	}
	stop := context.AfterFunc(ctx, p.Kill)
	for err = p.Encode(q); err == nil && !last.Done; {
		var a answer
		if err = p.Decode(&a); err == nil {
			last = a
		}
	}
	if !stop() {
		p.End()
		return last, "", context.Cause(ctx)
	}
	if err != nil {
		return last, p.End(), nil
	}
	put(p)
	return last, "", nil
}

// rewriteInChild is a rewriter. It returns the module as it is after the steps of a phase, which run in a child.
func rewriteInChild(ctx context.Context, m *mlir.Module, e *Executable, p phase) (*mlir.Module, error) {
	data, err := m.Bytecode()
	if err != nil {
		return m, err
	}
	q := request{Library: m.Context().Library().Path(), Module: data, Phase: p, Donors: e.donors}
	a, cause, err := ask(ctx, q)
	switch {
	case err != nil:
		return m, fmt.Errorf("jit: %w", err)
	case cause != "":
		return m, crashed(ctx, q, a, cause)
	case a.Err != "":
		return m, &UnsupportedError{Operations: a.Unsupported, Err: errors.New(a.Err)}
	case len(a.Unsupported) > 0:
		return m, &UnsupportedError{Operations: a.Unsupported}
	}
	if p == lowering {
		e.arena, e.level, e.calls.Loops = a.Arena, a.Level, a.Loops
	}
	e.compiler.read += len(a.Module)
	made, err := m.Context().Parse("module", a.Module)
	if err != nil {
		return m, err
	}
	return made, m.Close()
}

// all stands for the passes of a phase and what LLVM does after them.
const all = -1

// findLimit is how long the search for an operation may take.
const findLimit = time.Minute

// generation stands for what LLVM does after the last pass.
const generation = "code generation"

// crashed returns the error of a module that crashed a child, which began last with something. Another child finds on
// which operation.
func crashed(ctx context.Context, q request, last answer, cause string) error {
	e := &UnsupportedError{}
	pass, on := "the pass "+last.Pass, ""
	q.Find = last.Number
	switch last.Pass {
	case "":
		pass, q.Find = "a step of package jit", all
	case generation:
		pass, q.Find = generation, all
	}
	limited, cancel := context.WithTimeout(ctx, findLimit)
	defer cancel()
	if found, again, err := ask(limited, q); err == nil && again != "" && found.On.Name != "" {
		e.Operations = []Operation{found.On}
		on = " on " + found.On.String()
	}
	e.Err = fmt.Errorf("%s crashes%s: %s", pass, on, cause)
	return e
}

// serve is what a child does with a request.
func serve(q request, answers *gob.Encoder) error {
	a := answer{Done: true}
	if err := a.rewrite(q, answers); err != nil {
		a.Err = err.Error()
		if u, ok := errors.AsType[*UnsupportedError](err); ok {
			a.Unsupported, a.Err = u.Operations, ""
			if u.Err != nil {
				a.Err = u.Err.Error()
			}
		}
	}
	return answers.Encode(a)
}

// rewrite rewrites the module of a request, and says what it begins with.
func (a *answer) rewrite(q request, answers *gob.Encoder) error {
	l, err := mlir.Open(mlir.OpenOptions{Path: q.Library})
	if err != nil {
		return err
	}
	c := l.NewContext(mlir.ContextOptions{})
	defer c.Close()
	m, err := c.Parse("module", q.Module)
	if err != nil {
		return err
	}
	made := &compiler{context: c, passes: map[string]*mlir.PassManager{}}
	if q.Find == all {
		return find(m, answers, func(part *mlir.Module) error {
			if _, err := signature(part); err != nil {
				return err
			}
			if err := part.Verify(); err != nil {
				return err
			}
			return new(answer).compile(part, made, q.Phase, nil)
		})
	}
	n := 0
	made.watch = func(m *mlir.Module, pass string) error {
		if n++; n == q.Find {
			return find(m, answers, func(part *mlir.Module) error { return runPass(part, pass) })
		}
		return answers.Encode(answer{Number: n, Pass: pass})
	}
	return a.compile(m, made, q.Phase, q.Donors)
}

// compile makes the steps of a phase on a module, and generates the code after the last one.
func (a *answer) compile(m *mlir.Module, made *compiler, p phase, donors map[int]int) error {
	e := &Executable{calls: &callback.Calls{}, compiler: made, donors: donors}
	m, err := rewrite(context.Background(), m, e, p)
	if err != nil {
		return err
	}
	if a.Module, err = m.Bytecode(); err != nil || p != lowering {
		return err
	}
	a.Arena, a.Level, a.Loops = e.arena, e.level, e.calls.Loops
	if err := made.begin(m, generation); err != nil {
		return err
	}
	if err := e.generate(m); err != nil {
		return err
	}
	return e.engine.Close()
}
