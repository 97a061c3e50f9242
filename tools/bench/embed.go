package main

import (
	"context"
	_ "embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

//go:embed embed_loop.py
var embedLoop string

// embedSuite measures callbacks in a device loop of JAX, through libcalliope, beside JAX's own.
func embedSuite(ctx context.Context, s settings, r *report) error {
	ctx, cancel := context.WithTimeout(ctx, jaxLimit)
	defer cancel()
	if err := exec.CommandContext(ctx, s.python, "-c", "import jax.ffi").Run(); err != nil {
		return fmt.Errorf("%s has no JAX: name a Python that has it by -python, for example that of go run ./examples/embed jax", s.python)
	}
	root, err := moduleRoot(ctx)
	if err != nil {
		return err
	}
	folder, err := os.MkdirTemp("", "calliope-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	library := filepath.Join(folder, "libfunctions.so")
	build := exec.CommandContext(ctx, "go", "build", "-buildmode=c-shared", "-trimpath", "-o", library,
		"github.com/calliope-mlir/calliope/examples/embed/functions")
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("building the Go functions: %w\n%s", err, out)
	}
	out, err := runJAX(ctx, s.python, embedLoop, strconv.Itoa(s.repeat),
		filepath.Join(root, "c", "python"), library)
	if err != nil {
		return err
	}
	us := map[string]float64{}
	for line := range strings.Lines(out) {
		var name string
		var value float64
		if _, err := fmt.Sscan(line, &name, &value); err != nil {
			return fmt.Errorf("the line %q: %w", line, err)
		}
		us[name] = value
		var budget *limit
		if name == "go" {
			budget = atMost(0.3)
		}
		r.figure("embed/jax/loop16B/"+name, value, "us/iteration", budget)
	}
	r.figure("embed/jax/loop16B/jax-over-go", us["jax-io_callback"]/us["go"], "x", atLeast(50))
	return nil
}

// moduleRoot returns the folder of this module.
func moduleRoot(ctx context.Context) (string, error) {
	out, err := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}", "github.com/calliope-mlir/calliope").Output()
	return strings.TrimSpace(string(out)), err
}
