package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// childLimit is the timeout for a child.
const childLimit = 15 * time.Minute

// child is a process that does pieces of work on request, and answers each line with a number.
type child struct {
	command *exec.Cmd
	cancel  context.CancelFunc
	ask     io.WriteCloser
	answers *bufio.Reader
	stderr  bytes.Buffer
}

// startChild starts a program, with environment variables besides those of this process.
func startChild(ctx context.Context, env []string, program string, args ...string) (*child, error) {
	ctx, cancel := context.WithTimeout(ctx, childLimit)
	c := &child{cancel: cancel}
	c.command = exec.CommandContext(ctx, program, args...)
	c.command.Env, c.command.Stderr = append(os.Environ(), env...), &c.stderr
	ask, err := c.command.StdinPipe()
	if err != nil {
		cancel()
		return nil, err
	}
	out, err := c.command.StdoutPipe()
	if err != nil {
		cancel()
		return nil, err
	}
	c.ask, c.answers = ask, bufio.NewReader(out)
	if err := c.command.Start(); err != nil {
		cancel()
		return nil, fmt.Errorf("starting %s: %w", program, err)
	}
	return c, nil
}

// measure makes the process do one piece of work and returns its time.
func (c *child) measure(work string) (float64, error) {
	_, err := fmt.Fprintln(c.ask, work)
	var line string
	if err == nil {
		line, err = c.answers.ReadString('\n')
	}
	var took float64
	if err == nil {
		took, err = strconv.ParseFloat(strings.TrimSpace(line), 64)
	}
	if err != nil {
		c.stop()
		return 0, fmt.Errorf("measuring %s in %s: %w\n%s", work, filepath.Base(c.command.Path), err, c.stderr.String())
	}
	return took, nil
}

// stop ends the process. A second call does nothing.
func (c *child) stop() {
	c.ask.Close()
	c.cancel()
	_ = c.command.Wait() // its exit was requested
}
