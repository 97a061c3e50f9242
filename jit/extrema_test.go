package jit_test

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/stablehlo"
	"github.com/calliope-mlir/calliope/tensor"
)

// TestExtremaOfBFloat16 has denormal numbers, zeros of both signs, infinities and NaN, in a module that LLVM optimizes.
func TestExtremaOfBFloat16(t *testing.T) {
	bits := []uint16{0, 0x8000, 1, 0x8001, 0x7f, 0x80, 0x3f80, 0xbf80, 0x7f80, 0xff80, 0x7fc0}
	const text = `func.func @main(%%x: tensor<bf16>, %%y: tensor<bf16>, %%z: tensor<5x9xbf16>, %%w: tensor<5x9xbf16>) ->
			(tensor<bf16>, tensor<5x9xbf16>) {
		%%0 = stablehlo.%[1]s %%x, %%y : tensor<bf16>
		%%1 = stablehlo.%[1]s %%z, %%w : tensor<5x9xbf16>
		return %%0, %%1 : tensor<bf16>, tensor<5x9xbf16> }`
	scalar := func(x uint16) tensor.View {
		return tensor.View{Shape: tensor.ShapeOf(tensor.BF16), Data: []byte{byte(x), byte(x >> 8)}}
	}
	array := func(x uint16) tensor.View {
		return tensor.View{Shape: tensor.ShapeOf(tensor.BF16, 5, 9), Data: bytes.Repeat(scalar(x).Data, 45)}
	}
	for _, name := range []string{"maximum", "minimum"} {
		m := mlirtest.Parse(t, mlirtest.Context(t), fmt.Sprintf(text, name))
		e := compile(t, fmt.Sprintf(text, name))
		for _, x := range bits {
			for _, y := range bits {
				want, err := stablehlo.Evaluate(m, scalar(x), scalar(y), array(x), array(y))
				check.NoError(t, err)
				got, err := e.Call(t.Context(), scalar(x), scalar(y), array(x), array(y))
				check.NoError(t, err)
				// The bits of NaN are open.
				check.Diff(t, fmt.Sprintf("%s of %#x and %#x", name, x, y), fmt.Sprint(want), fmt.Sprint(got))
			}
		}
	}
}
