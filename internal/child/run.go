package child

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"runtime"
	"sync"
	"time"

	"github.com/calliope-mlir/calliope/internal/program"
)

// Run starts this executable with a batch for Serve in an environment variable, and with further variables, each as
// NAME=VALUE. It calls a function with each answer. It ends the process if no answer comes within a limit, or if ctx
// ends. The error says how the process ended, with the start of what it printed.
func Run[B, A any](
	ctx context.Context, limit time.Duration, variable string, batch B, answered func(A), env ...string,
) error {
	text, err := json.Marshal(batch)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var printed Head
	cmd := program.Self(ctx)
	cmd.Env = append(append(cmd.Env, env...), variable+"="+string(text))
	cmd.Stdout, cmd.Stderr = &printed, &printed
	read, write, err := os.Pipe()
	if err != nil {
		return err
	}
	defer read.Close()
	if err := Inherit(cmd, write); err != nil {
		return err
	}
	err = cmd.Start()
	write.Close()
	if err != nil {
		return err
	}
	watch := time.AfterFunc(limit, func() { cancel(fmt.Errorf("it took longer than %v", limit)) })
	lines := bufio.NewScanner(read)
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		watch.Reset(limit)
		var a A
		if err = json.Unmarshal(lines.Bytes(), &a); err != nil {
			break
		}
		answered(a)
	}
	if broken := errors.Join(err, lines.Err()); broken != nil {
		cancel(broken)
	}
	ended := cmd.Wait()
	watch.Stop()
	if ended != nil || context.Cause(ctx) != nil {
		return fmt.Errorf("the process ended: %w\n%s", errors.Join(ended, context.Cause(ctx)), &printed)
	}
	return nil
}

// All calls a function with each batch, on all processors. It returns the errors, each of which ends the work of one.
func All[B any](batches []B, run func(B) error) error {
	next := make(chan B, len(batches))
	for _, b := range batches {
		next <- b
	}
	close(next)
	var wait sync.WaitGroup
	errs := make([]error, runtime.GOMAXPROCS(0))
	for i := range errs {
		wait.Go(func() {
			for b := range next {
				if errs[i] = run(b); errs[i] != nil {
					return
				}
			}
		})
	}
	wait.Wait()
	return errors.Join(errs...)
}

// Serve calls a function with the batch in an environment variable, and ends the process after it. It does nothing if
// the variable is not set, which Run sets in the process that it starts. Programs and tests call it first. An
// init function cannot call it, because calls of Go from C wait for the end of these.
func Serve[B any](variable string, serve func(batch B, answers *json.Encoder) error) {
	text := os.Getenv(variable)
	if text == "" {
		return
	}
	os.Unsetenv(variable)
	var batch B
	err := json.Unmarshal([]byte(text), &batch)
	if err == nil {
		err = serve(batch, json.NewEncoder(Answers()))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}
