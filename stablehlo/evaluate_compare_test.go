package stablehlo

import (
	"fmt"
	"math"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/tensor"
)

// TestEvaluateTotalOrder sorts numbers with NaN and both zeros by totalOrder, on each library
// with an interpreter.
func TestEvaluateTotalOrder(t *testing.T) {
	nan := float32(math.NaN())
	minusNaN := math.Float32frombits(0xFFC00000)
	inf := float32(math.Inf(1))
	minusZero := float32(math.Copysign(0, -1))
	in := tensor.Vector(inf, nan, 0, minusNaN, 2, -inf, minusZero, -3)
	want := tensor.Vector(minusNaN, -inf, -3, minusZero, 0, 2, inf, nan)
	mlirtest.EachEngine(t, func(t *testing.T, e mlirtest.Engine) {
		if !e.Library.Has("stablehloEvalModule") {
			return
		}
		m := mlirtest.Parse(t, mlirtest.ContextOf(t, e.Library), `func.func @main(%a: tensor<8xf32>) -> tensor<8xf32> {
  %0 = "stablehlo.sort"(%a) <{dimension = 0 : i64}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %1 = stablehlo.compare LT, %x, %y, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}`)
		before := m.String()
		out := check.Must(Evaluate(m, in))
		check.Diff(t, "sorted", hexOf(want), hexOf(out[0]))
		check.Diff(t, "the module afterwards", before, m.String())
	})
}

// TestEvaluateTotalOrderTypes compares -1 and 1 in each floating-point type.
func TestEvaluateTotalOrderTypes(t *testing.T) {
	for _, element := range []string{"f16", "bf16", "f32", "f64", "f8E5M2", "f8E4M3FN"} {
		m := mlirtest.Parse(t, mlirtest.Context(t), fmt.Sprintf(`func.func @main() -> (tensor<i1>, tensor<i1>) {
  %%a = stablehlo.constant dense<-1.0> : tensor<%[1]s>
  %%b = stablehlo.constant dense<1.0> : tensor<%[1]s>
  %%0 = stablehlo.compare LT, %%a, %%b, TOTALORDER : (tensor<%[1]s>, tensor<%[1]s>) -> tensor<i1>
  %%1 = stablehlo.compare EQ, %%a, %%b, TOTALORDER : (tensor<%[1]s>, tensor<%[1]s>) -> tensor<i1>
  return %%0, %%1 : tensor<i1>, tensor<i1>
}`, element))
		out := check.Must(Evaluate(m))
		check.Diff(t, element+": -1 < 1", true, out[0].At(0).(bool))
		check.Diff(t, element+": -1 = 1", false, out[1].At(0).(bool))
	}
}

// TestEvaluateTotalOrderUnsigned compares numbers that have no sign.
func TestEvaluateTotalOrderUnsigned(t *testing.T) {
	m := mlirtest.Parse(t, mlirtest.Context(t), `func.func @main() -> tensor<2xi1> {
  %a = stablehlo.constant dense<[0x00, 0x87]> : tensor<2xf8E8M0FNU>
  %b = stablehlo.constant dense<[0x87, 0xFF]> : tensor<2xf8E8M0FNU>
  %0 = stablehlo.compare LT, %a, %b, TOTALORDER : (tensor<2xf8E8M0FNU>, tensor<2xf8E8M0FNU>) -> tensor<2xi1>
  return %0 : tensor<2xi1>
}`)
	out := check.Must(Evaluate(m))
	check.Diff(t, "2^-127 < 2^8, 2^8 < NaN", tensor.Vector(true, true), out[0])
}

// TestEvaluateComplexOrder orders complex numbers, on which the interpreter aborts.
func TestEvaluateComplexOrder(t *testing.T) {
	for direction, refused := range map[string]bool{"EQ": false, "NE": false, "GT": true, "LE": true} {
		m := mlirtest.Parse(t, mlirtest.Context(t), `func.func @main(%a: tensor<complex<f32>>) -> tensor<i1> {
  %0 = stablehlo.compare `+direction+`, %a, %a : (tensor<complex<f32>>, tensor<complex<f32>>) -> tensor<i1>
  return %0 : tensor<i1>
}`)
		if _, err := Evaluate(m, tensor.Scalar[complex64](1)); refused {
			check.Error(t, err, "stablehlo.compare at test.mlir:2:", "complex")
		} else {
			check.NoError(t, err)
		}
	}
}

func hexOf(v tensor.View) (bits []string) {
	for i := range v.Shape.NumElements() {
		bits = append(bits, fmt.Sprintf("%#x", math.Float32bits(v.At(i).(float32))))
	}
	return bits
}
