package autodiff_test

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/calliope-mlir/calliope/autodiff"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/tensor"
)

// twoResults is (x²·y, Σ sin(x)·y).
const twoResults = `func.func @main(%x: tensor<3xf64>, %n: tensor<i32>, %y: tensor<3xf64>) -> (tensor<3xf64>, tensor<i32>, tensor<f64>) {
	%zero = stablehlo.constant dense<0.0> : tensor<f64>
	%0 = stablehlo.multiply %x, %x : tensor<3xf64>
	%1 = stablehlo.multiply %0, %y : tensor<3xf64>
	%2 = stablehlo.sine %x : tensor<3xf64>
	%3 = stablehlo.multiply %2, %y : tensor<3xf64>
	%4 = stablehlo.reduce(%3 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<3xf64>, tensor<f64>) -> tensor<f64>
	return %1, %n, %4 : tensor<3xf64>, tensor<i32>, tensor<f64>
}`

// diagonal returns a matrix.
func diagonal(list ...float64) []float64 {
	n := len(list)
	m := make([]float64, n*n)
	for i, v := range list {
		m[i*(n+1)] = v
	}
	return m
}

func TestJacobians(t *testing.T) {
	client := newClient(t)
	x, y := []float64{0.5, -1, 2}, []float64{3, 0.25, -2}
	ofX, ofY, sumX, sumY := make([]float64, 3), make([]float64, 3), make([]float64, 3), make([]float64, 3)
	for i := range x {
		ofX[i], ofY[i], sumX[i], sumY[i] = 2*x[i]*y[i], x[i]*x[i], math.Cos(x[i])*y[i], math.Sin(x[i])
	}
	arguments := []tensor.View{tensor.Vector(x...), tensor.Scalar(int32(7)), tensor.Vector(y...)}
	same := cmpopts.EquateApprox(1e-12, 1e-12)
	for name, derive := range map[string]func(mlir.Operation, autodiff.Options) (mlir.Operation, error){
		"JacFwd": autodiff.JacFwd, "JacRev": autodiff.JacRev,
	} {
		t.Run(name, func(t *testing.T) {
			m := parse(t, twoResults)
			f, err := derive(function(t, m, "main"), autodiff.Options{})
			check.NoError(t, err)
			var got [][]float64
			for _, v := range run(t, client, f, arguments...) {
				got = append(got, check.Must(tensor.Slice[float64](v)))
			}
			check.Diff(t, "Jacobian", [][]float64{diagonal(ofX...), diagonal(ofY...), sumX, sumY}, got, same)
			names := 0
			for op := range m.Body().Operations() {
				if op.Name() == "func.func" {
					names++
				}
			}
			check.Diff(t, "functions", 2, names)
		})
	}
	t.Run("Hessian", func(t *testing.T) {
		f, err := autodiff.Hessian(
			function(t, parse(t, `func.func @main(%x: tensor<3xf64>, %y: tensor<3xf64>) -> tensor<f64> {
			%zero = stablehlo.constant dense<0.0> : tensor<f64>
			%0 = stablehlo.multiply %x, %x : tensor<3xf64>
			%1 = stablehlo.multiply %0, %y : tensor<3xf64>
			%2 = stablehlo.reduce(%1 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<3xf64>, tensor<f64>) -> tensor<f64>
			return %2 : tensor<f64>
		}`), "main"), autodiff.Options{})
		check.NoError(t, err)
		var got [][]float64
		for _, v := range run(t, client, f, tensor.Vector(x...), tensor.Vector(y...)) {
			got = append(got, check.Must(tensor.Slice[float64](v)))
		}
		twice := func(v []float64) []float64 { return diagonal(2*v[0], 2*v[1], 2*v[2]) }
		check.Diff(t, "Hessian", [][]float64{twice(y), twice(x), twice(x), diagonal(0, 0, 0)}, got, same)
	})
}

func TestLinearize(t *testing.T) {
	client := newClient(t)
	forward, linear,
		err := autodiff.Linearize(function(t, parse(t, twoResults), "main"), autodiff.Options{Parameters: []int{2, 0}})
	check.NoError(t, err)
	x, y := []float64{0.5, -1, 2}, []float64{3, 0.25, -2}
	dx, dy := []float64{1, 2, 3}, []float64{-1, 0.5, 4}
	kept := run(t, client, forward, tensor.Vector(x...), tensor.Scalar(int32(7)), tensor.Vector(y...))[3:]
	got := run(t, client, linear, append(kept, tensor.Vector(dy...), tensor.Vector(dx...))...)
	want, sum := make([]float64, 3), 0.
	for i := range x {
		want[i] = 2*x[i]*y[i]*dx[i] + x[i]*x[i]*dy[i]
		sum += math.Cos(x[i])*y[i]*dx[i] + math.Sin(x[i])*dy[i]
	}
	same := cmpopts.EquateApprox(1e-12, 0)
	check.Diff(t, "tangent", want, check.Must(tensor.Slice[float64](got[0])), same)
	check.Diff(t, "tangent of the sum", []float64{sum}, check.Must(tensor.Slice[float64](got[1])), same)
}

func TestLinearTranspose(t *testing.T) {
	client := newClient(t)
	transposed, err := autodiff.LinearTranspose(
		function(t, parse(t, `func.func @main(%w: tensor<2x3xf64>, %x: tensor<3xf64>) -> tensor<2xf64> {
		%0 = stablehlo.dot_general %w, %x, contracting_dims = [1] x [0] : (tensor<2x3xf64>, tensor<3xf64>) -> tensor<2xf64>
		return %0 : tensor<2xf64>
	}`), "main"), autodiff.Options{Parameters: []int{1}})
	check.NoError(t, err)
	got := run(t, client, transposed, check.Must(tensor.FromSlice([]float64{1, 2, 3, 4, 5, 6}, 2, 3)),
		tensor.Vector(1., 10.))
	check.Diff(t, "transpose", []float64{41, 52, 63}, check.Must(tensor.Slice[float64](got[0])))

	for name, c := range map[string]struct{ body, wanted string }{
		"a product":    {`%0 = stablehlo.multiply %x, %x : tensor<3xf32>`, "stablehlo.multiply"},
		"a sine":       {`%0 = stablehlo.sine %x : tensor<3xf32>`, "stablehlo.sine"},
		"an offset":    {`%c = stablehlo.constant dense<1.0> : tensor<3xf32> %0 = stablehlo.add %x, %c : tensor<3xf32>`, "stablehlo.add"},
		"a comparison": {`%p = stablehlo.compare LT, %x, %x : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1> %0 = stablehlo.select %p, %x, %x : tensor<3xi1>, tensor<3xf32>`, "stablehlo.compare"},
		"a tap in a loop": {`%zero = stablehlo.constant dense<0> : tensor<i32>
			%l:2 = stablehlo.while(%i = %zero, %v = %x) : tensor<i32>, tensor<3xf32> cond {
				%three = stablehlo.constant dense<3> : tensor<i32>
				%c = stablehlo.compare LT, %i, %three, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
				stablehlo.return %c : tensor<i1>
			} do {
				%one = stablehlo.constant dense<1> : tensor<i32>
				%n = stablehlo.add %i, %one : tensor<i32>
				stablehlo.custom_call @calliope_io_callback(%v) {api_version = 4 : i32, has_side_effect = true, backend_config = {callback = "log", form = "observe", v = 1 : i64}} : (tensor<3xf32>) -> ()
				stablehlo.return %n, %v : tensor<i32>, tensor<3xf32>
			}
			%0 = stablehlo.add %l#1, %l#1 : tensor<3xf32>`, "stablehlo.custom_call"},
		"keys of a sort": {`%k = stablehlo.iota dim = 0 : tensor<3xi32>
			%s:2 = "stablehlo.sort"(%k, %x) ({
			^bb0(%a: tensor<i32>, %b: tensor<i32>, %c: tensor<f32>, %d: tensor<f32>):
				%p = stablehlo.compare GT, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>
				stablehlo.return %p : tensor<i1>
			}) : (tensor<3xi32>, tensor<3xf32>) -> (tensor<3xi32>, tensor<3xf32>)
			%f = stablehlo.convert %s#0 : (tensor<3xi32>) -> tensor<3xf32>
			%0 = stablehlo.multiply %x, %f : tensor<3xf32>`, "because stablehlo.convert uses a result"},
	} {
		t.Run(name, func(t *testing.T) {
			m := parse(t, "func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {"+c.body+" return %0 : tensor<3xf32> }")
			before := m.String()
			_, err := autodiff.LinearTranspose(function(t, m, "main"), autodiff.Options{})
			check.Error(t, err, c.wanted, "not linear")
			check.Diff(t, "the module", before, m.String())
		})
	}
}

func TestJacobianErrors(t *testing.T) {
	m := parse(t, `func.func @main(%x: tensor<3xcomplex<f32>>) -> tensor<3xcomplex<f32>> { return %x : tensor<3xcomplex<f32>> }`)
	_, err := autodiff.JacFwd(function(t, m, "main"), autodiff.Options{})
	check.Error(t, err, "holomorphic")
	_, err = autodiff.JacRev(function(t, m, "main"), autodiff.Options{Holomorphic: true})
	check.NoError(t, err)
}
