package worker

import (
	"bufio"
	"context"
	"encoding/gob"
	"fmt"
	"io"
	"runtime/debug"
	"time"

	"github.com/calliope-mlir/calliope/internal/host/child"
)

// A Process is a child process. One goroutine uses it.
type Process struct {
	*child.Process
	*gob.Encoder // sends requests
	*gob.Decoder // receives answers
}

// startLimit is how long a process may take to start.
const startLimit = time.Minute

// hello is what a process writes first.
const hello = "calliope worker 1\n"

// Start starts this executable, which serves requests because one of its packages calls Serve with the same variable.
func Start(ctx context.Context, variable string) (*Process, error) {
	if err := checkExecutable(); err != nil {
		return nil, err
	}
	p := &Process{Process: child.New(context.WithoutCancel(ctx), []string{variable + "=1"})}
	in, err := p.StdinPipe()
	if err != nil {
		return nil, err
	}
	if err := p.Start(); err != nil {
		return nil, fmt.Errorf("starting a child process: %w", err)
	}
	read := bufio.NewReader(p.Answers)
	p.Encoder, p.Decoder = gob.NewEncoder(in), gob.NewDecoder(read)
	return p, p.greeted(ctx, read)
}

// checkExecutable returns an error if this executable has no main of Go.
func checkExecutable() error {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return nil
	}
	for _, s := range info.Settings {
		if s.Key == "-buildmode" && s.Value != "exe" && s.Value != "pie" && s.Value != "default" {
			return fmt.Errorf("a child process runs the program itself, "+
				"and this program is not one of Go, but loaded a library of build mode %s: "+
				"use what needs no child process", s.Value)
		}
	}
	return nil
}

// greeted waits until the process is ready. If it does not become so, greeted ends it.
func (p *Process) greeted(ctx context.Context, read io.Reader) error {
	timer := time.AfterFunc(startLimit, p.Kill)
	defer timer.Stop()
	stop := context.AfterFunc(ctx, p.Kill)
	greeting := make([]byte, len(hello))
	_, err := io.ReadFull(read, greeting)
	if !stop() {
		p.End()
		return context.Cause(ctx)
	}
	if err != nil || string(greeting) != hello {
		return fmt.Errorf("the child process is not one that answers requests: it ended: %s", p.End())
	}
	return nil
}
