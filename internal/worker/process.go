package worker

import (
	"bufio"
	"context"
	"encoding/gob"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime/debug"
	"strings"
	"time"

	"github.com/calliope-mlir/calliope/internal/child"
	"github.com/calliope-mlir/calliope/internal/program"
)

// A Process is a child process. One goroutine uses it.
type Process struct {
	*gob.Encoder // sends requests
	*gob.Decoder // receives answers

	cmd     *exec.Cmd
	out     *os.File
	printed child.Head
	gone    chan struct{} // closed when it has ended
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
	p := &Process{cmd: program.Self(context.WithoutCancel(ctx)), gone: make(chan struct{})}
	p.cmd.Env = append(p.cmd.Env, variable+"=1",
		"GOTRACEBACK=none") // print the cause of a crash, not the goroutines
	p.cmd.Stdout, p.cmd.Stderr = &p.printed, &p.printed
	in, err := p.cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, writing, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	if err = child.Inherit(p.cmd, writing); err == nil {
		err = p.cmd.Start()
	}
	_ = writing.Close() // only the child writes
	if err != nil {
		_ = out.Close()
		return nil, fmt.Errorf("starting a child process: %w", err)
	}
	p.out = out
	go func() { // so that a process that ends does not stay as a zombie
		_ = p.cmd.Wait() // the state has more than the error
		close(p.gone)
	}()
	read := bufio.NewReader(out)
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

// Kill ends the process, also while another goroutine waits for an answer.
func (p *Process) Kill() { _ = p.cmd.Process.Kill() } // fails if it has ended

// Ended reports whether the process has ended by itself.
func (p *Process) Ended() bool {
	select {
	case <-p.gone:
		return true
	default:
		return false
	}
}

// End ends the process, unless it has ended, and returns how it ended.
func (p *Process) End() string {
	p.Kill()
	<-p.gone
	_ = p.out.Close()
	return child.Cause(p.cmd.ProcessState, p.printed.String())
}

// Printed returns what the process printed, when it has ended.
func (p *Process) Printed() string { return strings.TrimSpace(p.printed.String()) }

// PID returns the number of the process.
func (p *Process) PID() int { return p.cmd.Process.Pid }
