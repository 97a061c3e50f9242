package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/calliope-mlir/calliope/native"
)

// gomlxSuite runs GoMLX on the backend of the module gomlx and on go-xla's, on the same plugin. The two do not link
// into one program, so each is in a process of its own. A figure is the median of the ratios in each turn.
func gomlxSuite(ctx context.Context, s settings, r *report) (err error) {
	root, err := moduleRoot(ctx)
	if err != nil {
		return err
	}
	plugin, err := native.Ensure(ctx, native.PJRTPlugin, native.EnsureOptions{})
	if err != nil {
		return err
	}
	folder, err := os.MkdirTemp("", "calliope-bench-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	backends := []gomlxBackend{
		{name: "calliope", config: "calliope:plugin=" + plugin.Path},
		{name: "xla", config: "xla:" + plugin.Path, tags: "xla,nocalliope"},
	}
	for i := range backends {
		b := &backends[i]
		if err := b.start(ctx, filepath.Join(root, "gomlx"), filepath.Join(folder, b.name)); err != nil {
			return fmt.Errorf("gomlx/%s: %w", b.name, err)
		}
		defer b.child.stop()
	}
	for _, work := range []string{"build", "compile", "run", "step", "in", "out"} {
		var us [2][]float64
		var ratios []float64
		for range s.repeat {
			for _, i := range rand.Perm(len(backends)) {
				took, err := backends[i].child.measure(work)
				if err != nil {
					return err
				}
				us[i] = append(us[i], took)
			}
			turn := len(ratios)
			ratios = append(ratios, us[0][turn]/us[1][turn])
		}
		for i, b := range backends {
			r.figure("gomlx/"+work+"/"+b.name, median(us[i]), "us", nil)
		}
		r.figure("gomlx/"+work+"/over-xla", median(ratios), "x", atMost(1.1))
	}
	return nil
}

// gomlxBackend is a process with one backend.
type gomlxBackend struct {
	name, config, tags string
	child              *child
}

// start builds the program of the module gomlx with the backend, and starts it.
func (b *gomlxBackend) start(ctx context.Context, module, program string) error {
	build := exec.CommandContext(ctx, "go", "build", "-C", module, "-tags", b.tags, "-o", program, "./internal/bench")
	build.Env = append(os.Environ(), "GOWORK=off")
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("go build: %w\n%s", err, out)
	}
	var err error
	b.child, err = startChild(ctx, []string{"GOMLX_BACKEND=" + b.config}, program)
	return err
}
