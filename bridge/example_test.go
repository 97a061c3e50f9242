package bridge_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"

	"github.com/calliope-mlir/calliope/bridge"
	"github.com/calliope-mlir/calliope/builder"
	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/passes"
	"github.com/calliope-mlir/calliope/tensor"
)

// A module is text, bytecode or a portable artifact. This one calls a Go function by
// its name and adds its result.
func Example() {
	const module = `
func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {
  %y = stablehlo.custom_call @calliope_runtime_call(%x) {
    api_version = 4 : i32, has_side_effect = true,
    backend_config = {callback = "square", form = "call", v = 1 : i64}
  } : (tensor<3xf32>) -> tensor<3xf32>
  %z = stablehlo.add %x, %y : tensor<3xf32>
  return %z : tensor<3xf32>
}`
	square := callbacks.Call(func(_ context.Context, args []tensor.View) ([]tensor.View, error) {
		in, err := tensor.Slice[float32](args[0])
		if err != nil {
			return nil, err
		}
		out := make([]float32, len(in))
		for i, v := range in {
			out[i] = v * v
		}
		return []tensor.View{tensor.Vector(out...)}, nil
	})
	if err := callbacks.Default.Register("square", square, callbacks.Options{Signature: "f32[3]->f32[3]"}); err != nil {
		log.Fatal(err)
	}
	defer callbacks.Default.Unregister("square")

	ctx := context.Background()
	plugin, err := bridge.Open(bridge.OpenOptions{})
	if err != nil {
		log.Fatal(err) // names the command that fetches the plugin
	}
	client, err := plugin.NewClient(bridge.ClientOptions{})
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	executable, err := client.Compile(ctx, bridge.Source(module), engine.CompileOptions{})
	if err != nil {
		log.Fatal(err)
	}
	defer executable.Close()
	outputs, err := executable.Run(ctx, tensor.Vector[float32](1, 2, 3))
	if err != nil {
		log.Fatal(err)
	}
	defer outputs[0].Close()
	result, err := outputs[0].ToHost(ctx)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(result)
	// Output: f32[3] [2 6 12]
}

// A module in memory is compiled by passes.Program, which prepares and serializes it for the version
// of StableHLO that the plugin reads.
func ExampleClient_Compile() {
	library, err := mlir.Open(mlir.OpenOptions{})
	if err != nil {
		log.Fatal(err)
	}
	ir := library.NewContext(mlir.ContextOptions{})
	defer ir.Close()
	b := builder.New(ir, builder.Options{})
	f := b.Func("main", tensor.ShapeOf(tensor.F32, 3))
	f.Return(builder.Square(f.Param(0)))
	module, err := b.Module()
	if err != nil {
		log.Fatal(err)
	}

	ctx := context.Background()
	plugin, err := bridge.Open(bridge.OpenOptions{})
	if err != nil {
		log.Fatal(err)
	}
	client, err := plugin.NewClient(bridge.ClientOptions{})
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	executable, err := client.Compile(ctx, passes.Program(module, passes.PrepareOptions{}), engine.CompileOptions{})
	if err != nil {
		log.Fatal(err)
	}
	defer executable.Close()
	outputs, err := executable.Run(ctx, tensor.Vector[float32](1, 2, 3))
	if err != nil {
		log.Fatal(err)
	}
	defer outputs[0].Close()
	result, err := outputs[0].ToHost(ctx)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(result)
	// Output: f32[3] [1 4 9]
}

// An executable knows the shapes of what Run takes and returns.
func ExampleExecutable_Inputs() {
	const module = `
func.func @main(%x: tensor<2x3xf32>, %y: tensor<3xf32>) -> tensor<2xf32> {
  %z = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0]
    : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2xf32>
  return %z : tensor<2xf32>
}`
	ctx := context.Background()
	plugin, err := bridge.Open(bridge.OpenOptions{})
	if err != nil {
		log.Fatal(err)
	}
	client, err := plugin.NewClient(bridge.ClientOptions{})
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	executable, err := client.Compile(ctx, bridge.Source(module), engine.CompileOptions{})
	if err != nil {
		log.Fatal(err)
	}
	defer executable.Close()
	fmt.Println(executable.Inputs(), executable.Outputs())

	zeros := func(s tensor.Shape) tensor.View { return tensor.View{Shape: s, Data: make([]byte, s.NumBytes())} }
	_, err = executable.Run(ctx, zeros(executable.Inputs()[0]), tensor.Vector[int32](1, 2, 3))
	if wrong, ok := errors.AsType[*engine.InputError](err); ok {
		fmt.Printf("input %d: want %v, got %v\n", wrong.Index, wrong.Want, wrong.Got)
	}
	// Output:
	// [f32[2,3] f32[3]] [f32[2]]
	// input 1: want f32[3], got s32[3]
}

// A compiled program is saved by one process and loaded by another, which registers the
// functions that it calls.
func ExampleClient_Load() {
	const module = `
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %y = stablehlo.custom_call @calliope_runtime_call(%x) {
    api_version = 4 : i32, has_side_effect = true,
    backend_config = {callback = "double", form = "call", v = 1 : i64}
  } : (tensor<2xf32>) -> tensor<2xf32>
  return %y : tensor<2xf32>
}`
	double := callbacks.Call(func(_ context.Context, x tensor.Array[float32]) (tensor.Array[float32], error) {
		y := x.Clone()
		for i := range y.Data {
			y.Data[i] *= 2
		}
		return y, nil
	})
	if err := callbacks.Default.Register("double", double, callbacks.Options{}); err != nil {
		log.Fatal(err)
	}

	ctx := context.Background()
	plugin, err := bridge.Open(bridge.OpenOptions{})
	if err != nil {
		log.Fatal(err)
	}
	client, err := plugin.NewClient(bridge.ClientOptions{})
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	compiled, err := client.Compile(ctx, bridge.Source(module), engine.CompileOptions{})
	if err != nil {
		log.Fatal(err)
	}
	data, err := compiled.Serialize()
	if err != nil {
		log.Fatal(err)
	}
	compiled.Close()

	loaded, err := client.Load(ctx, data)
	if refused, ok := errors.AsType[*bridge.SavedError](err); ok {
		log.Fatalf("compile it again: it is for another %s", refused.Reason)
	} else if err != nil {
		log.Fatal(err)
	}
	defer loaded.Close()
	for _, call := range loaded.Callbacks() {
		fmt.Println(call.Name, call.Form, call.Signature)
	}
	outputs, err := loaded.Run(ctx, tensor.Vector[float32](1, 2))
	if err != nil {
		log.Fatal(err)
	}
	result, err := outputs[0].ToHost(ctx)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(result)

	_ = callbacks.Default.Unregister("double")
	_, err = client.Load(ctx, data)
	if unknown, ok := errors.AsType[*callbacks.UnknownError](err); ok {
		fmt.Println("not registered:", unknown.Callback)
	}
	// Output:
	// double call f32[2]->f32[2]
	// f32[2] [2 4]
	// not registered: double
}

// With a cache, a module is compiled once on a machine.
func ExampleOpenCache() {
	const module = `
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %y = stablehlo.negate %x : tensor<2xf32>
  return %y : tensor<2xf32>
}`
	dir, err := os.MkdirTemp("", "programs") // for example a folder in os.UserCacheDir
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	cache, err := bridge.OpenCache(dir, bridge.CacheOptions{MaxBytes: 100 << 20})
	if err != nil {
		log.Fatal(err)
	}
	plugin, err := bridge.Open(bridge.OpenOptions{})
	if err != nil {
		log.Fatal(err)
	}
	for range 2 {
		client, err := plugin.NewClient(bridge.ClientOptions{Cache: cache})
		if err != nil {
			log.Fatal(err)
		}
		executable, err := client.Compile(context.Background(), bridge.Source(module), engine.CompileOptions{})
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println("cached:", executable.Cached())
		executable.Close()
		client.Close()
	}
	fmt.Println(cache.Stats().Hits, "hit,", cache.Stats().Misses, "miss")
	// Output:
	// cached: false
	// cached: true
	// 1 hit, 1 miss
}

// A module that jax.ffi.ffi_call made calls a target that is not of the contract, with
// attributes of its own.
func ExamplePlugin_RegisterForeign() {
	const module = `
func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {
  %y = stablehlo.custom_call @example.power(%x) {
    backend_config = "", mhlo.backend_config = {exponent = 3 : i64}
  } : (tensor<3xf32>) -> tensor<3xf32>
  return %y : tensor<3xf32>
}`
	type power struct {
		Exponent int `attr:"exponent"`
	}
	err := callbacks.Default.Register("example.power", func(f *callbacks.Frame) error {
		var p power
		if err := f.Attributes.Decode(&p); err != nil {
			return err
		}
		in, err := tensor.Slice[float32](f.Args[0])
		if err != nil {
			return err
		}
		out, err := tensor.Slice[float32](f.Results[0])
		if err != nil {
			return err
		}
		for i, v := range in {
			out[i] = 1
			for range p.Exponent {
				out[i] *= v
			}
		}
		return nil
	}, callbacks.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer callbacks.Default.Unregister("example.power")

	plugin, err := bridge.Open(bridge.OpenOptions{Foreign: []callbacks.ForeignTarget{{Target: "example.power"}}})
	if err != nil {
		log.Fatal(err)
	}
	client, err := plugin.NewClient(bridge.ClientOptions{})
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	ctx := context.Background()
	executable, err := client.Compile(ctx, bridge.Source(module), engine.CompileOptions{})
	if err != nil {
		log.Fatal(err)
	}
	defer executable.Close()
	outputs, err := executable.Run(ctx, tensor.Vector[float32](1, 2, 3))
	if err != nil {
		log.Fatal(err)
	}
	defer outputs[0].Close()
	result, err := outputs[0].ToHost(ctx)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(result)
	// Output: f32[3] [1 8 27]
}

// JAX lowered a program with io_callback, whose module names its callback by the index 0.
func ExampleCompileOptions_jAX() {
	const module = `
func.func public @main(%arg0: tensor<3xf32>) -> tensor<3xf32> {
  %0 = stablehlo.custom_call @xla_ffi_python_cpu_callback(%arg0) {
    backend_config = "", has_side_effect = true, mhlo.backend_config = {index = 0 : ui64}
  } : (tensor<3xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}`
	type array = tensor.Array[float32]
	err := callbacks.RegisterCall(callbacks.Default, "example.scale", func(_ context.Context, x array) (array, error) {
		y := x.Clone()
		for i := range y.Data {
			y.Data[i] *= 10
		}
		return y, nil
	}, callbacks.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer callbacks.Default.Unregister("example.scale")

	plugin, err := bridge.Open(bridge.OpenOptions{})
	if err != nil {
		log.Fatal(err)
	}
	client, err := plugin.NewClient(bridge.ClientOptions{})
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	ctx := context.Background()
	executable, err := client.Compile(ctx, bridge.Source(module),
		engine.CompileOptions{JAXCallbacks: []string{"example.scale"}})
	if err != nil {
		log.Fatal(err)
	}
	defer executable.Close()
	outputs, err := executable.Run(ctx, tensor.Vector[float32](1, 2, 3))
	if err != nil {
		log.Fatal(err)
	}
	defer outputs[0].Close()
	result, err := outputs[0].ToHost(ctx)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(result)
	// Output: f32[3] [10 20 30]
}

// Two runs on two devices print in the order in which they were started.
func ExampleSequence() {
	ctx := context.Background()
	greet := func(f *callbacks.Frame) error {
		fmt.Println("number", f.Args[0].At(0))
		return nil
	}
	if err := callbacks.Default.Register("greet", greet, callbacks.Options{}); err != nil {
		log.Fatal(err)
	}
	defer callbacks.Default.Unregister("greet")
	library, err := mlir.Open(mlir.OpenOptions{})
	if err != nil {
		log.Fatal(err)
	}
	c := library.NewContext(mlir.ContextOptions{})
	defer c.Close()
	b := builder.New(c, builder.Options{RuntimeTokens: true})
	f := b.Func("main", tensor.ShapeOf(tensor.F32, 1000))
	builder.Tap(builder.Add(f.Param(0), 1), builder.Callback{Name: "greet", Effect: "print"})
	f.Return()
	module, err := b.Module()
	if err != nil {
		log.Fatal(err)
	}
	defer module.Close()

	plugin, err := bridge.Open(bridge.OpenOptions{})
	if err != nil {
		log.Fatal(err)
	}
	client, err := plugin.NewClient(bridge.ClientOptions{Devices: 2})
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	executable, err := client.Compile(ctx, passes.Program(module, passes.PrepareOptions{}), engine.CompileOptions{})
	if err != nil {
		log.Fatal(err)
	}
	defer executable.Close()
	ctx = bridge.WithSequence(ctx, client.NewSequence())
	var runs []*bridge.Run
	for i := range 4 {
		values := make([]float32, 1000)
		values[0] = float32(i)
		in, err := client.ArrayFromHost(ctx, tensor.Vector(values...), i%2)
		if err != nil {
			log.Fatal(err)
		}
		defer in.Close()
		run, err := executable.Start(ctx, in)
		if err != nil {
			log.Fatal(err)
		}
		runs = append(runs, run)
	}
	if err := bridge.WaitAll(ctx, runs...); err != nil {
		log.Fatal(err)
	}
	// Output:
	// number 1
	// number 2
	// number 3
	// number 4
}
