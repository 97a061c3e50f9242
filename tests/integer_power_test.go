package tests

import (
	"fmt"
	"testing"

	"github.com/calliope-mlir/calliope/bridge"
	"github.com/calliope-mlir/calliope/builder"
	"github.com/calliope-mlir/calliope/internal/check"
	"github.com/calliope-mlir/calliope/internal/mlirtest"
	"github.com/calliope-mlir/calliope/passes"
	"github.com/calliope-mlir/calliope/tensor"
)

// TestIntegerPower raises integers to powers that XLA computes wrongly.
func TestIntegerPower(t *testing.T) {
	b := builder.New(mlirtest.Context(t), builder.Options{})
	x := tensor.Vector[int32](3, 3, 3, -3, 2, -1)
	f := b.Func("main", x.Shape, x.Shape)
	f.Return(builder.Pow(f.Param(0), f.Param(1)), builder.Pow(f.Param(0), int32(100)), builder.Pow(f.Param(0), int32(1)),
		builder.Div(int32(1000), builder.Pow(f.Param(0), int32(5))))
	m, err := b.Module()
	check.NoError(t, err)
	check.Cleanup(t, m)
	e, err := newClient(t, 1).Compile(t.Context(), passes.Program(m, passes.PrepareOptions{}), bridge.CompileOptions{})
	check.NoError(t, err)
	check.Cleanup(t, e)
	got, err := e.Call(t.Context(), x, tensor.Vector[int32](63, 64, 4095, 65, 70, -3))
	check.NoError(t, err)
	check.Diff(t, "results", "[s32[6] [2111105451 2038349057 2094688939 -1820079875 0 -1] s32[6] [-818408495 -818408495 -818408495 -818408495 0 1] s32[6] [3 3 3 -3 2 -1] s32[6] [4 4 4 -4 31 -1000]]", fmt.Sprint(got))
}
