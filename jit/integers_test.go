package jit_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/stablehlo"
	"github.com/calliope-mlir/calliope/tensor"
)

// TestIntegersAsBFloat16 converts integers beside the middle of two numbers of bf16.
func TestIntegersAsBFloat16(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for _, d := range []tensor.DType{tensor.S32, tensor.U32, tensor.S64, tensor.U64} {
		for _, n := range []int{1, 999} {
			text := fmt.Sprintf(`func.func @main(%%x: tensor<%[1]dx%[2]s>) -> tensor<%[1]dxbf16> {
				%%0 = stablehlo.convert %%x : (tensor<%[1]dx%[2]s>) -> tensor<%[1]dxbf16>
				return %%0 : tensor<%[1]dxbf16> }`, n, d.MLIR())
			m, e := mlirtest.Parse(t, mlirtest.Context(t), text), compile(t, text)
			for range 1000 / n {
				x := tensor.View{Shape: tensor.ShapeOf(d, n), Data: make([]byte, n*d.Size())}
				for i := range n {
					v := (0x101 + 2*r.Uint64N(128)) << r.IntN(d.Bits()-8)
					v += uint64(r.IntN(3) - 1)
					if r.IntN(2) == 0 {
						v = -v
					}
					for k := range d.Size() {
						x.Data[i*d.Size()+k] = byte(v >> (8 * k))
					}
				}
				want, err := stablehlo.Evaluate(m, x)
				check.NoError(t, err)
				got, err := e.Call(t.Context(), x)
				check.NoError(t, err)
				if fmt.Sprint(want) != fmt.Sprint(got) {
					t.Fatalf("%s: %s instead of %s", x, got, want)
				}
			}
		}
	}
}
