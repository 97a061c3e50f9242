package stages

import (
	"bufio"
	"bytes"
	"context"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"
	"time"

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
		serve(os.Stdin, os.Stdout)
		os.Exit(0)
	}
}

// A request asks a child to evaluate a module. Data is the module if the child does not have it.
type request struct {
	ID      int64
	Library string
	Data    []byte
	Args    []tensor.View
}

// A response has the elements of the results.
type response struct {
	Results [][]byte
	Err     string
}

// serve answers requests until there are no more.
func serve(in io.Reader, out io.Writer) {
	if _, err := io.WriteString(out, hello); err != nil {
		return
	}
	modules := map[int64]*mlir.Module{}
	requests, responses := gob.NewDecoder(bufio.NewReader(in)), gob.NewEncoder(out)
	for {
		var q request
		if err := requests.Decode(&q); err != nil {
			return
		}
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

func answer(modules map[int64]*mlir.Module, q request) ([]tensor.View, error) {
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

var lastModule atomic.Int64

// children are the child processes. A child evaluates one module at a time.
var children pool

type pool struct {
	once  sync.Once
	slots chan struct{} // one for each child that may run

	mu   sync.Mutex
	idle []*child
}

type child struct {
	cmd       *exec.Cmd
	in        io.WriteCloser
	requests  *gob.Encoder
	responses *gob.Decoder
	stderr    *excerpt
	known     map[int64]bool // the modules that it has
}

// startLimit is how long a child may take to start.
const startLimit = time.Minute

// evaluate evaluates a module in a child. If ctx ends, it ends the child.
func (p *pool) evaluate(ctx context.Context, module *interpreted, q request) ([][]byte, error) {
	p.once.Do(func() { p.slots = make(chan struct{}, runtime.GOMAXPROCS(0)) })
	select {
	case p.slots <- struct{}{}:
		defer func() { <-p.slots }()
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	c, err := p.take(ctx)
	if err != nil {
		return nil, err
	}
	if !c.known[module.id] {
		q.Library, q.Data = module.library, module.data
	}
	type answered struct {
		response
		err error
	}
	done := make(chan answered, 1)
	go func() {
		var a answered
		if a.err = c.requests.Encode(q); a.err == nil {
			a.err = c.responses.Decode(&a.response)
		}
		done <- a
	}()
	select {
	case a := <-done:
		if a.err != nil {
			return nil, c.ended(a.err)
		}
		c.known[module.id] = true
		p.mu.Lock()
		p.idle = append(p.idle, c)
		p.mu.Unlock()
		if a.Err != "" {
			return nil, errors.New(a.Err)
		}
		return a.Results, nil
	case <-ctx.Done():
		c.kill()
		<-done
		return nil, context.Cause(ctx)
	}
}

// take returns an idle child, or starts one.
func (p *pool) take(ctx context.Context) (*child, error) {
	p.mu.Lock()
	if n := len(p.idle); n > 0 {
		c := p.idle[n-1]
		p.idle = p.idle[:n-1]
		p.mu.Unlock()
		return c, nil
	}
	p.mu.Unlock()
	return start(ctx)
}

// start starts a child.
func start(ctx context.Context) (*child, error) {
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == "-buildmode" && s.Value != "exe" && s.Value != "pie" && s.Value != "default" {
				return nil, fmt.Errorf("the interpreter runs in a child process of the program, and this program is not one of Go, but loaded a library of build mode %s: use a device of a client", s.Value)
			}
		}
	}
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	c := &child{cmd: exec.Command(self), stderr: new(excerpt), known: map[int64]bool{}}
	c.cmd.Env = append(os.Environ(), childVariable+"=1")
	c.cmd.Stderr = c.stderr
	if c.in, err = c.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := c.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := c.cmd.Start(); err != nil {
		return nil, fmt.Errorf("starting the interpreter: %w", err)
	}
	timer := time.AfterFunc(startLimit, c.kill)
	defer timer.Stop()
	defer context.AfterFunc(ctx, c.kill)()
	read := bufio.NewReader(out)
	greeting := make([]byte, len(hello))
	if _, err := io.ReadFull(read, greeting); err != nil || string(greeting) != hello {
		c.kill()
		return nil, c.ended(fmt.Errorf("it is not a child of package stages: %w", errors.Join(err)))
	}
	c.requests, c.responses = gob.NewEncoder(c.in), gob.NewDecoder(read)
	return c, nil
}

func (c *child) kill() { _ = c.cmd.Process.Kill() }

// ended returns the error of a child that has ended, or that does not answer.
func (c *child) ended(err error) error {
	c.kill()
	state := c.cmd.Wait()
	text := strings.TrimSpace(c.stderr.String())
	if text != "" {
		return fmt.Errorf("the interpreter ended (%v): %s", errors.Join(state), text)
	}
	return fmt.Errorf("the interpreter ended (%v): %w", errors.Join(state), err)
}

// An excerpt keeps the first bytes that are written to it.
type excerpt struct {
	mu   sync.Mutex
	data bytes.Buffer
}

const excerptLimit = 4 << 10

func (t *excerpt) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.data.Write(p[:min(len(p), max(0, excerptLimit-t.data.Len()))])
	return len(p), nil
}

func (t *excerpt) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.data.String()
}
