package lower_test

import (
	"math/cmplx"
	"math/rand/v2"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/tensor"
)

// TestComplexPower has powers of which f32 would lose digits. Each part is exact to the last digits of the whole.
func TestComplexPower(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	shape := tensor.ShapeOf(tensor.C64, 64)
	p := program{inputs: []tensor.View{randomView(shape, random), randomView(shape, random)},
		text: function("%x: tensor<64xcomplex<f32>>, %y: tensor<64xcomplex<f32>>", "tensor<64xcomplex<f32>>", `
			%r = stablehlo.power %x, %y : tensor<64xcomplex<f32>>
			return %r : tensor<64xcomplex<f32>>`)}
	got, in := p.run(t, mlirtest.Parse(t, mlirtest.Context(t), p.text))
	for i := range 64 {
		x, y, z := in[0].At(i).(complex64), in[1].At(i).(complex64), got[0].At(i).(complex64)
		want := cmplx.Pow(complex128(x), complex128(y))
		if off := cmplx.Abs(complex128(z) - want); off > 0x1p-23*cmplx.Abs(want) {
			t.Errorf("%v to the power of %v is %v, want %v", x, y, z, want)
		}
	}
}

// TestIntegerPower has exponents of more than six bits, and negative ones.
func TestIntegerPower(t *testing.T) {
	interpreted(t, []program{
		{name: "constant", text: function("%x: tensor<8xi32>", "tensor<8xi32>", `
			%n = stablehlo.constant dense<100> : tensor<8xi32>
			%r = stablehlo.power %x, %n : tensor<8xi32>
			return %r : tensor<8xi32>`)},
		{name: "variable", text: function("%x: tensor<64xi64>, %n: tensor<64xi64>", "tensor<64xi64>", `
			%c = stablehlo.constant dense<17> : tensor<64xi64>
			%m = stablehlo.multiply %n, %c : tensor<64xi64>
			%r = stablehlo.power %x, %m : tensor<64xi64>
			return %r : tensor<64xi64>`)},
	})
}
