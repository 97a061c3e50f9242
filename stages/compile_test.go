package stages_test

import (
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/calliope-mlir/calliope/bridge"
	"github.com/calliope-mlir/calliope/builder"
	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stages"
)

// layers returns a module of equal layers with a callback in each, and n operations in each of its n+1 stages.
func layers(t *testing.T, name string, n int) *mlir.Module {
	t.Helper()
	b := builder.New(mlirtest.Context(t), builder.Options{})
	f := b.Func("main", shape)
	layer := func(x builder.Value) builder.Value {
		for range n {
			x = builder.Sub(builder.Add(x, x), float32(1))
		}
		return x
	}
	x := layer(f.Param(0))
	for range n {
		x = layer(builder.RuntimeCall(x, x, builder.Callback{Name: name}))
	}
	f.Return(x)
	m, err := b.Module()
	check.NoError(t, err)
	check.Cleanup(t, m)
	return m
}

// TestEqualStages counts compiles: equal stages are compiled once, within a program and over all open ones of a
// client.
func TestEqualStages(t *testing.T) {
	register(t, "double", double, callbacks.Options{})
	cache, err := bridge.OpenCache(t.TempDir(), bridge.CacheOptions{})
	check.NoError(t, err)
	client, err := check.Must(bridge.Open(bridge.OpenOptions{})).NewClient(bridge.ClientOptions{Cache: cache})
	check.NoError(t, err)
	check.Cleanup(t, client)
	compiles := func() int64 { s := cache.Stats(); return s.Hits + s.Misses }
	compile := func() engine.Executable {
		e, err := stages.Compile(t.Context(), layers(t, "double", 3),
			stages.Options{Devices: stages.On(client.Engine()), Force: cutAll("double")})
		check.NoError(t, err)
		return e
	}
	var all [4]engine.Executable
	var errs [4]error
	var wait sync.WaitGroup
	for i := range all {
		m := layers(t, "double", 3)
		wait.Go(func() {
			all[i], errs[i] = stages.Compile(t.Context(), m,
				stages.Options{Devices: stages.On(client.Engine()), Force: cutAll("double")})
		})
	}
	wait.Wait()
	check.NoError(t, errors.Join(errs[:]...))
	check.Diff(t, "compiles of four programs with four equal stages each", int64(1), compiles())
	for i, e := range all {
		got, err := e.Call(t.Context(), floats(1, 2, 3, 4))
		check.NoError(t, err)
		check.Diff(t, "results", "[f32[4] [2185 34953 67721 100489]]", fmt.Sprint(got))
		check.NoError(t, e.Close())
		if i == 2 {
			check.NoError(t, compile().Close())
		}
	}
	check.Diff(t, "compiles of one more", int64(1), compiles())
	check.NoError(t, compile().Close())
	check.Diff(t, "compiles after all were closed", int64(2), compiles())
}

// TestCompileErrors checks that the error of a compile is that of the first stage which fails.
func TestCompileErrors(t *testing.T) {
	register(t, "double", double, callbacks.Options{})
	m := mlirtest.Parse(t, mlirtest.Context(t), `func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %a = stablehlo.custom_call @first(%x) {api_version = 4 : i32} : (tensor<4xf32>) -> tensor<4xf32>
  %b = stablehlo.custom_call @calliope_runtime_call(%a) {api_version = 4 : i32, backend_config = {v = 1 : i64, form = "pure", callback = "double"}} : (tensor<4xf32>) -> tensor<4xf32>
  %c = stablehlo.custom_call @second(%b) {api_version = 4 : i32} : (tensor<4xf32>) -> tensor<4xf32>
  return %c : tensor<4xf32>
}`)
	for range 5 {
		_, err := stages.Compile(t.Context(), m,
			stages.Options{Devices: stages.On(newClient(t).Engine()), Force: cutAll("double")})
		check.Error(t, err, "stages: stage 0: ", "first")
		_, err = stages.Compile(t.Context(), m, stages.Options{})
		check.Error(t, err, "stages: stage 0: the interpreter cannot run it: ")
	}
}
