package jit_test

import (
	"fmt"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/jit"
	"github.com/calliope-mlir/calliope/tensor"
)

// resource is a module with a constant in a resource, of a type and with bytes after those of the alignment.
const resource = `func.func @main(%%x: %[1]s) -> %[1]s {
	%%c = stablehlo.constant dense_resource<r> : %[1]s
	%%0 = stablehlo.add %%x, %%c : %[1]s
	return %%0 : %[1]s
}
{-# dialect_resources: { builtin: { r: "0x04000000%[2]s" } } #-}`

// TestResources has constants in resources, of which MLIR folds those of one element without end and crashes on those
// of none. A child compiles them.
func TestResources(t *testing.T) {
	const variable = "CALLIOPE_TEST_RESOURCES"
	if os.Getenv(variable) == "" {
		cmd := exec.CommandContext(t.Context(), check.Must(os.Executable()), "-test.run=^TestResources$", "-test.v")
		cmd.Env = append(os.Environ(), variable+"=1")
		stop := time.AfterFunc(time.Minute, func() { _ = cmd.Process.Kill() })
		defer stop.Stop()
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out[max(0, len(out)-2000):])
		}
		return
	}
	none := tensor.View{Shape: tensor.ShapeOf(tensor.F32, 0), Data: []byte{}}
	small := func(t tensor.DType, data ...byte) tensor.View {
		return tensor.View{Shape: tensor.ShapeOf(t, len(data)), Data: data}
	}
	for _, tt := range []struct {
		typ, digits string
		input, want tensor.View
	}{
		{"tensor<f32>", "00006040", tensor.Scalar[float32](1), tensor.Scalar[float32](4.5)},
		{"tensor<1xf32>", "00006040", tensor.Vector[float32](1), tensor.Vector[float32](4.5)},
		{"tensor<2xf32>", "000060400000803f", tensor.Vector[float32](1, 2), tensor.Vector[float32](4.5, 3)},
		{"tensor<ui8>", "c8", tensor.Scalar[uint8](1), tensor.Scalar[uint8](201)},
		{"tensor<0xf32>", "", none, none},
		{"tensor<3xi1>", "000100", tensor.Vector(true, true, false), tensor.Vector(true, true, false)},
		{"tensor<3xi4>", "01020f", small(tensor.S4, 1, 1, 3), small(tensor.S4, 2, 3, 2)},
		{"tensor<2xui2>", "0102", small(tensor.U2, 1, 1), small(tensor.U2, 2, 3)},
	} {
		text := fmt.Sprintf(resource, tt.typ, tt.digits)
		m := mlirtest.Parse(t, mlirtest.Context(t), text)
		e, err := jit.Compile(t.Context(), m, jit.Options{})
		check.NoError(t, err)
		check.Cleanup(t, e)
		got, err := e.Call(t.Context(), tt.input)
		check.NoError(t, err)
		check.Diff(t, tt.typ, []tensor.View{tt.want}, got)
	}
}
