package main

import (
	"bufio"
	"bytes"
	"context"
	_ "embed"
	"fmt"
	"io"
	"os/exec"
	"strconv"
	"strings"
	"time"
)

//go:embed ir_python.py
var irPython string

// pythonLimit is the timeout for Python.
const pythonLimit = 15 * time.Minute

// python is a Python process with JAX that does pieces of work on request.
type python struct {
	command *exec.Cmd
	cancel  context.CancelFunc
	ask     io.WriteCloser
	answers *bufio.Reader
	stderr  bytes.Buffer
}

// startPython starts a program that answers each line with a number. If the Python has no
// JAX, it prints a note and returns nil.
func startPython(ctx context.Context, s settings, program string, args ...string) (*python, error) {
	if err := exec.CommandContext(ctx, s.python, "-c", "import jax").Run(); err != nil {
		note("%s has no JAX (pip install jax): the lines that compare with it are left out", s.python)
		return nil, nil
	}
	ctx, cancel := context.WithTimeout(ctx, pythonLimit)
	p := &python{cancel: cancel}
	p.command = exec.CommandContext(ctx, s.python, append([]string{"-c", program}, args...)...)
	p.command.Stderr = &p.stderr
	ask, err := p.command.StdinPipe()
	if err != nil {
		cancel()
		return nil, err
	}
	out, err := p.command.StdoutPipe()
	if err != nil {
		cancel()
		return nil, err
	}
	p.ask, p.answers = ask, bufio.NewReader(out)
	if err := p.command.Start(); err != nil {
		cancel()
		return nil, fmt.Errorf("starting %s: %w", s.python, err)
	}
	return p, nil
}

// measure makes Python do one piece of work and returns its time.
func (p *python) measure(work string) (float64, error) {
	_, err := fmt.Fprintln(p.ask, work)
	var line string
	if err == nil {
		line, err = p.answers.ReadString('\n')
	}
	var took float64
	if err == nil {
		took, err = strconv.ParseFloat(strings.TrimSpace(line), 64)
	}
	if err != nil {
		p.stop()
		return 0, fmt.Errorf("measuring %s in Python: %w\n%s", work, err, p.stderr.String())
	}
	return took, nil
}

// stop ends the Python process. A second call does nothing.
func (p *python) stop() {
	p.ask.Close()
	p.cancel()
	_ = p.command.Wait() // its exit was requested
}
