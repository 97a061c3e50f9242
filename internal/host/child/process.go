package child

import (
	"context"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/calliope-mlir/calliope/internal/host/program"
)

// A Process is a child process of this executable. Between New and Start its fields can be set, as those of an
// exec.Cmd. Kill may be called by any goroutine, the other methods by one.
type Process struct {
	*exec.Cmd
	Answers *os.File // reads what the child writes to Answers

	printed Output
	err     error         // of Wait
	gone    chan struct{} // closed when it has ended
}

// New returns a process that does not run yet, with further variables, each as NAME=VALUE. One of them tells main that
// it is a child. The process ends if ctx ends: see exec.CommandContext. What it prints is kept, as far as it goes to
// the Stdout and Stderr that New sets.
func New(ctx context.Context, env []string, args ...string) *Process {
	p := &Process{Cmd: program.Self(ctx, args...), gone: make(chan struct{})}
	p.Env = append(append(p.Env, "GOTRACEBACK=none"), env...) // print the cause of a crash, not the goroutines
	p.Stdout, p.Stderr = &p.printed, &p.printed
	p.WaitDelay = time.Second
	return p
}

// Start starts the process.
func (p *Process) Start() error {
	answers, writing, err := os.Pipe()
	if err != nil {
		return err
	}
	if err = inherit(p.Cmd, writing); err == nil {
		err = p.Cmd.Start()
	}
	writing.Close() // only the child writes
	if err != nil {
		answers.Close()
		return err
	}
	p.Answers = answers
	go func() { // so that a process that ends does not stay as a zombie
		p.err = p.Cmd.Wait()
		close(p.gone)
	}()
	return nil
}

// Kill ends the process, also while another goroutine waits for an answer.
func (p *Process) Kill() { _ = p.Process.Kill() } // fails if it has ended

// Ended reports whether the process has ended by itself.
func (p *Process) Ended() bool {
	select {
	case <-p.gone:
		return true
	default:
		return false
	}
}

// Wait waits until the process has ended, and closes Answers. The error is that of exec.Cmd.
func (p *Process) Wait() error {
	<-p.gone
	_ = p.Answers.Close()
	return p.err
}

// End ends the process, unless it has ended, and returns how it ended.
func (p *Process) End() string {
	p.Kill()
	_ = p.Wait() // the state has more than the error
	return p.Cause()
}

// Cause returns how the process ended: the signal, the line in which Go's runtime or the C++ library names the reason,
// or the exit status.
func (p *Process) Cause() string { return cause(p.ProcessState, p.printed.String()) }

// Printed returns what the process printed, when it has ended.
func (p *Process) Printed() string { return strings.TrimSpace(p.printed.String()) }
