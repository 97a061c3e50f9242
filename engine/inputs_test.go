package engine

import (
	"errors"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/tensor"
)

// Inputs that a run on the host refuses, and what it then leaves: all that was given.
func TestTakeOnHostRefuses(t *testing.T) {
	pair := tensor.ShapeOf(tensor.F32, 2)
	closed := check.Must(HostArray(t.Context(), tensor.Vector[float32](1, 2)))
	check.NoError(t, closed.Close())
	for what, test := range map[string]struct {
		second Input
		want   string
	}{
		"nothing":            {nil, "run: input 1: a <nil> is not an Input: give an *engine.Array"},
		"another type":       {1, "run: input 1: a int is not an Input"},
		"nil":                {(*Array)(nil), "run: input 1: the array is nil"},
		"no donation":        {Donation{}, "run: input 1: the donated array is nil"},
		"another shape":      {tensor.Vector[float32](1), "the module's parameter is f32[2], but the input is f32[1]"},
		"too few bytes":      {Borrow(tensor.View{Shape: pair, Data: make([]byte, 3)}), "run: input 1: "},
		"a closed array":     {closed, "run: input 1: the array is closed or was donated"},
		"a closed donation":  {Donate(closed), "the donated array is closed or was donated before"},
		"another type's bad": {tensor.Vector[int32](1, 2), "but the input is s32[2]"},
	} {
		t.Run(what, func(t *testing.T) {
			first := check.Must(HostArray(t.Context(), tensor.Vector[float32](1, 2)))
			_, err := TakeOnHost([]Input{Donate(first), test.second}, []tensor.Shape{pair, pair})
			check.Error(t, err, test.want)
			wrong, ok := errors.AsType[*InputError](err)
			check.Diff(t, "an InputError of input 1", true, ok && wrong.Index == 1)
			taken, err := Donate(first).Take()
			check.NoError(t, err) // it was given back
			check.NoError(t, taken.Close())
		})
	}
	_, err := TakeOnHost(nil, []tensor.Shape{pair})
	check.Error(t, err, "run: the module has 1 parameters, but 0 inputs are given")
}

// The result of a donor is in the memory of the input that was donated, and that of an input that was not is new.
func TestHostResults(t *testing.T) {
	pair := tensor.ShapeOf(tensor.F32, 2)
	for _, donate := range []bool{true, false} {
		a := check.Must(HostArray(t.Context(), tensor.Vector[float32](1, 2)))
		in := Input(a)
		if donate {
			in = Donate(a)
		}
		h := check.Must(TakeOnHost([]Input{in, tensor.Vector[float32](3, 4)}, []tensor.Shape{pair, pair}))
		check.Diff(t, "in place", []bool{true, false}, []bool{h.InPlace(0), h.InPlace(1)})
		results, memory, err := h.Results([]tensor.Shape{pair}, func(int) (int, bool) { return 0, true })
		check.NoError(t, err)
		check.Diff(t, "in the input's memory", donate, &memory[0].Data[0] == &h.Views[0].Data[0])
		h.Release()
		if _, err := a.ToHost(t.Context()); (err == nil) == donate {
			t.Errorf("donate %t: the input: %v", donate, err)
		}
		check.NoError(t, errors.Join(results[0].Close(), a.Close()))
	}
}
