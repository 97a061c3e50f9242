package main

import (
	"bufio"
	"bytes"
	"context"
	_ "embed"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"time"
)

//go:embed ir_python.py
var irPython string

// pythonLimit is the timeout for Python.
const pythonLimit = 15 * time.Minute

// python is a Python process that does pieces of work on request.
type python struct {
	command *exec.Cmd
	cancel  context.CancelFunc
	ask     io.WriteCloser
	answers *bufio.Reader
	stderr  bytes.Buffer
}

// hasPackage reports whether the Python has a package, and prints a note if not.
func hasPackage(ctx context.Context, s settings, name, install string) bool {
	if err := exec.CommandContext(ctx, s.python, "-c", "import "+name).Run(); err != nil {
		note("%s has no %s (pip install %s): the lines that compare with it are left out", s.python, name, install)
		return false
	}
	return true
}

// startPython starts a program that uses JAX and answers each line with a number. If the
// Python has no JAX, it returns nil.
func startPython(ctx context.Context, s settings, program string, args ...string) (*python, error) {
	if !hasPackage(ctx, s, "jax", "jax") {
		return nil, nil
	}
	return runPython(ctx, s, program, args...)
}

func runPython(ctx context.Context, s settings, program string, args ...string) (*python, error) {
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

// irBindings are Python bindings of MLIR that do the works of the suite ir.
type irBindings struct {
	name   string // in figures
	path   string // of the package
	works  []string
	python *python
}

func (b irBindings) does(work string) bool { return slices.Contains(b.works, work) }

// startBindings starts a process for each of the bindings that the Python has.
func startBindings(ctx context.Context, s settings) (list []irBindings, err error) {
	for _, b := range []irBindings{
		{name: "python", path: "jaxlib.mlir", works: []string{"build", "typed", "walk", "print", "parse", "verify"}},
		{name: "python-torch", path: "torch_mlir", works: []string{"typed"}},
	} {
		if b.path == "jaxlib.mlir" && !hasPackage(ctx, s, "jax", "jax") || b.path == "torch_mlir" &&
			!hasPackage(ctx, s, "torch_mlir", "torch-mlir") {
			continue
		}
		if b.python,
			err = runPython(ctx, s, irPython, strconv.Itoa(irOperations), strconv.Itoa(irLines), b.path); err != nil {
			for _, started := range list {
				started.python.stop()
			}
			return nil, err
		}
		list = append(list, b)
	}
	return list, nil
}
