package autodiff_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/calliope-mlir/calliope/autodiff"
	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/tensor"
)

// register registers a function for a test.
func register(t *testing.T, name string, f func(call *callbacks.Frame) error) {
	t.Helper()
	check.NoError(t, callbacks.Default.Register(name, f, callbacks.Options{}))
	t.Cleanup(func() { check.NoError(t, callbacks.Default.Unregister(name)) })
}

// cubes is a call of the host that computes x³, with keys of derivatives.
func cubes(keys, functions string) string {
	return fmt.Sprintf(`%s
	func.func @main(%%x: tensor<2xf64>) -> tensor<f64> {
		%%zero = stablehlo.constant dense<0.0> : tensor<f64>
		%%s = stablehlo.sine %%x : tensor<2xf64>
		%%0 = stablehlo.custom_call @calliope_runtime_call(%%s) {
			api_version = 4 : i32, backend_config = {callback = "autodiff.cube", form = "pure", %s, v = 3 : i64}
		} : (tensor<2xf64>) -> tensor<2xf64>
		%%1 = stablehlo.reduce(%%0 init: %%zero) applies stablehlo.add across dimensions = [0] : (tensor<2xf64>, tensor<f64>) -> tensor<f64>
		return %%1 : tensor<f64>
	}`, functions, keys)
}

// registerCubes registers x³ and its derivatives.
func registerCubes(t *testing.T) {
	elementwise := func(name string, f func(v []float64) []float64) {
		register(t, name, func(call *callbacks.Frame) error {
			for i := range call.Args[0].Shape.Dims[0] {
				var v []float64
				for _, a := range call.Args {
					v = append(v, check.Must(tensor.Slice[float64](a))[i])
				}
				for k, x := range f(v) {
					check.Must(tensor.Slice[float64](call.Results[k]))[i] = x
				}
			}
			return nil
		})
	}
	elementwise("autodiff.cube", func(v []float64) []float64 { return []float64{v[0] * v[0] * v[0]} })
	elementwise("autodiff.cube.jvp",
		func(v []float64) []float64 { return []float64{v[0] * v[0] * v[0], 3 * v[0] * v[0] * v[1]} })
	// of x, x³, g
	elementwise("autodiff.cube.vjp", func(v []float64) []float64 { return []float64{3 * v[0] * v[0] * v[2]} })
	elementwise("autodiff.triple", func(v []float64) []float64 { return []float64{3 * v[0]} })
	elementwise("autodiff.second", func(v []float64) []float64 { return []float64{3 * v[0] * v[0]} })
	elementwise("autodiff.second.vjp", func(v []float64) []float64 { return []float64{6 * v[0] * v[2]} })
}

// asFunction is a rule of the module that calls another callback, which has a rule itself.
const asFunction = `func.func private @rule(%x: tensor<2xf64>, %y: tensor<2xf64>, %g: tensor<2xf64>) -> tensor<2xf64> {
	%0 = stablehlo.custom_call @calliope_runtime_call(%x) {
		api_version = 4 : i32, backend_config = {callback = "autodiff.second", form = "pure", vjp = "autodiff.second.vjp", v = 3 : i64}
	} : (tensor<2xf64>) -> tensor<2xf64>
	%1 = stablehlo.multiply %0, %g : tensor<2xf64>
	return %1 : tensor<2xf64>
}`

func TestCallbackRules(t *testing.T) {
	registerCubes(t)
	client := newClient(t)
	x := []float64{0.4, 1.1}
	want, second := make([]float64, 2), make([]float64, 2)
	for i, x := range x {
		s, c := math.Sin(x), math.Cos(x)
		want[i], second[i] = 3*s*s*c, 6*s*c*c-3*s*s*s
	}
	same := cmpopts.EquateApprox(1e-12, 0)
	both := `jvp = "autodiff.cube.jvp", vjp = "autodiff.cube.vjp"`
	for name, text := range map[string]string{
		"callbacks": cubes(both, ""), "a function": cubes(`jvp = "autodiff.cube.jvp", vjp = "@rule"`, asFunction),
	} {
		t.Run(name, func(t *testing.T) {
			f := function(t, parse(t, text), "main")
			grad, err := autodiff.Grad(f, autodiff.Options{})
			check.NoError(t, err)
			check.Diff(t, "gradient", want,
				check.Must(tensor.Slice[float64](run(t, client, grad, tensor.Vector(x...))[0])), same)
			jvp, err := autodiff.JVP(f, autodiff.Options{})
			check.NoError(t, err)
			got := run(t, client, jvp, tensor.Vector(x...), tensor.Vector(1., 10.))
			check.Diff(t, "tangent", want[0]+10*want[1], check.Must(tensor.Slice[float64](got[1]))[0], same)
			_, backward, err := autodiff.VJP(grad, autodiff.Options{Name: "twice"})
			if name == "callbacks" {
				check.Error(t, err, "no derivative", "jvp")
				return
			}
			check.NoError(t, err)
			forward := function(t, parse(t, grad.Parent().String()), "twice.forward")
			kept := run(t, client, forward, tensor.Vector(x...))[1:]
			check.Diff(t, "second derivative", second, check.Must(
				tensor.Slice[float64](run(t, client, backward, append(kept, tensor.Vector(1., 1.))...)[0])), same)
		})
	}
	t.Run("linear", func(t *testing.T) {
		text := strings.Replace(cubes(`transpose = "autodiff.triple"`, ""), "autodiff.cube", "autodiff.triple", 1)
		check.NoError(t, autodiff.Check(function(t, parse(t, text), "main"), autodiff.Options{},
			func(f mlir.Operation, arguments ...tensor.View) ([]tensor.View, error) {
				return run(t, client, f, arguments...), nil
			}, tensor.Vector(x...)))
	})
	for name, c := range map[string]struct {
		text   string
		wanted []string
	}{
		"no rule": {cubes(`optional = false`, ""),
			[]string{"no derivative", "jvp, vjp or transpose"}},
		"only tangents":    {cubes(`jvp = "autodiff.cube.jvp"`, ""), []string{"along tangents only", "vjp"}},
		"no such function": {cubes(`vjp = "@other"`, ""), []string{"@other", "not in the module"}},
		"another signature": {cubes(`vjp = "@rule"`,
			strings.NewReplacer(", %g: tensor<2xf64>", "", "%0, %g", "%0, %x").Replace(asFunction)), []string{"@rule"}},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := autodiff.Grad(function(t, parse(t, c.text), "main"), autodiff.Options{})
			check.Error(t, err, c.wanted...)
		})
	}
	_, err := autodiff.JVP(function(t, parse(t, cubes(`vjp = "autodiff.cube.vjp"`, "")), "main"), autodiff.Options{})
	check.Error(t, err, "rule for cotangents only", "jvp")
}

// TestCallbackRulesLinearize has derivatives that are transposed twice, and calls that are linear themselves.
func TestCallbackRulesLinearize(t *testing.T) {
	registerCubes(t)
	client := newClient(t)
	x, dx := []float64{0.4, 1.1}, tensor.Vector(1., 10.)
	wanted := 0.0
	for i, x := range x {
		s, c := math.Sin(x), math.Cos(x)
		wanted += 3 * s * s * c * []float64{1, 10}[i]
	}
	linear := strings.Replace(cubes(`transpose = "autodiff.triple"`, ""), "autodiff.cube", "autodiff.triple", 1)
	for name, c := range map[string]struct {
		text string
		want float64
	}{
		"tangents":           {cubes(`jvp = "autodiff.cube.jvp"`, ""), wanted},
		"both":               {cubes(`jvp = "autodiff.cube.jvp", vjp = "autodiff.cube.vjp"`, ""), wanted},
		"tangents, function": {cubes(`jvp = "autodiff.cube.jvp", vjp = "@rule"`, asFunction), wanted},
		"function":           {cubes(`vjp = "@rule"`, asFunction), wanted},
		"linear":             {linear, 3*math.Cos(x[0]) + 30*math.Cos(x[1])},
	} {
		t.Run(name, func(t *testing.T) {
			forward, linear, err := autodiff.Linearize(function(t, parse(t, c.text), "main"), autodiff.Options{})
			check.NoError(t, err)
			if left := forward.Parent().String(); strings.Contains(left, "calliope.autodiff") {
				t.Error(left)
			}
			kept := run(t, client, forward, tensor.Vector(x...))[1:]
			check.Diff(t, "tangent", []float64{c.want}, check.Must(tensor.Slice[float64](
				run(t, client, linear, append(kept, dx)...)[0])), cmpopts.EquateApprox(1e-12, 0))
		})
	}
	_, _, err := autodiff.Linearize(function(t, parse(t, cubes(`vjp = "autodiff.cube.vjp"`, "")), "main"),
		autodiff.Options{})
	check.Error(t, err, "rule for cotangents only: Linearize needs one for tangents, the key jvp")

	const call = `func.func @main(%%x: tensor<2xf64>) -> tensor<2xf64> {
	%%0 = stablehlo.custom_call @calliope_runtime_call(%%x) {
		api_version = 4 : i32, backend_config = {callback = "autodiff.triple", form = "pure", %sv = 3 : i64}
	} : (tensor<2xf64>) -> tensor<2xf64>
	return %%0 : tensor<2xf64>
}`
	f := function(t, parse(t, fmt.Sprintf(call, `batch = "broadcast_all", transpose = "autodiff.triple", `)), "main")
	transpose, err := autodiff.LinearTranspose(f, autodiff.Options{})
	check.NoError(t, err)
	check.Diff(t, "transpose", []float64{3, 30}, check.Must(tensor.Slice[float64](run(t, client, transpose, dx)[0])))
	for _, key := range []string{`batch = "broadcast_all"`, `transpose = "autodiff.triple"`} {
		if !strings.Contains(transpose.String(), key) {
			t.Errorf("the call has lost %s:\n%s", key, transpose)
		}
	}
	grad, err := autodiff.Grad(function(t, parse(t, linear), "main"), autodiff.Options{})
	check.NoError(t, err)
	second, err := autodiff.JVP(grad, autodiff.Options{})
	check.NoError(t, err)
	got := check.Must(tensor.Slice[float64](run(t, client, second, tensor.Vector(x...), dx)[1]))
	check.Diff(t, "second derivative", []float64{-3 * math.Sin(x[0]), -30 * math.Sin(x[1])}, got,
		cmpopts.EquateApprox(1e-12, 0))
	keyed := cubes(`batch = "sequential", vjp = "autodiff.cube.vjp"`, "")
	grad, err = autodiff.Grad(function(t, parse(t, keyed), "main"), autodiff.Options{})
	check.NoError(t, err)
	if rule := `batch = "sequential", callback = "autodiff.cube.vjp"`; !strings.Contains(grad.String(), rule) {
		t.Errorf("the rule has lost the key batch:\n%s", grad)
	}
	_, err = autodiff.LinearTranspose(function(t, parse(t, fmt.Sprintf(call, "")), "main"), autodiff.Options{})
	check.Error(t, err, "have no transpose", "name the one that transposes it by the key transpose")
}
