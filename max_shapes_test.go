package calliope_test

import (
	"sync"
	"testing"

	"github.com/calliope-mlir/calliope"
	"github.com/calliope-mlir/calliope/builder"
	"github.com/calliope-mlir/calliope/internal/test/check"
)

// TestMaxShapes calls a function with more shapes than it keeps: those that were used last stay, as does what was
// warmed.
func TestMaxShapes(t *testing.T) {
	onEngines(t, func(t *testing.T, s *calliope.Session) {
		var built []int
		f := calliope.FuncWith(func(x builder.Value) builder.Value {
			built = append(built, x.Shape().Dims[0])
			return builder.Add(x, x)
		}, calliope.FuncOptions{Session: s, MaxShapes: 3})
		check.Cleanup(t, f)
		call := func(n int) {
			t.Helper()
			x := make([]float32, n)
			x[0] = float32(n)
			check.Diff(t, "result", float32(2*n), check.Must(calliope.Call[[]float32](t.Context(), f, x))[0])
		}
		check.NoError(t, f.Warm(t.Context(), make([]float32, 1)))
		for _, n := range []int{2, 3, 2, 4, 2, 1, 3, 1} {
			call(n)
		}
		check.Diff(t, "built", []int{1, 2, 3, 4, 3}, built)
	})
}

// TestMaxShapesAtOnce has calls of several shapes take the place of each other while they run.
func TestMaxShapesAtOnce(t *testing.T) {
	onEngines(t, func(t *testing.T, s *calliope.Session) {
		f := calliope.FuncWith(func(x builder.Value) builder.Value { return builder.Add(x, 1) },
			calliope.FuncOptions{Session: s, MaxShapes: 1})
		check.Cleanup(t, f)
		var all sync.WaitGroup
		for n := range 4 {
			all.Go(func() {
				for range 5 {
					got, err := calliope.Call[[]float32](t.Context(), f, make([]float32, n+1))
					if err != nil || len(got) != n+1 || got[n] != 1 {
						t.Errorf("%d elements: %v, error %v", n+1, got, err)
					}
				}
			})
		}
		all.Wait()
	})
}

func TestMaxShapesRefused(t *testing.T) {
	f := calliope.FuncWith(func(x builder.Value) builder.Value { return x }, calliope.FuncOptions{MaxShapes: -1})
	_, err := calliope.Call[float32](t.Context(), f, float32(1))
	check.Error(t, err, "the option MaxShapes is -1: give a number from 1, or 0 for 64")
}
