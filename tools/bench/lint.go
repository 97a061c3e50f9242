package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"

	"github.com/calliope-mlir/calliope/native"
	"github.com/calliope-mlir/calliope/tools/bench/internal/bareparse"
)

// The suite lint runs mlir-lint as a command, and beside it a C program that parses and verifies
// the same files, and grep.

const (
	lintLarge = 6 << 20 // bytes of the large module
	lintFiles = 2000    // small files
	lintAgain = 20_000  // small files that a run has checked before
)

// lintModule returns a module of about n bytes and lines lines: functions of arithmetic, with a call of Go in
// each, ordered by tokens.
func lintModule(n, lines int) []byte {
	const typ = "tensor<8x16xf32>"
	const perFunction = 55
	var b strings.Builder
	for f := 0; b.Len() < n || f*perFunction < lines; f++ {
		fmt.Fprintf(&b, "func.func @f%d(%%a: %s, %%t: tensor<1xi8>) -> (%[2]s, tensor<1xi8>) {\n", f, typ)
		last := "%a"
		for i := range 40 {
			switch i % 4 {
			case 0:
				fmt.Fprintf(&b, "  %%%d = stablehlo.add %s, %%a : %s\n", i, last, typ)
			case 1:
				fmt.Fprintf(&b, "  %%%d = stablehlo.tanh %s : %s\n", i, last, typ)
			case 2:
				fmt.Fprintf(&b, "  %%%d = stablehlo.transpose %s, dims = [1, 0] : (%s) -> tensor<16x8xf32>\n", i, last,
					typ)
			case 3:
				fmt.Fprintf(&b, "  %%%d = stablehlo.dot_general %%%d, %s, contracting_dims = [0] x [1] : (%s, tensor<16x8xf32>) -> tensor<16x16xf32>\n", i, i-2, last, typ)
				fmt.Fprintf(&b, "  %%s%d = stablehlo.slice %%%d [0:8, 0:16] : (tensor<16x16xf32>) -> %s\n", i, i, typ)
				last = fmt.Sprintf("%%s%d", i)
				continue
			}
			last = fmt.Sprintf("%%%d", i)
		}
		fmt.Fprintf(&b,
			`  %%c = stablehlo.custom_call @calliope_io_callback(%s, %%t) {api_version = 4 : i32, has_side_effect = true,
    backend_config = {v = 1 : i64, form = "observe", callback = "see", effect = "log", n_tokens = 1 : i64}} : (%s, tensor<1xi8>) -> tensor<1xi8>
  return %[1]s, %%c : %[2]s, tensor<1xi8>
}
`, last, typ)
	}
	return []byte(b.String())
}

func lintSuite(ctx context.Context, s settings, r *report) (err error) {
	found, err := native.Ensure(ctx, native.MLIR, native.EnsureOptions{Progress: os.Stderr})
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "calliope-bench")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	bare, err := bareparse.Build(dir)
	if err != nil {
		return err
	}
	lint := filepath.Join(dir, "mlir-lint")
	if out, err := exec.CommandContext(ctx, "go", "build", "-o", lint,
		"github.com/calliope-mlir/calliope/tools/mlir-lint").CombinedOutput(); err != nil {
		return fmt.Errorf("building mlir-lint: %w\n%s", err, out)
	}
	large, tiny, folder := filepath.Join(dir, "large.mlir"), filepath.Join(dir, "tiny.mlir"), filepath.Join(dir, "many")
	if err := errors.Join(os.WriteFile(large, lintModule(lintLarge, 0), 0o600),
		os.WriteFile(tiny, lintModule(1, 0), 0o600)); err != nil {
		return err
	}
	files, err := lintFolder(folder, lintFiles)
	if err != nil {
		return err
	}
	b := lintBench{ctx: ctx, settings: s, bare: append([]string{bare}, found.Path), lint: lint, cache: "off"}
	groups := []struct {
		name  string
		ways  []lintWay
		goals func(costs)
	}{
		{"start", []lintWay{
			b.way("bare", 1, b.bare...), b.way("lint", runtime.NumCPU(), lint, tiny),
			b.way("quick", 1, lint, "-quick", tiny),
		}, func(c costs) {
			r.figure("lint/start/goal/quick", c.of("quick").wall/1e3, "ms", atMost(10))
			extra := c.inTurn(func(turn int) float64 { return (c.wall("lint", turn) - c.wall("bare", turn)) / 1e3 })
			r.figure("lint/start/goal/lint-extra", extra, "ms", atMost(15))
		}},
		{"large", []lintWay{
			b.way("bare", 1, append(b.bare, large)...), b.way("lint", runtime.NumCPU(), lint, large),
			b.way("quick", 1, lint, "-quick", large), b.way("grep", 1, "grep", "-c", "stablehlo.outfeed", large),
		}, func(c costs) {
			r.figure("lint/large/goal/bare-over-quick", c.overInTurn("bare", "quick"), "x", atLeast(15))
			r.figure("lint/large/goal/lint-over-bare", c.overInTurn("lint", "bare"), "x", atMost(1.1))
		}},
		{"many", []lintWay{
			b.way("bare", 1, append(b.bare, files...)...), b.halves("bare-two", files),
			b.way("lint-one", 1, lint, folder), b.way("lint", runtime.NumCPU(), lint, folder),
		}, func(c costs) {
			limit := c.overInTurn("bare", "bare-two")
			r.figure("lint/many/two-bare-processes", limit, "x", nil)
			r.figure("lint/many/goal/one-over-all", c.overInTurn("lint-one", "lint"), "x",
				atLeast(min(1.7, 0.95*limit)))
		}},
	}
	for _, g := range groups {
		got, err := b.measure(g.ways)
		if err != nil {
			return fmt.Errorf("lint/%s: %w", g.name, err)
		}
		for _, c := range got {
			r.figure("lint/"+g.name+"/"+c.name, c.wall/1e3, "ms", nil)
		}
		g.goals(got)
	}
	if err := b.again(dir, r); err != nil {
		return fmt.Errorf("lint/again: %w", err)
	}
	edit, err := lintEdit(ctx, s, lint)
	if err != nil {
		return fmt.Errorf("lint/edit: %w", err)
	}
	r.figure("lint/edit/goal/code-action", edit, "ms", atMost(1000))
	return nil
}

// lintFolder makes a folder of small modules, each with another content.
func lintFolder(folder string, n int) (files []string, err error) {
	if err := os.Mkdir(folder, 0o700); err != nil {
		return nil, err
	}
	for i := range n {
		files = append(files, filepath.Join(folder, fmt.Sprintf("%d.mlir", i)))
		if err := os.WriteFile(files[i], fmt.Appendf(lintModule(1, 0), "// %d\n", i), 0o600); err != nil {
			return nil, err
		}
	}
	return files, nil
}

// again measures a run over files that did not change since an earlier run, beside reading them.
func (b lintBench) again(dir string, r *report) error {
	folder := filepath.Join(dir, "again")
	if _, err := lintFolder(folder, lintAgain); err != nil {
		return err
	}
	b.cache = filepath.Join(dir, "cache")
	second := b.way("second", runtime.NumCPU(), b.lint, folder)
	if err := second.do(); err != nil { // the first run
		return err
	}
	got, err := b.measure([]lintWay{second, b.way("grep", 1, "grep", "-rc", "stablehlo.outfeed", folder)})
	if err != nil {
		return err
	}
	r.figure("lint/again/grep", got.of("grep").wall/1e3, "ms", nil)
	r.figure("lint/again/goal/second", got.of("second").wall/1e3, "ms", atMost(1000))
	return nil
}

type lintBench struct {
	ctx      context.Context
	settings settings
	bare     []string // the C program and its library
	lint     string
	cache    string // the folder of mlir-lint's cache, or "off"
}

type lintWay struct {
	name string
	do   func() error
}

// way runs a command on a number of processors of Go.
func (b lintBench) way(name string, procs int, command ...string) lintWay {
	return lintWay{name, func() error { return b.run(procs, command) }}
}

// halves runs the C program twice at once, on half of the files each.
func (b lintBench) halves(name string, files []string) lintWay {
	return lintWay{name, func() error {
		var both sync.WaitGroup
		errs := make([]error, 2)
		for i, half := range [][]string{files[:len(files)/2], files[len(files)/2:]} {
			both.Go(func() { errs[i] = b.run(1, append(append([]string(nil), b.bare...), half...)) })
		}
		both.Wait()
		return errors.Join(errs...)
	}}
}

func (b lintBench) run(procs int, command []string) error {
	cmd := exec.CommandContext(b.ctx, command[0], command[1:]...)
	cmd.Env = append(os.Environ(), fmt.Sprint("GOMAXPROCS=", procs), "CALLIOPE_LINT_CACHE="+b.cache)
	out, err := cmd.CombinedOutput()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok && filepath.Base(command[0]) == "grep" &&
		exit.ExitCode() == 1 {
		return nil // no match
	}
	if err != nil {
		return fmt.Errorf("%s: %w\n%.2000s", filepath.Base(command[0]), err, out)
	}
	return nil
}

func (b lintBench) measure(ways []lintWay) (costs, error) {
	got := make(costs, len(ways))
	for range b.settings.repeat {
		for _, i := range rand.Perm(len(ways)) {
			c, err := meter(ways[i].do)
			if err != nil {
				return nil, err
			}
			got[i].turns = append(got[i].turns, c)
		}
	}
	for i, way := range ways {
		got[i].name, got[i].cost = way.name, least(got[i].turns)
	}
	return got, nil
}
