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

// pythonLimit ends a Python that hangs.
const pythonLimit = 15 * time.Minute

// python is a Python with JAX that does pieces of work when asked.
type python struct {
	command *exec.Cmd
	cancel  context.CancelFunc
	ask     io.WriteCloser
	answers *bufio.Reader
	stderr  bytes.Buffer
}

// startPython starts a program, which answers each line with a number. It is nil, with a
// note, where the Python has no JAX.
func startPython(ctx context.Context, s settings, program string, args ...string) (*python, error) {
	if err := exec.CommandContext(ctx, s.python, "-c", "import jax").Run(); err != nil {
		note("%s has no JAX (pip install jax): the lines beside it are left out", s.python)
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

// measure has one piece of work done and returns what it took.
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

// stop ends the Python. Stopping twice does nothing.
func (p *python) stop() {
	p.ask.Close()
	p.cancel()
	_ = p.command.Wait() // it was told to end
}
