package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/calliope-mlir/calliope/internal/host/child"
)

// workerEnv is the environment variable that makes this program the worker process.
const workerEnv = "CALLIOPE_OPT_WORKER"

// The exit status of a worker. C++ code, which may end the process in any way, and Go's runtime after a crash use
// other values.
const (
	workerDone   = 90 + iota
	workerFailed // and has reported why
)

// supervise runs a worker with the same arguments and returns the exit status. The error is one that the worker could
// not report itself.
func supervise(ctx context.Context, args []string, o options) (int, error) {
	reproducer, err := os.CreateTemp("", "calliope-opt-*.mlir")
	if err != nil {
		return exitCommand, fmt.Errorf("making a file for a reproducer: %w", err)
	}
	reproducer.Close()
	keep := false
	defer func() {
		if !keep {
			os.Remove(reproducer.Name())
		}
	}()
	if o.timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, o.timeout)
		defer cancel()
	}
	worker := child.New(ctx, []string{workerEnv + "=" + reproducer.Name()}, args...)
	worker.Stdin, worker.Stdout = os.Stdin, os.Stdout
	worker.Stderr = io.MultiWriter(worker.Stderr, &child.UntilCrash{To: os.Stderr})
	if err := worker.Start(); err != nil {
		return exitCommand, fmt.Errorf("starting the process that does the work: %w", err)
	}
	answers, readErr := io.ReadAll(io.LimitReader(worker.Answers, 1<<20))
	err = worker.Wait()
	step := "reading the module"
	if said := bytes.TrimSpace(answers); len(said) > 0 {
		step = string(said[bytes.LastIndexByte(said, '\n')+1:])
	}
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return exitFailed,
			fmt.Errorf("%s: %s is not done after %v: raise --timeout, or leave it out", o.name(), step, o.timeout)
	case ctx.Err() != nil:
		return exitFailed, errors.New("interrupted")
	case readErr != nil:
		return exitCommand, fmt.Errorf("reading what the process that does the work says: %w", readErr)
	case worker.ProcessState == nil:
		return exitCommand, fmt.Errorf("waiting for the process that does the work: %w", err)
	}
	switch worker.ProcessState.ExitCode() {
	case workerDone:
		return exitDone, nil
	case workerFailed:
		return exitFailed, nil
	}
	hint := ""
	if info, err := os.Stat(reproducer.Name()); err == nil && info.Size() > 0 {
		keep = true
		hint = fmt.Sprintf("\n%s has the module and the passes: calliope-opt --run-reproducer runs them again",
			reproducer.Name())
	}
	return exitFailed,
		fmt.Errorf("%s: %s crashed (%s)%s", o.name(), step, worker.Cause(), hint)
}
