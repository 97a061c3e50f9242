package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"

	"github.com/calliope-mlir/calliope/bridge"
	"github.com/calliope-mlir/calliope/callbacks"
)

// savedSizes are the numbers of operations, each with the part of the compile's time that a
// load may take.
var savedSizes = []struct {
	operations int
	budget     float64
}{{20, 1.0 / 10}, {2000, 1.0 / 3}}

const savedCallback = "bench.saved"

// savedModule returns a module with the number of operations, which XLA cannot fuse into one
// loop, and a call of Go at its end.
func savedModule(operations int) string {
	const typ = "tensor<64xf32>"
	var b strings.Builder
	fmt.Fprintf(&b, "func.func @main(%%x: %s) -> %[1]s {\n %%v0 = stablehlo.add %%x, %%x : %[1]s\n", typ)
	for i := 1; i < operations; i++ {
		last := fmt.Sprintf("%%v%d", i-1)
		switch {
		case i%50 == 25:
			fmt.Fprintf(&b, " %%v%d = stablehlo.reverse %s, dims = [0] : %s\n", i, last, typ)
		case i%7 == 3:
			fmt.Fprintf(&b, " %%v%d = stablehlo.logistic %s : %s\n", i, last, typ)
		case i%7 == 5:
			fmt.Fprintf(&b, " %%v%d = stablehlo.tanh %s : %s\n", i, last, typ)
		default:
			op := []string{"subtract", "maximum"}[i%2]
			fmt.Fprintf(&b, " %%v%d = stablehlo.%s %s, %%v%d : %s\n", i, op, last, max(0, i-9), typ)
		}
	}
	fmt.Fprintf(&b,
		` %%c = stablehlo.custom_call @calliope_runtime_call(%%v%d) {api_version = 4 : i32, has_side_effect = true,
  backend_config = {v = 1 : i64, form = "call", callback = %q}} : (%s) -> %[3]s
 return %%c : %[3]s
}`, operations-1, savedCallback, typ)
	return b.String()
}

// savedSuite compares loading a compiled program, and finding it in a cache, with compiling
// it.
func savedSuite(ctx context.Context, s settings, r *report) (err error) {
	plugin, err := openPlugin(ctx)
	if err != nil {
		return err
	}
	err = callbacks.Default.Register(savedCallback, func(f *callbacks.Frame) error {
		copy(f.Results[0].Data, f.Args[0].Data)
		return nil
	}, callbacks.Options{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, callbacks.Default.Unregister(savedCallback)) }()
	dir, err := os.MkdirTemp("", "calliope-bench")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	cache, err := bridge.OpenCache(dir, bridge.CacheOptions{})
	if err != nil {
		return err
	}
	client, err := plugin.NewClient(bridge.ClientOptions{Devices: 1})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, client.Close()) }()
	cached, err := plugin.NewClient(bridge.ClientOptions{Devices: 1, Cache: cache})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, cached.Close()) }()
	for _, size := range savedSizes {
		if err := savedCosts(ctx, s, r, client, cached, size.operations, size.budget); err != nil {
			return fmt.Errorf("saved/%d: %w", size.operations, err)
		}
	}
	return nil
}

func savedCosts(
	ctx context.Context, s settings, r *report, client, cached *bridge.Client, operations int, budget float64,
) error {
	module := bridge.Source(savedModule(operations))
	e, err := client.Compile(ctx, module, bridge.CompileOptions{})
	if err != nil {
		return err
	}
	defer e.Close()
	data, err := e.Serialize()
	if err != nil {
		return err
	}
	// The first one stores the program.
	if err := closed(cached.Compile(ctx, module, bridge.CompileOptions{})); err != nil {
		return err
	}
	ways := []struct {
		name string
		do   func() (*bridge.Executable, error)
	}{
		{"compile", func() (*bridge.Executable, error) { return client.Compile(ctx, module, bridge.CompileOptions{}) }},
		{"serialize", func() (*bridge.Executable, error) { _, err := e.Serialize(); return nil, err }},
		{"load", func() (*bridge.Executable, error) { return client.Load(ctx, data) }},
		{"hit", func() (*bridge.Executable, error) {
			e, err := cached.Compile(ctx, module, bridge.CompileOptions{})
			if err == nil && !e.Cached() {
				err = errors.New("the module was compiled")
			}
			return e, err
		}},
	}
	got := make(costs, len(ways))
	for range s.repeat {
		for _, i := range rand.Perm(len(ways)) {
			var made *bridge.Executable
			c, err := meter(func() (err error) { made, err = ways[i].do(); return err })
			if err := closed(made, err); err != nil {
				return fmt.Errorf("%s: %w", ways[i].name, err)
			}
			got[i].turns = append(got[i].turns, c)
		}
	}
	for i, way := range ways {
		got[i].name, got[i].cost = way.name, least(got[i].turns)
	}
	prefix := fmt.Sprintf("saved/%d/", operations)
	r.figure(prefix+"bytes", float64(len(data)), "bytes", nil)
	for _, n := range got {
		r.figure(prefix+n.name, n.wall/1e3, "ms", nil)
	}
	r.figure(prefix+"goal/load-over-compile", got.overInTurn("load", "compile"), "x", atMost(budget))
	r.figure(prefix+"goal/hit-over-compile", got.overInTurn("hit", "compile"), "x", atMost(budget))
	return nil
}

// closed closes what was made.
func closed(e *bridge.Executable, err error) error {
	if e != nil {
		err = errors.Join(err, e.Close())
	}
	return err
}
