package autodiff_test

import (
	"regexp"
	"testing"

	"github.com/calliope-mlir/calliope/autodiff"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/mlir"
)

// sharded is linear in its first parameter. Its parameters are divided, and have attributes that belong to them alone.
const sharded = `func.func @main(
	%x: tensor<4x2xf32> {jax.buffer_donor = true, mhlo.sharding = "x"}, %n: tensor<i32> {mhlo.sharding = "n"},
	%w: tensor<2xf32> {mhlo.sharding = "w"}, %plain: tensor<f32>
) -> (tensor<f32> {jax.result_info = "y", mhlo.sharding = "y"}, tensor<i32> {mhlo.sharding = "m"}) {
	%zero = stablehlo.constant dense<0.0> : tensor<f32>
	%0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<4x2xf32>, tensor<2xf32>) -> tensor<4xf32>
	%1 = stablehlo.reduce(%0 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
	%2 = stablehlo.multiply %1, %plain : tensor<f32>
	return %2, %n : tensor<f32>, tensor<i32>
}`

// TestShardings holds that a derivative is divided as what it belongs to.
func TestShardings(t *testing.T) {
	value := regexp.MustCompile(`"(\w)"`)
	shardings := func(f mlir.Operation, name string) (text string) {
		a, ok := f.Attribute(name)
		if !ok {
			return ""
		}
		list, _ := a.Elements()
		for _, e := range list {
			switch s := value.FindStringSubmatch(e.String()); {
			case s != nil:
				text += s[1]
			case e.String() == "{}":
				text += "-"
			default:
				t.Errorf("%s of a derivative has %s", name, e)
			}
		}
		return text
	}
	aux := autodiff.Options{Aux: true, Parameters: []int{2, 0}}
	for name, c := range map[string]struct {
		derive  func(f mlir.Operation) (mlir.Operation, error)
		in, out string
	}{
		"JVP":  {func(f mlir.Operation) (mlir.Operation, error) { return autodiff.JVP(f, aux) }, "xnw-wx", "ymy"},
		"Grad": {func(f mlir.Operation) (mlir.Operation, error) { return autodiff.Grad(f, aux) }, "xnw-", "wxm"},
		"ValueAndGrad": {
			func(f mlir.Operation) (mlir.Operation, error) { return autodiff.ValueAndGrad(f, aux) }, "xnw-", "ymwx",
		},
		"forward": {
			func(f mlir.Operation) (mlir.Operation, error) {
				forward, _, err := autodiff.VJP(f, aux)
				return forward, err
			}, "xnw-", "ym---",
		},
		"backward": {
			func(f mlir.Operation) (mlir.Operation, error) {
				_, backward, err := autodiff.VJP(f, aux)
				return backward, err
			}, "---y", "wx",
		},
		"LinearTranspose": {
			func(f mlir.Operation) (mlir.Operation, error) {
				return autodiff.LinearTranspose(f, autodiff.Options{Parameters: []int{0}})
			}, "nw-y", "x",
		},
	} {
		t.Run(name, func(t *testing.T) {
			made, err := c.derive(function(t, parse(t, sharded), "main"))
			check.NoError(t, err)
			check.Diff(t, "parameters", c.in, shardings(made, "arg_attrs"))
			check.Diff(t, "results", c.out, shardings(made, "res_attrs"))
		})
	}
}

// TestShardingCalls holds that a tangent and a cotangent of what GSPMD divides are divided as it is.
func TestShardingCalls(t *testing.T) {
	const module = `func.func @main(%x: tensor<4xf32>) -> tensor<f32> {
		%zero = stablehlo.constant dense<0.0> : tensor<f32>
		%0 = stablehlo.custom_call @Sharding(%x) {mhlo.sharding = "{devices=[2]<=[2]}"} : (tensor<4xf32>) -> tensor<4xf32>
		%1 = stablehlo.multiply %0, %0 : tensor<4xf32>
		%2 = stablehlo.reduce(%1 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
		return %2 : tensor<f32>
	}`
	divided := regexp.MustCompile(`%\w+ = stablehlo.custom_call @Sharding\(%\w+\) \{mhlo.sharding = "\{devices=\[2\]<=\[2\]\}"\}`)
	for name, derive := range map[string]func(mlir.Operation, autodiff.Options) (mlir.Operation, error){
		"JVP": autodiff.JVP, "Grad": autodiff.Grad,
	} {
		f, err := derive(function(t, parse(t, module), "main"), autodiff.Options{})
		check.NoError(t, err)
		check.Diff(t, name, 2, len(divided.FindAllString(f.String(), -1)))
	}
	f, err := autodiff.Grad(function(t, parse(t, module), "main"), autodiff.Options{})
	check.NoError(t, err)
	if last := f.Region(0).First().Terminator().Operand(0).Owner(); last.Name() != "stablehlo.custom_call" {
		t.Errorf("the gradient is the result of %s, not divided", last)
	}
}
