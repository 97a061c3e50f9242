package child

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"time"
)

// Run starts this executable with further environment variables, each as NAME=VALUE, and calls a function with each
// line that the process writes to Answers. It ends the process if no line comes within a limit, if the function returns
// an error, or if ctx ends. The error says how the process ended, with the start of what it printed.
func Run(ctx context.Context, limit time.Duration, line func([]byte) error, env ...string) error {
	executable, err := os.Executable()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var printed Head
	cmd := exec.CommandContext(ctx, executable)
	cmd.Env = append(os.Environ(), env...)
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
		if err = line(lines.Bytes()); err != nil {
			break
		}
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

// Serve calls a function with the value of an environment variable, and ends the process after it. It does nothing if
// the variable is not set, which Run sets in the process that it starts. Programs and tests call it first. An
// init function cannot call it, because calls of Go from C wait for the end of these.
func Serve(variable string, serve func(text string, answers *json.Encoder) error) {
	text := os.Getenv(variable)
	if text == "" {
		return
	}
	os.Unsetenv(variable)
	if err := serve(text, json.NewEncoder(Answers())); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}
