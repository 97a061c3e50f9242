package autodiff_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/calliope-mlir/calliope/autodiff"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/tensor"
)

// checkpointed is the sum of two checkpoints of tanh(w·tanh(x)), one after the other.
func checkpointed(policy string) string {
	return fmt.Sprintf(`func.func private @layer(%%w: tensor<3x3xf64>, %%x: tensor<3xf64>) -> tensor<3xf64> {
		%%0 = stablehlo.tanh %%x : tensor<3xf64>
		%%1 = stablehlo.dot_general %%w, %%0, contracting_dims = [1] x [0] : (tensor<3x3xf64>, tensor<3xf64>) -> tensor<3xf64>
		%%2 = stablehlo.exponential %%1 {calliope.checkpoint_name = "e"} : tensor<3xf64>
		%%3 = stablehlo.sine %%2 : tensor<3xf64>
		return %%3 : tensor<3xf64>
	}
	func.func @main(%%w: tensor<3x3xf64>, %%x: tensor<3xf64>) -> tensor<f64> {
		%%zero = stablehlo.constant dense<0.0> : tensor<f64>
		%%0 = stablehlo.composite "calliope.checkpoint" %%w, %%x {decomposition = @layer, composite_attributes = {policy = %[1]q}} : (tensor<3x3xf64>, tensor<3xf64>) -> tensor<3xf64>
		%%1 = call @layer(%%w, %%0) {calliope.checkpoint = %[1]q} : (tensor<3x3xf64>, tensor<3xf64>) -> tensor<3xf64>
		%%2 = stablehlo.reduce(%%1 init: %%zero) applies stablehlo.add across dimensions = [0] : (tensor<3xf64>, tensor<f64>) -> tensor<f64>
		return %%2 : tensor<f64>
	}`, policy)
}

// TestCheckpoint holds what each policy keeps and computes again, and that it does not change the gradient.
func TestCheckpoint(t *testing.T) {
	client := newClient(t)
	arguments := []tensor.View{wave(3, 3), wave(3)}
	var want [][]float64
	for _, c := range []struct {
		policy                             string
		residuals, tanh, exponential, dots int // the operations of the gradient, which does not return the sum
	}{
		{"everything_saveable", 5, 2, 2, 2 + 4},
		{"nothing_saveable", 3, 3, 3, 2 + 1 + 4},
		{"dots_saveable", 5, 4, 3, 2 + 4},
		{"dots_with_no_batch_dims_saveable", 5, 4, 3, 2 + 4},
		{string(autodiff.SaveOnlyTheseNames("f", "e")), 5, 4, 2, 2 + 4},
		{string(autodiff.SaveOnlyTheseNames("f")), 3, 3, 3, 2 + 1 + 4},
		{string(autodiff.SaveAnyNamesButThese("f")), 5, 4, 2, 2 + 4},
		{string(autodiff.SaveAnyNamesButThese("e")), 3, 3, 3, 2 + 1 + 4},
		{string(autodiff.SaveAnythingExceptTheseNames("f")), 5, 2, 2, 2 + 4},
		{string(autodiff.SaveAnythingExceptTheseNames("e")), 5, 2, 3, 2 + 4},
	} {
		t.Run(c.policy, func(t *testing.T) {
			m := parse(t, checkpointed(c.policy))
			f := function(t, m, "main")
			grad, err := autodiff.Grad(f, autodiff.Options{})
			check.NoError(t, err)
			forward, backward, err := autodiff.VJP(f, autodiff.Options{})
			check.NoError(t, err)
			n := count(grad)
			check.Diff(t, "operations", []int{c.tanh, c.exponential, c.dots},
				[]int{n["tanh"], n["exponential"], n["dot_general"]})
			check.Diff(t, "residuals", c.residuals, backward.Region(0).First().NumArguments()-1)
			if text := m.String(); strings.Contains(text, "recomputed") {
				t.Errorf("marks are left:\n%s", text)
			}
			var got [][]float64
			for _, v := range run(t, client, grad, arguments...) {
				got = append(got, check.Must(tensor.Slice[float64](v)))
			}
			kept := run(t, client, forward, arguments...)[1:]
			for _, v := range run(t, client, backward, append(kept, tensor.Scalar(1.))...) {
				got = append(got, check.Must(tensor.Slice[float64](v)))
			}
			if want == nil {
				want = got
			}
			check.Diff(t, "gradients", want, got, cmpopts.EquateApprox(1e-12, 0))
		})
	}
	_, err := autodiff.Grad(function(t, parse(t, checkpointed("all")), "main"), autodiff.Options{})
	check.Error(t, err, `no policy "all"`)
}

// TestCheckpointedCallbacks holds that a checkpoint does not call the host a second time.
func TestCheckpointedCallbacks(t *testing.T) {
	m := parse(t, strings.Replace(withCallbacks, "@main", "private @seen", 1)+`
	func.func @main(%x: tensor<3xf32>) -> tensor<f32> {
		%0 = call @seen(%x) {calliope.checkpoint = "nothing_saveable"} : (tensor<3xf32>) -> tensor<f32>
		return %0 : tensor<f32>
	}`)
	grad, err := autodiff.Grad(function(t, m, "main"), autodiff.Options{})
	check.NoError(t, err)
	check.Diff(t, "calls", 3, count(grad)["custom_call"]) // the last one is that of the cotangents
}

// step multiplies and sees the sine of a sum that grows until it is at least a limit.
const unknownSteps = `func.func @main(%x: tensor<f64>, %y: tensor<f64>) -> (tensor<f64>, tensor<f64>) {
	%limit = stablehlo.constant dense<3.0> : tensor<f64>
	%one = stablehlo.constant dense<1.0> : tensor<f64>
	%0:2 = stablehlo.while(%s = %x, %p = %y) : tensor<f64>, tensor<f64>
	cond {
		%1 = stablehlo.compare LT, %s, %limit : (tensor<f64>, tensor<f64>) -> tensor<i1>
		stablehlo.return %1 : tensor<i1>
	} do {
		%1 = stablehlo.sine %p : tensor<f64>
		%2 = stablehlo.multiply %1, %x : tensor<f64>
		%3 = stablehlo.add %2, %y : tensor<f64>
		%4 = stablehlo.multiply %s, %x : tensor<f64>
		%5 = stablehlo.add %4, %one : tensor<f64>
		stablehlo.return %5, %3 : tensor<f64>, tensor<f64>
	}
	return %0#0, %0#1 : tensor<f64>, tensor<f64>
}`

// TestBoundedLoop differentiates a loop of 4 steps whose number is not known, in reverse.
func TestBoundedLoop(t *testing.T) {
	client := newClient(t)
	arguments := []tensor.View{tensor.Scalar(0.83), tensor.Scalar(0.6)}
	evaluate := func(f mlir.Operation, arguments ...tensor.View) ([]tensor.View, error) {
		return run(t, client, f, arguments...), nil
	}
	for _, n := range []int64{4, 9} {
		f := function(t, parse(t, unknownSteps), "main")
		check.NoError(t, autodiff.Check(f, autodiff.Options{MaxSteps: n}, evaluate, arguments...))
	}
	marked := strings.Replace(unknownSteps, "tensor<f64>, tensor<f64>\n\tcond",
		"tensor<f64>, tensor<f64> attributes {calliope.max_steps = 5 : i64}\n\tcond", 1)
	check.NoError(t, autodiff.Check(function(t, parse(t, marked), "main"), autodiff.Options{}, evaluate, arguments...))

	forward, backward, err := autodiff.VJP(function(t, parse(t, unknownSteps), "main"), autodiff.Options{MaxSteps: 3})
	check.NoError(t, err)
	kept := run(t, client, forward, arguments...)[2:]
	for _, v := range run(t, client, backward, append(kept, tensor.Scalar(1.), tensor.Scalar(1.))...) {
		if x := check.Must(tensor.Slice[float64](v))[0]; !math.IsNaN(x) {
			t.Errorf("the derivative after more steps is %g", x)
		}
	}
}

// TestSqrtLoops holds that the derivative of a loop of 18 steps stores 4 and 5 values, not 18.
func TestSqrtLoops(t *testing.T) {
	client := newClient(t)
	m := parse(t, strings.Replace(loop("LT", 0, 18, 1), "multiply %3, %2", "multiply %3, %x", 1))
	f := function(t, m, "main")
	o := autodiff.Options{SqrtLoops: true}
	check.NoError(t, autodiff.Check(f, o, func(f mlir.Operation, arguments ...tensor.View) ([]tensor.View, error) {
		return run(t, client, f, arguments...), nil
	}, wave(3)))
	forward, _, err := autodiff.VJP(f, o)
	check.NoError(t, err)
	for op := range forward.All() {
		for _, v := range op.Results() {
			if dims, _ := v.Type().Dims(); len(dims) > 0 && dims[0] > 5 {
				t.Errorf("%s stores %s", op.Name(), v.Type())
			}
		}
	}
}

// TestSqrtLoopsStoresWhatChanges holds that what a loop carries without a change is not stored for each outer step.
func TestSqrtLoopsStoresWhatChanges(t *testing.T) {
	const text = `func.func @main(%w: tensor<8x8xf32>, %x: tensor<8xf32>) -> tensor<f32> {
	%zero = stablehlo.constant dense<0> : tensor<i32>
	%one = stablehlo.constant dense<1> : tensor<i32>
	%n = stablehlo.constant dense<11> : tensor<i32>
	%none = stablehlo.constant dense<0.0> : tensor<f32>
	%r:3 = stablehlo.while(%i = %zero, %weights = %w, %v = %x) : tensor<i32>, tensor<8x8xf32>, tensor<8xf32>
	cond {
		%c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
		stablehlo.return %c : tensor<i1>
	} do {
		%p = stablehlo.dot_general %weights, %v, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8xf32>) -> tensor<8xf32>
		%next = stablehlo.tanh %p : tensor<8xf32>
		%j = stablehlo.add %i, %one : tensor<i32>
		stablehlo.return %j, %weights, %next : tensor<i32>, tensor<8x8xf32>, tensor<8xf32>
	}
	%s = stablehlo.reduce(%r#2 init: %none) applies stablehlo.add across dimensions = [0] : (tensor<8xf32>, tensor<f32>) -> tensor<f32>
	return %s : tensor<f32>
}`
	client := newClient(t)
	w, x := make([]float32, 64), make([]float32, 8)
	for i := range w {
		w[i] = float32(i%5-2) / 4
	}
	for i := range x {
		x[i] = float32(i) / 8
	}
	arguments := []tensor.View{check.Must(tensor.FromSlice(w, 8, 8)), tensor.Vector(x...)}
	var gradients [2][]tensor.View
	for i, sqrt := range []bool{false, true} {
		f := function(t, parse(t, text), "main")
		gradient, err := autodiff.Grad(f, autodiff.Options{SqrtLoops: sqrt})
		check.NoError(t, err)
		check.Diff(t, "weights are stored", false, strings.Contains(gradient.String(), "x8x8xf32"))
		gradients[i] = run(t, client, gradient, arguments...)
	}
	marked := strings.Replace(text, "tensor<8x8xf32>, tensor<8xf32>\n\tcond",
		"tensor<8x8xf32>, tensor<8xf32>\n\tattributes {calliope.sqrt_steps}\n\tcond", 1)
	byOption, err := autodiff.Grad(function(t, parse(t, text), "main"), autodiff.Options{SqrtLoops: true})
	check.NoError(t, err)
	byAttribute, err := autodiff.Grad(function(t, parse(t, marked), "main"), autodiff.Options{})
	check.NoError(t, err)
	check.Diff(t, "by the attribute", byOption.String(), byAttribute.String())
	for i, plain := range gradients[0] {
		check.Diff(t, "gradient", check.Must(tensor.Slice[float32](plain)),
			check.Must(tensor.Slice[float32](gradients[1][i])), cmpopts.EquateApprox(1e-5, 1e-6))
	}
}
