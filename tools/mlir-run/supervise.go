package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"

	"github.com/calliope-mlir/calliope/internal/host/child"
)

// workerEnv is the environment variable that makes this program the worker process.
const workerEnv = "CALLIOPE_MLIR_RUN_WORKER"

// The worker has the command's standard output and error as these descriptors. Its own two
// lead to the command, because the output of C++ code there matters only after a crash.
const (
	outputFile = 4
	errorFile  = 5
)

// The exit status of a worker. C++ code, which may end the process in any way, and Go's
// runtime after a crash use other values.
const (
	workerDone = 90 + iota
	workerDiffers
	workerFailed // and has reported why
)

// supervise runs a worker with the given arguments and returns the exit status. The error
// is one that the worker could not report itself.
func supervise(ctx context.Context, args []string, o options) (int, error) {
	if o.timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, o.timeout)
		defer cancel()
	}
	worker := child.New(ctx, []string{workerEnv + "=1"}, args...)
	worker.Stdin = os.Stdin
	if os.Getenv("TF_CPP_MIN_LOG_LEVEL") != "" {
		worker.Stdout = io.MultiWriter(worker.Stdout, os.Stderr) // the user asked for XLA's log
		worker.Stderr = worker.Stdout
	}
	worker.ExtraFiles = []*os.File{os.Stdout, os.Stderr}                           // outputFile, errorFile
	worker.Cancel = func() error { return worker.Process.Signal(syscall.SIGTERM) } // it names what has not returned
	err := worker.Start()
	if err == nil {
		err = worker.Wait()
	}
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return exitFailed, fmt.Errorf("not done after %v: raise --timeout, or find the operation that never ends (mlir-lint reports the usual causes)", o.timeout)
	case ctx.Err() != nil:
		return exitFailed, errors.New("interrupted")
	case worker.ProcessState == nil:
		return exitFailed, fmt.Errorf("starting the process that runs it: %w", err)
	}
	switch worker.ProcessState.ExitCode() {
	case workerDone:
		return exitDone, nil
	case workerDiffers:
		return exitDiffers, nil
	case workerFailed:
		return exitFailed, nil
	}
	return exitFailed, fmt.Errorf("the process that compiled and ran it crashed (%s)%s",
		worker.Cause(), worker.Quote())
}
