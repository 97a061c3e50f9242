package bridge

import (
	"fmt"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/tensor"
)

// XLA itself accepts any input of the same size in bytes.
func TestInputsOfOtherTypes(t *testing.T) {
	c := testClient(t)
	right, scalar := tensor.Vector[float32](1, 2, 3, 4), tensor.Scalar(int32(1))
	for _, replicas := range []int{1, 2} {
		e := compile(t, c, mainFunc("%x: tensor<4xf32>, %n: tensor<i32>", "tensor<4xf32>", "return %x : tensor<4xf32>"),
			engine.CompileOptions{Replicas: replicas})
		buffer, err := c.ArrayFromHost(t.Context(), tensor.Vector[uint32](1, 2, 3, 4), 0)
		check.NoError(t, err)
		defer buffer.Close()
		each := ""
		if replicas > 1 {
			each = " on each device"
		}
		for name, test := range map[string]struct {
			inputs []engine.Input // of one device
			want   string
		}{
			"right": {[]engine.Input{right, scalar}, ""},
			"element type": {[]engine.Input{tensor.Vector[int32](1, 2, 3, 4), scalar},
				"input 0: the module's parameter is f32[4]" + each + ", but the input is s32[4]"},
			"dimensions": {[]engine.Input{view(t, []float32{1, 2, 3, 4}, 2, 2), scalar},
				"is f32[4]" + each + ", but the input is f32[2,2]"},
			"size": {[]engine.Input{right, tensor.Vector[int32](1)},
				"input 1: the module's parameter is s32[]" + each + ", but the input is s32[1]"},
			"buffer":   {[]engine.Input{buffer, scalar}, "but the input is u32[4]"},
			"too few":  {[]engine.Input{right}, "the module has 2 parameters, but 1 inputs are given" + each},
			"too many": {[]engine.Input{right, scalar, scalar}, "the module has 2 parameters, but 3 inputs are given" + each},
			"none":     {nil, "the module has 2 parameters, but 0 inputs are given" + each},
		} {
			t.Run(fmt.Sprint(name, " ", replicas), func(t *testing.T) {
				var inputs []engine.Input
				for range replicas {
					inputs = append(inputs, test.inputs...)
				}
				outputs, err := e.Run(t.Context(), inputs...)
				for _, o := range outputs {
					o.Close()
				}
				if test.want == "" && err != nil || test.want != "" &&
					(err == nil || !strings.Contains(err.Error(), test.want)) {
					t.Errorf("error is %v, want %q", err, test.want)
				}
				if _, err := e.Start(t.Context(), inputs...); test.want != "" && !isInputError(err) {
					t.Errorf("Start returned %v, which is neither an InputError nor an InputCountError", err)
				}
			})
		}
	}
}

// The outputs have the shapes and layouts in the program.
func TestResults(t *testing.T) {
	c := testClient(t)
	for what, test := range map[string]struct {
		results, body string
		want          []string
	}{
		"none": {"", "return", []string{}},
		"one": {"tensor<2x3xf32>",
			"%c = stablehlo.constant dense<1.0> : tensor<2x3xf32>\nreturn %c : tensor<2x3xf32>", []string{"f32[2,3]"}},
		"several": {"tensor<i8>, tensor<0x4xi1>", "%c = stablehlo.constant dense<1> : tensor<i8>\n%d = stablehlo.constant dense<true> : tensor<0x4xi1>\nreturn %c, %d : tensor<i8>, tensor<0x4xi1>", []string{"s8[]", "pred[0,4]"}},
	} {
		for _, known := range []bool{true, false} {
			e := compile(t, c, mainFunc("", test.results, test.body), engine.CompileOptions{})
			if e.results == nil {
				t.Fatalf("%s: the program has no results", what)
			}
			if !known {
				e.results = nil // then the plugin is asked for each output
			}
			before := buffersAlive()
			out, err := e.Run(t.Context())
			check.NoError(t, err)
			got := []string{}
			for _, b := range out {
				asked, err := shapeOf(memoryOf(b).pjrt)
				check.Report(t, err)
				check.Diff(t, "what the plugin says", asked.String(), b.Shape().String())
				got = append(got, b.Shape().String())
				if _, err := b.ToHost(t.Context()); err != nil {
					t.Error(err)
				}
				b.Close()
			}
			check.Diff(t, what, test.want, got)
			check.Diff(t, "buffers alive", before, buffersAlive())
			check.Diff(t, "held", ClientStats{}, c.Stats())
		}
	}
}
