package main

import (
	"context"
	_ "embed"
	"os/exec"
	"slices"
	"strconv"
)

//go:embed ir_python.py
var irPython string

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
func startPython(ctx context.Context, s settings, program string, args ...string) (*child, error) {
	if !hasPackage(ctx, s, "jax", "jax") {
		return nil, nil
	}
	return runPython(ctx, s, program, args...)
}

func runPython(ctx context.Context, s settings, program string, args ...string) (*child, error) {
	return startChild(ctx, nil, s.python, append([]string{"-c", program}, args...)...)
}

// irBindings are Python bindings of MLIR that do the works of the suite ir.
type irBindings struct {
	name   string // in figures
	path   string // of the package
	works  []string
	python *child
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
