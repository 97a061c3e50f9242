package autodiff_test

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/calliope-mlir/calliope/autodiff"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/tensor"
)

// deep returns a network of so many layers, x ← tanh(x·w), whose result is the sum of x².
func deep(layers int) string {
	var b strings.Builder
	b.WriteString("func.func @main(%x0: tensor<8x16xf32>")
	for i := range layers {
		fmt.Fprintf(&b, ", %%w%d: tensor<16x16xf32>", i)
	}
	b.WriteString(") -> tensor<f32> {\n")
	for i := range layers {
		fmt.Fprintf(&b, "%%y%[1]d = stablehlo.dot_general %%x%[1]d, %%w%[1]d, contracting_dims = [1] x [0] : (tensor<8x16xf32>, tensor<16x16xf32>) -> tensor<8x16xf32>\n", i)
		fmt.Fprintf(&b, "%%x%d = stablehlo.tanh %%y%d : tensor<8x16xf32>\n", i+1, i)
	}
	fmt.Fprintf(&b, `%%s = stablehlo.multiply %%x%[1]d, %%x%[1]d : tensor<8x16xf32>
		%%zero = stablehlo.constant dense<0.0> : tensor<f32>
		%%r = stablehlo.reduce(%%s init: %%zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x16xf32>, tensor<f32>) -> tensor<f32>
		return %%r : tensor<f32>
	}`, layers)
	return b.String()
}

// count returns how many operations of each kind a function has, without the constants.
func count(f mlir.Operation) map[string]int {
	counts := map[string]int{}
	for op := range f.All() {
		if _, name, _ := strings.Cut(op.Name(), "."); name != "constant" && name != "func" && name != "return" {
			counts[name]++
		}
	}
	return counts
}

// TestGradientOfDeepNetwork counts the operations of a gradient with respect to the weights: none for
// the input, which is not differentiated, none for the value, and no zeros. JAX's gradient has as many or more of each
// kind: see testdata/operations.py.
func TestGradientOfDeepNetwork(t *testing.T) {
	const layers = 20
	m := parse(t, deep(layers))
	var weights []int
	for i := range layers {
		weights = append(weights, i+1)
	}
	grad, err := autodiff.Grad(function(t, m, "main"), autodiff.Options{Parameters: weights})
	check.NoError(t, err)
	got := count(grad)
	check.Diff(t, "operations", map[string]int{
		"dot_general":      layers + layers + layers - 1, // forward, of the weights, of the inputs but the first
		"transpose":        layers,                       // the dimensions of a weight's product
		"tanh":             layers,
		"subtract":         layers, // 1 - y
		"multiply":         2*layers + 2,
		"add":              layers + 1,
		"broadcast_in_dim": 1,
	}, got)
	var jax map[string]int
	check.NoError(t, json.Unmarshal(check.Must(os.ReadFile("testdata/operations.json")), &jax))
	for kind, n := range got {
		if n > jax[kind] {
			t.Errorf("%d operations %s, and %d in JAX", n, kind, jax[kind])
		}
	}
}

// TestNames holds the names, the signatures and the locations of what is made.
func TestNames(t *testing.T) {
	check.NoRaces(t)
	m := parse(t,
		`func.func private @main(%x: tensor<3xf32> {my.attribute}, %n: tensor<i32>) -> (tensor<3xf32>, tensor<i32>) {
		%0 = stablehlo.sine %x : tensor<3xf32> loc("user.py":7:3)
		return %0, %n : tensor<3xf32>, tensor<i32>
	}`)
	f := function(t, m, "main")
	before := f.String()
	jvp, err := autodiff.JVP(f, autodiff.Options{})
	check.NoError(t, err)
	again, err := autodiff.JVP(f, autodiff.Options{})
	check.NoError(t, err)
	forward, backward, err := autodiff.VJP(f, autodiff.Options{Name: "pull"})
	check.NoError(t, err)
	var got []string
	for _, f := range []mlir.Operation{jvp, again, forward, backward} {
		name, _ := f.Symbol()
		a, _ := f.Attribute("function_type")
		got = append(got, "@"+name+" "+a.String())
	}
	check.Diff(t, "functions", []string{
		"@main.jvp (tensor<3xf32>, tensor<i32>, tensor<3xf32>) -> (tensor<3xf32>, tensor<i32>, tensor<3xf32>)",
		"@main.jvp_1 (tensor<3xf32>, tensor<i32>, tensor<3xf32>) -> (tensor<3xf32>, tensor<i32>, tensor<3xf32>)",
		"@pull.forward (tensor<3xf32>, tensor<i32>) -> (tensor<3xf32>, tensor<i32>, tensor<3xf32>)",
		"@pull.backward (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>",
	}, got)
	for _, f := range []mlir.Operation{jvp, backward} {
		for op := range f.All() {
			if op.Name() == "stablehlo.multiply" {
				check.Diff(t, "place", "user.py:7:3", op.Location().Position().String())
			}
		}
	}
	check.Diff(t, "the original", before, f.String())
}

// TestHigherOrders takes derivatives of derivatives of x⁴·sin(x), also in a loop.
func TestHigherOrders(t *testing.T) {
	client := newClient(t)
	m := parse(t, `func.func @main(%x: tensor<f64>) -> tensor<f64> {
		%start = stablehlo.constant dense<0> : tensor<i32>
		%one = stablehlo.constant dense<1> : tensor<i32>
		%limit = stablehlo.constant dense<4> : tensor<i32>
		%sin = stablehlo.sine %x : tensor<f64>
		%0:2 = stablehlo.while(%i = %start, %c = %sin) : tensor<i32>, tensor<f64>
		cond {
			%1 = stablehlo.compare LT, %i, %limit : (tensor<i32>, tensor<i32>) -> tensor<i1>
			stablehlo.return %1 : tensor<i1>
		} do {
			%1 = stablehlo.multiply %c, %x : tensor<f64>
			%2 = stablehlo.add %i, %one : tensor<i32>
			stablehlo.return %2, %1 : tensor<i32>, tensor<f64>
		}
		return %0#1 : tensor<f64>
	}`)
	x := 0.7
	want := []float64{math.Pow(x, 4) * math.Sin(x)}
	// The derivatives, as polynomials in front of sin and cos.
	sin, cos := []float64{0, 0, 0, 0, 1}, []float64{0, 0, 0, 0, 0}
	for range 3 {
		s, c := derivative(sin), derivative(cos)
		for i := range s {
			s[i], c[i] = s[i]-cos[i], c[i]+sin[i]
		}
		sin, cos = s, c
		want = append(want, at(sin, x)*math.Sin(x)+at(cos, x)*math.Cos(x))
	}
	value := func(f mlir.Operation, arguments ...float64) float64 {
		var views []tensor.View
		for _, a := range arguments {
			views = append(views, tensor.Scalar(a))
		}
		list := check.Must(tensor.Slice[float64](run(t, client, f, views...)[0]))
		return list[0]
	}
	f := function(t, m, "main")
	got := []float64{value(f, x)}
	for range 3 { // reverse over reverse over reverse
		var err error
		f, err = autodiff.Grad(f, autodiff.Options{})
		check.NoError(t, err)
		got = append(got, value(f, x))
	}
	check.Diff(t, "reverse", want, got, cmpopts.EquateApprox(1e-12, 0))
	grad, err := autodiff.Grad(function(t, m, "main"), autodiff.Options{Name: "g"})
	check.NoError(t, err)
	second, err := autodiff.JVP(grad, autodiff.Options{})
	check.NoError(t, err)
	results := run(t, client, second, tensor.Scalar(x), tensor.Scalar(1.0))
	check.Diff(t, "forward over reverse", want[2], check.Must(tensor.Slice[float64](results[1]))[0],
		cmpopts.EquateApprox(1e-12, 0))
	first, err := autodiff.JVP(function(t, m, "main"), autodiff.Options{Name: "j"})
	check.NoError(t, err)
	_, backward, err := autodiff.VJP(first, autodiff.Options{})
	check.NoError(t, err)
	if backward.IsNil() {
		t.Error("reverse over forward makes nothing")
	}
}

// derivative returns that of a polynomial, with as many coefficients.
func derivative(p []float64) []float64 {
	d := make([]float64, len(p))
	for i := 1; i < len(p); i++ {
		d[i-1] = float64(i) * p[i]
	}
	return d
}

func at(p []float64, x float64) (sum float64) {
	for i := len(p) - 1; i >= 0; i-- {
		sum = sum*x + p[i]
	}
	return sum
}

// TestTransposedCollectives holds what the transposes of collectives are that XLA's CPU compiler does not run.
func TestTransposedCollectives(t *testing.T) {
	for name, c := range map[string]struct {
		operation string
		want      map[string]int
	}{
		"collective_broadcast": {
			`"stablehlo.collective_broadcast"(%x) <{replica_groups = dense<[[1, 0], [2, 3]]> : tensor<2x2xi64>}>`,
			map[string]int{"all_reduce": 1, "replica_id": 1, "compare": 2, "or": 1, "select": 1, "add": 1},
		},
		"cross-replica-sum": {
			`"stablehlo.cross-replica-sum"(%x) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}>`,
			map[string]int{"cross-replica-sum": 1},
		},
	} {
		t.Run(name, func(t *testing.T) {
			m := parse(t, "func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {%0 = "+c.operation+
				" : (tensor<3xf32>) -> tensor<3xf32> return %0 : tensor<3xf32> }")
			_, backward, err := autodiff.VJP(function(t, m, "main"), autodiff.Options{})
			check.NoError(t, err)
			got := count(backward)
			for _, other := range []string{"constant", "return", "func"} {
				delete(got, other)
			}
			check.Diff(t, "operations", c.want, got)
		})
	}
}

func TestErrors(t *testing.T) {
	const sum = `%0 = stablehlo.add %x, %x : tensor<3xf32> return %0 : tensor<3xf32>`
	all := func(f mlir.Operation, o autodiff.Options) error {
		_, _, err := autodiff.VJP(f, o)
		return err
	}
	grad := func(f mlir.Operation, o autodiff.Options) error {
		_, err := autodiff.Grad(f, o)
		return err
	}
	vector := func(body string) string {
		return "func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {\n" + body + "\n}"
	}
	for name, c := range map[string]struct {
		text   string
		make   func(mlir.Operation, autodiff.Options) error
		o      autodiff.Options
		wanted []string
	}{
		"an all_reduce that multiplies": {
			vector(`%0 = "stablehlo.all_reduce"(%x) <{replica_groups = dense<0> : tensor<1x1xi64>}> ({
			^bb0(%a: tensor<f32>, %b: tensor<f32>):
				%1 = stablehlo.multiply %a, %b : tensor<f32>
				stablehlo.return %1 : tensor<f32>
			}) : (tensor<3xf32>) -> tensor<3xf32> loc("user.py":5:1)
			return %0 : tensor<3xf32>`), all, autodiff.Options{}, []string{"stablehlo.all_reduce at user.py:5:1", "adds", "gather"}},
		"quantized values": {`func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
			%0 = stablehlo.uniform_quantize %x : (tensor<2xf32>) -> tensor<2x!quant.uniform<i8:f32, 0.5>>
			%1 = stablehlo.uniform_dequantize %0 : (tensor<2x!quant.uniform<i8:f32, 0.5>>) -> tensor<2xf32>
			return %1 : tensor<2xf32>
		}`, all, autodiff.Options{}, []string{"stablehlo.uniform_quantize", "quantized values have no derivative"}},
		"zeta of its first operand": {vector(`%0 = chlo.zeta %x, %x : tensor<3xf32>, tensor<3xf32> -> tensor<3xf32> return %0 : tensor<3xf32>`),
			all, autodiff.Options{}, []string{"chlo.zeta", "first operand"}},
		"an einsum of one label too many": {`func.func @main(%x: tensor<2x2xf32>) -> tensor<2xf32> {
			%0 = "stablehlo.unary_einsum"(%x) {einsum_config = "abc->a"} : (tensor<2x2xf32>) -> tensor<2xf32>
			return %0 : tensor<2xf32>
		}`, all, autodiff.Options{}, []string{"stablehlo.unary_einsum", `the labels "abc" for 2 dimensions`}},
		"what the host computes": {vector(`%0 = stablehlo.custom_call @other(%x) {api_version = 4 : i32, backend_config = {}} : (tensor<3xf32>) -> tensor<3xf32> return %0 : tensor<3xf32>`),
			all, autodiff.Options{}, []string{"@other", "no derivative"}},
		"a loop without a number of steps": {
			vector(`%0:2 = stablehlo.while(%c = %x, %n = %x) : tensor<3xf32>, tensor<3xf32>
			cond {
				%zero = stablehlo.constant dense<0.0> : tensor<f32>
				%1 = stablehlo.reduce(%c init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<3xf32>, tensor<f32>) -> tensor<f32>
				%2 = stablehlo.compare LT, %1, %zero : (tensor<f32>, tensor<f32>) -> tensor<i1>
				stablehlo.return %2 : tensor<i1>
			} do {
				%1 = stablehlo.add %c, %n : tensor<3xf32>
				stablehlo.return %1, %n : tensor<3xf32>, tensor<3xf32>
			}
			return %0#0 : tensor<3xf32>`), all, autodiff.Options{}, []string{"stablehlo.while", "constant number of steps", "forward derivative"}},
		"dynamic shapes": {`func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> { %0 = stablehlo.sine %x : tensor<?xf32> return %0 : tensor<?xf32> }`,
			all, autodiff.Options{}, []string{"dynamic", "stablehlo.Refine"}},
		"the gradient of an array": {vector(sum), grad, autodiff.Options{},
			[]string{"tensor<3xf32>", "real scalar", "VJP"}},
		"the gradient of two": {`func.func @main(%x: tensor<f32>) -> (tensor<f32>, tensor<f32>) { return %x, %x : tensor<f32>, tensor<f32> }`, grad, autodiff.Options{}, []string{"Options.Aux"}},
		"a parameter that is not": {vector(sum), all, autodiff.Options{Parameters: []int{1}},
			[]string{"no parameter 1"}},
		"a parameter twice": {vector(sum), all, autodiff.Options{Parameters: []int{0, 0}},
			[]string{"parameter 0 twice"}},
		"a runtime token": {`func.func @main(%x: tensor<f32>, %k: tensor<0xi1> {calliope.effect = "log"}) -> (tensor<f32>, tensor<0xi1> {calliope.effect = "log"}) {
			return %x, %k : tensor<f32>, tensor<0xi1> }`, all,
			autodiff.Options{}, []string{`effect "log"`, "before passes.AddRuntimeTokens"}},
		"a parameter of integers": {`func.func @main(%x: tensor<i32>) -> tensor<i32> { return %x : tensor<i32> }`, all,
			autodiff.Options{Parameters: []int{0}}, []string{"tensor<i32>", "no derivative"}},
		"no parameter": {`func.func @main(%x: tensor<i32>) -> tensor<i32> { return %x : tensor<i32> }`, all,
			autodiff.Options{}, []string{"no parameter"}},
		"a declaration": {`func.func private @main(%x: tensor<f32>) -> tensor<f32>`, all, autodiff.Options{},
			[]string{"one block"}},
		"a call of a declaration": {`func.func private @g(tensor<f32>) -> tensor<f32> func.func @main(%x: tensor<f32>) -> tensor<f32> { %0 = call @g(%x) : (tensor<f32>) -> tensor<f32> return %0 : tensor<f32> }`, all, autodiff.Options{}, []string{"@g"}},
		"a function of itself":    {`func.func @main(%x: tensor<f32>) -> tensor<f32> { %0 = call @main(%x) : (tensor<f32>) -> tensor<f32> return %0 : tensor<f32> }`, all, autodiff.Options{}, []string{"calls itself"}},
		"a scatter that multiplies": {vector(`%i = stablehlo.constant dense<[[0], [0]]> : tensor<2x1xi32>
			%u = stablehlo.slice %x [0:2] : (tensor<3xf32>) -> tensor<2xf32>
			%0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
			^bb0(%a: tensor<f32>, %b: tensor<f32>):
				%1 = stablehlo.multiply %a, %b : tensor<f32>
				stablehlo.return %1 : tensor<f32>
			}) : (tensor<3xf32>, tensor<2x1xi32>, tensor<2xf32>) -> tensor<3xf32>
			return %0 : tensor<3xf32>`), all, autodiff.Options{}, []string{"unique_indices"}},
	} {
		t.Run(name, func(t *testing.T) {
			m := parse(t, c.text)
			before := m.String()
			check.Error(t, c.make(function(t, m, "main"), c.o), c.wanted...)
			check.Diff(t, "the module", before, m.String())
		})
	}
}
