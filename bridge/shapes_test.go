package bridge

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/tensor"
)

func isInputError(err error) bool {
	_, input := errors.AsType[*engine.InputError](err)
	_, count := errors.AsType[*engine.InputCountError](err)
	return input || count
}

func TestShapes(t *testing.T) {
	c := testClient(t)
	for name, test := range map[string]struct {
		module    string
		options   engine.CompileOptions
		ins, outs []tensor.Shape
	}{
		"nothing": {module: mainFunc("", "", "return"), ins: []tensor.Shape{}, outs: []tensor.Shape{}},
		"one result": {
			module: mainFunc("%x: tensor<i1>", "tensor<i1>", "return %x : tensor<i1>"),
			ins:    []tensor.Shape{tensor.ShapeOf(tensor.Pred)}, outs: []tensor.Shape{tensor.ShapeOf(tensor.Pred)},
		},
		"unused parameter": {
			module: mainFunc("%x: tensor<2x3xf32>, %n: tensor<0xui8>", "tensor<2x3xf32>, tensor<2x3xf32>",
				"%y = stablehlo.negate %x : tensor<2x3xf32>\nreturn %x, %y : tensor<2x3xf32>, tensor<2x3xf32>"),
			ins:  []tensor.Shape{tensor.ShapeOf(tensor.F32, 2, 3), tensor.ShapeOf(tensor.U8, 0)},
			outs: []tensor.Shape{tensor.ShapeOf(tensor.F32, 2, 3), tensor.ShapeOf(tensor.F32, 2, 3)},
		},
		"sub-byte": {
			module: mainFunc("%x: tensor<5xi4>", "tensor<5xi4>",
				"%y = stablehlo.add %x, %x : tensor<5xi4>\nreturn %y : tensor<5xi4>"),
			ins: []tensor.Shape{tensor.ShapeOf(tensor.S4, 5)}, outs: []tensor.Shape{tensor.ShapeOf(tensor.S4, 5)},
		},
		"replicas": {
			module:  mainFunc("%x: tensor<4xf32>", "tensor<4xf32>", "return %x : tensor<4xf32>"),
			options: engine.CompileOptions{Replicas: 2},
			ins:     []tensor.Shape{tensor.ShapeOf(tensor.F32, 4)}, outs: []tensor.Shape{tensor.ShapeOf(tensor.F32, 4)},
		},
		"partitions": {
			module: `module {
 sdy.mesh @mesh = <["x"=2]>
 func.func @main(%x: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
  %y = stablehlo.add %x, %x : tensor<8x4xf32>
  return %y : tensor<8x4xf32>
 }
}`, options: engine.CompileOptions{Partitions: 2},
			ins:  []tensor.Shape{tensor.ShapeOf(tensor.F32, 4, 4)},
			outs: []tensor.Shape{tensor.ShapeOf(tensor.F32, 4, 4)},
		},
	} {
		t.Run(name, func(t *testing.T) {
			e := compile(t, c, test.module, test.options)
			for range 2 {
				ins, outs := e.Inputs(), e.Outputs()
				if diff := cmp.Diff(test.ins, ins, cmpopts.EquateEmpty()); diff != "" || ins == nil {
					t.Errorf("inputs (-want +got):\n%s", diff)
				}
				if diff := cmp.Diff(test.outs, outs, cmpopts.EquateEmpty()); diff != "" || outs == nil {
					t.Errorf("outputs (-want +got):\n%s", diff)
				}
				for _, s := range append(ins, outs...) { // which changes nothing
					clear(s.Dims)
				}
			}
			e.known, e.results = false, nil
			if e.Inputs() != nil || e.Outputs() != nil {
				t.Errorf("of an unreadable program: %v, %v", e.Inputs(), e.Outputs())
			}
		})
	}
}

func TestInputError(t *testing.T) {
	c := testClient(t)
	e := compile(t, c, mainFunc("%x: tensor<2xf32>, %n: tensor<i32>", "tensor<2xf32>", "return %x : tensor<2xf32>"),
		engine.CompileOptions{Replicas: 2})
	right, scalar := tensor.Vector[float32](1, 2), tensor.Scalar(int32(1))

	_, err := e.Run(t.Context(), right, scalar, tensor.Vector[float32](1, 2, 3), scalar)
	shape, ok := errors.AsType[*engine.InputError](err)
	if !ok {
		t.Fatalf("got %v, want an InputError", err)
	}
	check.Diff(t, "error", &engine.InputError{Index: 2, Want: tensor.ShapeOf(tensor.F32, 2),
		Got: tensor.ShapeOf(tensor.F32, 3), Devices: 2}, shape)
	clear(shape.Want.Dims)
	check.Diff(t, "inputs", []tensor.Shape{tensor.ShapeOf(tensor.F32, 2), tensor.ShapeOf(tensor.S32)}, e.Inputs(),
		cmpopts.EquateEmpty())

	for _, test := range []struct {
		inputs []engine.Input
		known  bool
		want   *engine.InputCountError
		text   string
	}{
		{[]engine.Input{right, right}, true, &engine.InputCountError{Want: 2, Got: 2, Devices: 2},
			"run: the module has 2 parameters, but 1 inputs are given on each device"},
		{[]engine.Input{right, scalar, right}, true, &engine.InputCountError{Want: 2, Got: 3, Devices: 2}, "run: 3 inputs cannot be divided among 2 devices; give all parameters for each device"},
		{[]engine.Input{right}, false, &engine.InputCountError{Want: -1, Got: 1, Devices: 2}, "run: 1 inputs cannot be divided among 2 devices; give all parameters for each device"},
	} {
		e.known = test.known
		_, err := e.Run(t.Context(), test.inputs...)
		count, _ := errors.AsType[*engine.InputCountError](err)
		check.Diff(t, test.text, test.want, count)
		check.Diff(t, "text", test.text, err.Error())
	}
}
