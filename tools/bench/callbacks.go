package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"time"

	"github.com/calliope-mlir/calliope/bridge"
	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/internal/host/replace"
	"github.com/calliope-mlir/calliope/tensor"
	"github.com/calliope-mlir/calliope/tools/bench/internal/floor"
)

const (
	loopCalls = 20_000 // calls in one device loop
	loopRuns  = 10     // executions of the loop in one measurement
	tapMiB    = 64
	tapShape  = "16777216xf32"
	tapRuns   = 8 // executions in one measurement of the large tap
)

// callbackSuite measures calls of Go from compiled code in three ways: in a device loop,
// compared with the same handler in C and with JAX; by each way of dispatch, with payloads
// of all sizes; and with a large value, compared with the same module without the call.
func callbackSuite(ctx context.Context, s settings, r *report) error {
	plugin, err := openPlugin(ctx)
	if err != nil {
		return err
	}
	if err := registerFloors(plugin); err != nil {
		return err
	}
	client, err := plugin.NewClient(bridge.ClientOptions{Devices: 1})
	if err != nil {
		return err
	}
	defer client.Close()
	nothing := func(*callbacks.Frame) error { return nil }
	if err := callbacks.Default.Register("bench", nothing, callbacks.Options{}); err != nil {
		return err
	}
	goLoop, err := loop16B(ctx, client, s, r)
	if err != nil {
		return err
	}
	if err := largeTap(ctx, client, s, r); err != nil {
		return err
	}
	lines, err := ways(ctx, plugin, s, r)
	if err != nil {
		return err
	}
	if err := dispatchSuite(ctx, s, r); err != nil {
		return err
	}
	theirs, err := besideJAX(ctx, s, r, goLoop)
	if err != nil || s.plot == "" {
		return err
	}
	return draw(s.plot, append(lines, theirs...))
}

// draw writes the plot of latencies.
func draw(file string, lines []series) error {
	p := plot{
		title: "A callback in a device loop: time of one call",
		note: fmt.Sprintf("%s, %s/%s with %d cores, one run at a time; the callback returns at once.",
			time.Now().UTC().Format(time.DateOnly), runtime.GOOS, runtime.GOARCH, runtime.NumCPU()),
		series: lines,
	}
	return replace.File(file, func(w io.Writer) error { return p.write(w) })
}

// loop16B measures a device loop whose body has no call, calls the handler in C, or calls
// Go. It uses the least of the times, because other programs only make them longer. It
// returns the microseconds of one iteration that calls Go.
func loop16B(ctx context.Context, client *bridge.Client, s settings, r *report) (float64, error) {
	bodies := []string{
		"%y = stablehlo.negate %x : tensor<4xf32>",
		passthroughCall(floor.Passthrough, "{}", "4xf32"),
		passthroughCall(contract.TargetIOCallback, benchConfig, "4xf32"),
	}
	inputs := []engine.Input{tensor.Vector[float32](1, 2, 3, 4), tensor.Scalar[int32](loopCalls)}
	times, err := alternate(ctx, client, s.repeat*loopRuns, bodies, loopModule, inputs)
	if err != nil {
		return 0, err
	}
	perCall := func(i int) float64 { return slices.Min(times[i]) * 1e6 / loopCalls }
	r.figure("callbacks/loop16B/none", perCall(0), "us/iteration", nil)
	r.figure("callbacks/loop16B/c", perCall(1), "us/iteration", nil)
	r.figure("callbacks/loop16B/go", perCall(2), "us/iteration", nil)
	r.figure("callbacks/loop16B/go-above-c", perCall(2)-perCall(1), "us/call", atMost(0.1))
	return perCall(2), nil
}

// largeTap measures a passthrough of a computed value, compared with the module without it.
// In one module the value is in memory anyway. In the other, XLA would keep it in
// registers, between two loops that it fuses.
func largeTap(ctx context.Context, client *bridge.Client, s settings, r *report) error {
	bodies := []string{"", passthroughCall(contract.TargetIOCallback, benchConfig, tapShape)}
	data, err := tensor.FromSlice(make([]float32, tapMiB<<18), tapMiB<<18)
	if err != nil {
		return err
	}
	in, err := client.ArrayFromHost(ctx, data, 0)
	if err != nil {
		return err
	}
	defer in.Close()
	for _, kind := range []struct {
		name   string
		after  string // computes the result from %z
		budget *limit
	}{
		{"callbacks/tap64MiB", "stablehlo.optimization_barrier", atMost(1.05)},
		{"callbacks/tap64MiB-unfused", "stablehlo.sine", nil},
	} {
		module := func(body string) string { return tapModule(body, kind.after) }
		times, err := alternate(ctx, client, s.repeat*tapRuns, bodies, module, []engine.Input{in})
		if err != nil {
			return err
		}
		r.figure(kind.name+"/without", median(times[0])*1e3, "ms/run", nil)
		r.figure(kind.name+"/with", median(times[1])*1e3, "ms/run", nil)
		r.figure(kind.name+"/ratio", median(times[1])/median(times[0]), "x", kind.budget)
	}
	return nil
}

// alternate compiles one module for each body and measures their runs alternately, so that
// disturbances affect all of them equally. It returns seconds, by body.
func alternate(
	ctx context.Context, client *bridge.Client, repeat int, bodies []string, module func(string) string,
	inputs []engine.Input,
) ([][]float64, error) {
	executables := make([]*bridge.Executable, len(bodies))
	for i, body := range bodies {
		e, err := client.Compile(ctx, bridge.Source(module(body)), engine.CompileOptions{})
		if err != nil {
			return nil, err
		}
		defer e.Close()
		executables[i] = e
	}
	times := make([][]float64, len(bodies))
	for i := range repeat + 1 {
		for j, e := range executables {
			start := time.Now()
			outputs, err := e.Run(ctx, inputs...)
			seconds := time.Since(start).Seconds()
			if err != nil {
				return nil, err
			}
			for _, o := range outputs {
				o.Close()
			}
			if i > 0 { // the first run warms up
				times[j] = append(times[j], seconds)
			}
		}
	}
	return times, nil
}

var benchConfig = fmt.Sprintf(`{callback = "bench", form = "passthrough", v = %d : i64}`, contract.Version)

func passthroughCall(target, config, shape string) string {
	return fmt.Sprintf(
		`%%y = stablehlo.custom_call @%s(%%x) {api_version = 4 : i32, has_side_effect = true, backend_config = %s,
      output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0, operand_tuple_indices = []>]} : (tensor<%s>) -> tensor<%s>`,
		target, config, shape, shape)
}

// loopModule returns a module that repeats the body, which makes %y of %x. The second
// argument is the number of iterations.
func loopModule(body string) string {
	return fmt.Sprintf(`func.func @main(%%v: tensor<4xf32>, %%n: tensor<i32>) -> tensor<4xf32> {
  %%zero = stablehlo.constant dense<0> : tensor<i32>
  %%one = stablehlo.constant dense<1> : tensor<i32>
  %%r:2 = stablehlo.while(%%i = %%zero, %%x = %%v) : tensor<i32>, tensor<4xf32>
   cond {
    %%p = stablehlo.compare LT, %%i, %%n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %%p : tensor<i1>
  } do {
    %s
    %%j = stablehlo.add %%i, %%one : tensor<i32>
    stablehlo.return %%j, %%y : tensor<i32>, tensor<4xf32>
  }
  return %%r#1 : tensor<4xf32>
}`, body)
}

// tapModule returns a module that computes a value, passes it through the body, and uses it
// afterwards.
func tapModule(body, after string) string {
	value := "%y"
	if body == "" {
		value = "%x"
	}
	return fmt.Sprintf(`func.func @main(%%v: tensor<%[1]s>) -> tensor<%[1]s> {
  %%x = stablehlo.cosine %%v : tensor<%[1]s>
  %[2]s
  %%z = %[3]s %[4]s : tensor<%[1]s>
  return %%z : tensor<%[1]s>
}`, tapShape, body, after, value)
}

// note prints a line that is not a figure.
func note(format string, args ...any) { fmt.Fprintf(os.Stderr, "bench: "+format+"\n", args...) }
