package calliope_test

import (
	"testing"

	"github.com/calliope-mlir/calliope"
	"github.com/calliope-mlir/calliope/builder"
	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/jit"
)

// TestNamesInputs holds that the error of an array that a run cannot take says where in the call's trees it is.
func TestNamesInputs(t *testing.T) {
	type dense[T any] struct{ Kernel, Bias T }
	layers := func(l []dense[builder.Value]) []dense[builder.Value] {
		return []dense[builder.Value]{{builder.Sin(l[0].Kernel), l[0].Bias}, {builder.Sin(l[1].Kernel), l[1].Bias}}
	}
	for name, o := range map[string]calliope.Options{"XLA": {}, "JIT": {Engine: jit.Engine()}} {
		t.Run(name, func(t *testing.T) {
			s := check.Must(calliope.Open(t.Context(), o))
			check.Cleanup(t, s)
			f := calliope.FuncWith(layers, calliope.FuncOptions{Session: s})
			check.Cleanup(t, f)
			one := []float32{1}
			given := []dense[[]float32]{{one, one}, {one, one}}
			arrays := check.Must(calliope.Call[[]dense[calliope.Array]](t.Context(), f, given))
			for _, l := range arrays {
				check.Cleanup(t, l.Bias)
			}
			check.NoError(t, arrays[0].Kernel.Close())
			arrays[0].Kernel = arrays[0].Bias
			check.NoError(t, arrays[1].Kernel.Close())
			_, err := f.Call(t.Context(), arrays)
			check.Error(t, err, "run: argument 0[1].Kernel: the array is closed or was donated")
			check.Diff(t, "index", 2, check.As[*engine.InputError](t, err).Index)
		})
	}
}
