package jit_test

import (
	"bytes"
	"context"
	"log/slog"
	"regexp"
	"testing"

	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/jit"
	"github.com/calliope-mlir/calliope/stages"
	"github.com/calliope-mlir/calliope/tensor"
)

// TestCrashInStages has package stages compile a module on which a pass crashes. The interpreter runs the stage with
// the operation, and the others are compiled.
func TestCrashInStages(t *testing.T) {
	jit.Crash(t)
	t.Setenv("CALLIOPE_JIT_ISOLATE", "1")
	var lines bytes.Buffer
	defer slog.SetDefault(slog.Default())
	slog.SetDefault(slog.New(slog.NewTextHandler(&lines, nil)))
	register(t, "crash_double", callbacks.Call(func(_ context.Context, x []float32) ([]float32, error) {
		return []float32{2 * x[0], 2 * x[1]}, nil
	}), callbacks.Options{})
	m := mlirtest.Parse(t, mlirtest.Context(t), `func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
		%0 = stablehlo.complex %x, %x : tensor<2xcomplex<f32>>
		%1 = stablehlo.bitcast_convert %0 : (tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>>
		%2 = stablehlo.real %1 : (tensor<2xcomplex<f32>>) -> tensor<2xf32>
		%3 = stablehlo.custom_call @calliope_runtime_call(%2) {api_version = 4 : i32,
			backend_config = {v = 1 : i64, form = "pure", callback = "crash_double"}} : (tensor<2xf32>) -> tensor<2xf32>
		%4 = stablehlo.add %3, %3 : tensor<2xf32>
		return %4 : tensor<2xf32> }`)
	e := check.Must(stages.Compile(t.Context(), m, stages.Options{Devices: []stages.Device{stages.JIT()}}))
	check.Cleanup(t, e)
	check.Diff(t, "results", []tensor.View{tensor.Vector[float32](4, 8)},
		check.Must(e.Call(t.Context(), tensor.Vector[float32](1, 2))))
	_, err := stages.Compile(t.Context(), m, stages.Options{
		Devices: []stages.Device{stages.JIT()}, Fallback: engine.FallbackOff,
	})
	check.As[*jit.UnsupportedError](t, err)
	check.Error(t, err, "crashes on stablehlo.bitcast_convert at")
	on := stages.Options{Devices: []stages.Device{stages.JIT()}, Fallback: engine.FallbackOn}
	check.NoError(t, check.Must(stages.Compile(t.Context(), m, on)).Close())
	warnings := regexp.MustCompile(`the interpreter runs a stage.* crashes on stablehlo\.bitcast_convert at `)
	if found := warnings.FindAllString(lines.String(), -1); len(found) != 1 {
		t.Errorf("the log has %d warnings:\n%s", len(found), &lines)
	}
}
