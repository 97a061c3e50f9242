package autodiff_test

import (
	"fmt"
	"testing"

	"github.com/calliope-mlir/calliope/autodiff"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/passes"
	"github.com/calliope-mlir/calliope/vmap"
)

// withRule is a module with a composite that has attributes, and with functions that are its rules.
func withRule(name, attributes string) string {
	return fmt.Sprintf(`func.func private @f(%%x: tensor<f32>) -> tensor<f32> {
		%%0 = stablehlo.sine %%x : tensor<f32>
		return %%0 : tensor<f32>
	}
	func.func private @jvp(%%x: tensor<f32>, %%dx: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
		%%0 = call @f(%%x) : (tensor<f32>) -> tensor<f32>
		return %%0, %%dx : tensor<f32>, tensor<f32>
	}
	func.func private @forward(%%x: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
		%%0 = call @f(%%x) : (tensor<f32>) -> tensor<f32>
		return %%0, %%x : tensor<f32>, tensor<f32>
	}
	func.func private @backward(%%x: tensor<f32>, %%dy: tensor<f32>) -> tensor<f32> {
		%%0 = stablehlo.multiply %%x, %%dy : tensor<f32>
		return %%0 : tensor<f32>
	}
	func.func private @pair(%%x: tensor<f32>) -> (tensor<2xf32>, tensor<f32>) {
		%%0 = stablehlo.broadcast_in_dim %%x, dims = [] : (tensor<f32>) -> tensor<2xf32>
		return %%0, %%x : tensor<2xf32>, tensor<f32>
	}
	func.func @main(%%x: tensor<f32>) -> tensor<f32> {
		%%0 = stablehlo.composite %q %%x {decomposition = @f%s} : (tensor<f32>) -> tensor<f32>
		return %%0 : tensor<f32>
	}`, name, attributes)
}

// TestCustomRules differentiates composites with rules, and batches them, also such whose rules are wrong: an error
// says so.
func TestCustomRules(t *testing.T) {
	for name, c := range map[string]struct {
		composite, attributes string
		want                  string // of the error, "" for none
	}{
		"jvp": {autodiff.CustomJVP, `arguments = 1 : i64, jvp = @jvp`, ""},
		"vjp, by strings": {autodiff.CustomVJP, `arguments = 1 : i64, forward = "forward", backward = "backward"`,
			""},
		"stop":          {autodiff.StopGradient, ``, ""},
		"no attributes": {autodiff.CustomJVP, ``, "its attribute arguments is not the number of its operands"},
		"too many": {autodiff.CustomJVP, `arguments = 2 : i64, jvp = @jvp`,
			"its attribute arguments is not the number of its operands"},
		"no rule": {autodiff.CustomJVP, `arguments = 1 : i64`,
			"the function @ of its rule is not in the module"},
		"no function": {autodiff.CustomJVP, `arguments = 1 : i64, jvp = "other"`,
			"the function @other of its rule is not in the module"},
		"not a name": {autodiff.CustomJVP, `arguments = 1 : i64, jvp = 3 : i64`,
			"the function @ of its rule is not in the module"},
		"other operands": {autodiff.CustomJVP, `arguments = 1 : i64, jvp = @f`, "the function @f of its rule takes"},
		"too few results": {autodiff.CustomJVP, `arguments = 1 : i64, jvp = @backward`,
			"its rule jvp returns [tensor<f32>]"},
		"other results": {autodiff.CustomVJP, `arguments = 1 : i64, forward = @pair, backward = @backward`,
			"its rule forward returns"},
		"another backward": {autodiff.CustomVJP, `arguments = 1 : i64, forward = @forward, backward = @pair`,
			"the function @pair of its rule takes"},
		"no backward": {autodiff.CustomVJP, `arguments = 1 : i64, forward = @forward`,
			"its attribute backward names no function"},
		"another cotangent": {autodiff.CustomVJP, `arguments = 1 : i64, forward = @forward, backward = @jvp`,
			"not cotangents of"},
	} {
		t.Run(name, func(t *testing.T) {
			attributes := c.attributes
			if attributes != "" {
				attributes = ", composite_attributes = {" + attributes + "}"
			}
			m := parse(t, withRule(c.composite, attributes))
			_, err := autodiff.Grad(function(t, m, "main"), autodiff.Options{})
			if c.want == "" {
				check.NoError(t, err)
				batched, err := vmap.Batch(function(t, m, "main"), vmap.Options{Size: 3})
				check.NoError(t, err)
				_, _, err = autodiff.VJP(batched, autodiff.Options{})
				check.NoError(t, err)
			} else {
				check.Error(t, err, c.want)
				_, _ = vmap.Batch(function(t, m, "main"), vmap.Options{Size: 3})
			}
			check.NoError(t, m.Verify())
			n, err := passes.InlineRules(m)
			check.NoError(t, err)
			if n == 0 {
				t.Error("nothing was inlined")
			}
		})
	}
}

// TestOfItself holds that a function that contains itself is an error with the call.
func TestOfItself(t *testing.T) {
	m := parse(t, `func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
		%0 = stablehlo.composite "my.own" %x {decomposition = @again} : (tensor<2xf32>) -> tensor<2xf32>
		return %0 : tensor<2xf32>
	}
	func.func @again(%x: tensor<2xf32>) -> tensor<2xf32> {
		%0 = stablehlo.composite "my.own" %x {decomposition = @main} : (tensor<2xf32>) -> tensor<2xf32>
		%1 = func.call @main(%0) : (tensor<2xf32>) -> tensor<2xf32>
		return %1 : tensor<2xf32>
	}`)
	_, err := autodiff.JVP(function(t, m, "main"), autodiff.Options{})
	check.Error(t, err, "stablehlo.composite at ", "the function @again calls itself")
}
