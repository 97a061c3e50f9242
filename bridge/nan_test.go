package bridge

import (
	"errors"
	"maps"
	"math"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/calliope-mlir/calliope/bridge/internal/xla"
	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/internal/run/pjrt"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/tensor"
)

const minMax = `func.func @main(%x: tensor<3xf32>, %y: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<f32>) {
 %max = stablehlo.maximum %x, %y : tensor<3xf32>
 %min = stablehlo.minimum %x, %y : tensor<3xf32>
 %clamp = stablehlo.clamp %x, %y, %x : tensor<3xf32>
 %lowest = stablehlo.constant dense<0xFF800000> : tensor<f32>
 %all = stablehlo.reduce(%y init: %lowest) applies stablehlo.maximum across dimensions = [0] : (tensor<3xf32>, tensor<f32>) -> tensor<f32>
 return %max, %min, %clamp, %all : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<f32>
}`

func TestNaN(t *testing.T) {
	c := testClient(t)
	nan := float32(math.NaN())
	flag := func(value string) engine.CompileOptions {
		return engine.CompileOptions{Flags: map[string]string{keepsNaN: value}}
	}
	keeps := func(o engine.CompileOptions) bool {
		t.Helper()
		e := compile(t, c, minMax, o)
		outputs, err := e.Run(t.Context(), tensor.Vector(1, nan, -2), tensor.Vector(nan, 3, -1))
		check.NoError(t, err)
		var got [][]float32
		for _, o := range outputs {
			got = append(got, host[float32](t, o))
		}
		if !math.IsNaN(float64(got[0][0])) {
			return false
		}
		check.Diff(t, "results", [][]float32{{nan, nan, -1}, {nan, nan, -2}, {nan, nan, -2}, {nan}}, got,
			cmpopts.EquateNaNs())
		return true
	}
	for _, variable := range []string{"XLA_FLAGS", "XLA_DEBUG_OPTIONS"} {
		if os.Getenv(variable) != "" {
			t.Fatalf("the test needs a process without %s", variable)
		}
	}
	check.Diff(t, "by default", true, keeps(engine.CompileOptions{}))
	check.Diff(t, "with other options", true, keeps(engine.CompileOptions{OptimizationLevel: 1}))
	check.Diff(t, "with the flag", false, keeps(flag("true")))
	check.Diff(t, "with the flag of the default", true, keeps(flag("false")))
	t.Setenv("XLA_FLAGS", "--"+keepsNaN+"=true") // the plugin has read it already
	check.Diff(t, "with XLA_FLAGS", false, keeps(engine.CompileOptions{}))
	check.Diff(t, "with XLA_FLAGS and the flag", true, keeps(flag("false")))
}

// A plugin whose XLA has no such flag compiles without it, unless the user asks for it.
func TestNaNFlagUnknown(t *testing.T) {
	var asked []map[string]string
	done := new(xla.Executable)
	compile := func(flags map[string]string) (*xla.Executable, error) {
		asked = append(asked, maps.Clone(flags))
		if _, set := flags[keepsNaN]; set {
			return nil, &pjrt.Error{Code: codeInvalidArgument, Message: "No such compile option: '" + keepsNaN + "'"}
		}
		return done, nil
	}
	c := &Client{plugin: &Plugin{pjrt: testPlugin(t).pjrt}}
	for range 2 {
		if e, err := c.compileWith(map[string]string{"a": "b"}, compile); e != done || err != nil {
			t.Errorf("got %v, %v", e, err)
		}
	}
	check.Diff(t, "flags", []map[string]string{{"a": "b", keepsNaN: "False"}, {"a": "b"}, {"a": "b"}}, asked)
	_, err := c.compileWith(map[string]string{keepsNaN: "False"}, compile)
	if refused, ok := errors.AsType[*FlagError](err); !ok || refused.Flag != keepsNaN || refused.Type != "" {
		t.Errorf("got %v, want a FlagError", err)
	}
}
