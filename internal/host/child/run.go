package child

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"sync"
	"time"
)

// Run starts this executable with an environment variable, with further ones, each as NAME=VALUE, and with a batch for
// Serve as its input. It calls a function with each answer. It ends the process if no answer comes within a limit, or
// if ctx ends. The error says how the process ended, with what it printed.
func Run[B, A any](
	ctx context.Context, limit time.Duration, variable string, batch B, answered func(A), env ...string,
) error {
	text, err := json.Marshal(batch)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	p := New(ctx, slices.Concat(env, []string{variable + "=1", "GOTRACEBACK=" + os.Getenv("GOTRACEBACK")}))
	p.Stdin = bytes.NewReader(text)
	if err := p.Start(); err != nil {
		return err
	}
	watch := time.AfterFunc(limit, func() { cancel(fmt.Errorf("it took longer than %v", limit)) })
	lines := bufio.NewScanner(p.Answers)
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
	ended := p.Wait()
	watch.Stop()
	if ended != nil || context.Cause(ctx) != nil {
		return fmt.Errorf("the process ended: %w\n%s", errors.Join(ended, context.Cause(ctx)), &p.printed)
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

// Serve calls a function with the batch in the input of the process, and ends the process after it. It does nothing if
// the environment variable is not set, which Run sets in the process that it starts. Programs and tests call it first.
// An init function cannot call it, because calls of Go from C wait for the end of these.
func Serve[B any](variable string, serve func(batch B, answers *json.Encoder) error) {
	if os.Getenv(variable) == "" {
		return
	}
	os.Unsetenv(variable)
	var batch B
	err := json.NewDecoder(os.Stdin).Decode(&batch)
	if err == nil {
		err = serve(batch, json.NewEncoder(Answers()))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}
