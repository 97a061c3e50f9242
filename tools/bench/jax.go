package main

import (
	"bytes"
	"context"
	_ "embed"
	"fmt"
	"os/exec"
	"strconv"
	"strings"
	"time"
)

//go:embed jax_loop.py
var jaxLoop string

// jaxLimit ends a JAX that hangs.
const jaxLimit = 5 * time.Minute

// besideJAX measures the same device loop with JAX's io_callback in it.
func besideJAX(ctx context.Context, s settings, r *report, goLoop float64) error {
	if err := exec.CommandContext(ctx, s.python, "-c", "import jax").Run(); err != nil {
		note("%s has no JAX (pip install jax): the lines beside it are left out", s.python)
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, jaxLimit)
	defer cancel()
	command := exec.CommandContext(ctx, s.python, "-c", jaxLoop, strconv.Itoa(s.repeat))
	var stderr bytes.Buffer
	command.Stderr = &stderr
	out, err := command.Output()
	if err != nil {
		return fmt.Errorf("measuring JAX: %w\n%s", err, stderr.String())
	}
	us, err := strconv.ParseFloat(strings.TrimSpace(string(out)), 64)
	if err != nil {
		return fmt.Errorf("measuring JAX: %w", err)
	}
	r.figure("callbacks/loop16B/jax-io_callback", us, "us/iteration", nil)
	r.figure("callbacks/loop16B/jax-over-go", us/goLoop, "x", atLeast(200))
	return nil
}
