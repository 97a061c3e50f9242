package main

import (
	"bytes"
	"context"
	_ "embed"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"
)

//go:embed jax_loop.py
var jaxLoop string

// jaxLimit is the timeout for JAX.
const jaxLimit = 5 * time.Minute

// besideJAX measures the same device loops with JAX's callbacks. goLoop is the time in
// microseconds of an iteration with Go and 16 bytes. It returns the latencies.
func besideJAX(ctx context.Context, s settings, r *report, goLoop float64) ([]series, error) {
	if err := exec.CommandContext(ctx, s.python, "-c", "import jax").Run(); err != nil {
		note("%s has no JAX (pip install jax): the lines that compare with it are left out", s.python)
		return nil, nil
	}
	ctx, cancel := context.WithTimeout(ctx, jaxLimit)
	defer cancel()
	args := []string{strconv.Itoa(s.repeat)}
	for _, bytes := range s.payloads() {
		args = append(args, strconv.Itoa(bytes))
	}
	out, err := runJAX(ctx, s.python, jaxLoop, args...)
	if err != nil {
		return nil, err
	}
	list, err := readJAX(out)
	if err != nil {
		return nil, fmt.Errorf("measuring JAX: %w", err)
	}
	for _, one := range list {
		for _, p := range one.points {
			r.figure(fmt.Sprintf("callbacks/%s/%s", strings.ReplaceAll(one.name, " ", "-"), sized(int(p.x))), p.y,
				"us/call", nil)
		}
	}
	us := list[0].points[0].y
	r.figure("callbacks/loop16B/jax-io_callback", us, "us/iteration", nil)
	r.figure("callbacks/loop16B/jax-over-go", us/goLoop, "x", atLeast(200))
	return list, nil
}

// runJAX runs a program with JAX on the CPU, and returns its output.
func runJAX(ctx context.Context, python, program string, args ...string) (string, error) {
	command := exec.CommandContext(ctx, python, append([]string{"-c", program}, args...)...)
	command.Env = append(os.Environ(), "JAX_PLATFORMS=cpu")
	var stderr bytes.Buffer
	command.Stderr = &stderr
	out, err := command.Output()
	if err != nil {
		return "", fmt.Errorf("measuring JAX: %w\n%s", err, stderr.String())
	}
	return string(out), nil
}

// readJAX reads the output of the program. io_callback with 16 bytes comes first.
func readJAX(text string) ([]series, error) {
	list := []series{{name: "JAX io_callback", theirs: true}, {name: "JAX pure_callback", theirs: true}}
	for line := range strings.Lines(text) {
		var name string
		var p point
		if _, err := fmt.Sscan(line, &name, &p.x, &p.y); err != nil {
			return nil, fmt.Errorf("the line %q: %w", line, err)
		}
		for i := range list {
			if list[i].name == "JAX "+name {
				list[i].points = append(list[i].points, p)
			}
		}
	}
	for _, one := range list {
		if len(one.points) == 0 {
			return nil, fmt.Errorf("no line of %s", one.name)
		}
	}
	return list, nil
}
