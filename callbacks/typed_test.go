package callbacks_test

import (
	"context"
	"io"
	"testing"

	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/tensor"
)

type contextKey struct{}

func TestTap(t *testing.T) {
	args := []tensor.View{tensor.Vector[float32](1, 2), tensor.Scalar(true)}
	call := &callbacks.Frame{Args: args, Results: args, Config: contract.Config{Form: contract.Passthrough}}
	call = call.WithContext(context.WithValue(t.Context(), contextKey{}, "mine"))
	err := callbacks.Tap(func(ctx context.Context, got []tensor.View) error {
		check.Diff(t, "context", any("mine"), ctx.Value(contextKey{}))
		check.Diff(t, "args", args, got)
		if &got[0].Data[0] != &args[0].Data[0] {
			t.Error("the arguments were copied")
		}
		return io.EOF
	})(call)
	if err != io.EOF {
		t.Errorf("got the error %v", err)
	}
	check.Diff(t, "results", []tensor.View{tensor.Vector[float32](1, 2), tensor.Scalar(true)}, call.Results)
}

// If results are expected, a function that returns none would leave the previous contents
// of the memory as results.
func TestTapMakesNoResults(t *testing.T) {
	called := false
	call := &callbacks.Frame{Name: "f", Results: []tensor.View{tensor.Scalar[int8](7)},
		Config: contract.Config{Form: contract.Call}}
	err := callbacks.Tap(func(context.Context, []tensor.View) error { called = true; return nil })(call)
	check.Text(t, err, "the function returned 0 results, the module expects 1:\n  result 0: expected s8[], returned nothing  <- differs")
	check.Diff(t, "called", false, called)
}

func returning(views []tensor.View, err error) callbacks.Func {
	return callbacks.Call(func(context.Context, []tensor.View) ([]tensor.View, error) { return views, err })
}

func TestCall(t *testing.T) {
	for _, c := range []struct {
		name    string
		results []tensor.View
	}{
		{"none", nil},
		{"one", []tensor.View{tensor.Vector[float32](1, 2)}},
		{"several",
			[]tensor.View{tensor.Scalar(int64(-1)), tensor.Vector(true, false), tensor.Scalar(complex(1, 2.0))}},
		{"empty", []tensor.View{tensor.Vector([]float32{}...), tensor.Scalar(int8(3))}},
	} {
		t.Run(c.name, func(t *testing.T) {
			call := &callbacks.Frame{Name: "f"}
			for _, r := range c.results {
				room := r.Clone()
				clear(room.Data)
				call.Results = append(call.Results, room)
			}
			check.NoError(t, returning(c.results, nil)(call))
			check.Diff(t, "results", c.results, call.Results)
			for i, r := range call.Results {
				if len(r.Data) > 0 && &r.Data[0] == &c.results[i].Data[0] {
					t.Error("the runtime's memory was exchanged, not filled")
				}
			}
		})
	}
}

func TestCallArguments(t *testing.T) {
	call := &callbacks.Frame{Args: []tensor.View{tensor.Vector[float32](1, 2)},
		Results: []tensor.View{tensor.Vector[float32](0, 0)}}
	call = call.WithContext(context.WithValue(t.Context(), contextKey{}, "mine"))
	check.NoError(t, callbacks.Call(func(ctx context.Context, args []tensor.View) ([]tensor.View, error) {
		check.Diff(t, "context", any("mine"), ctx.Value(contextKey{}))
		return args, nil
	})(call))
	check.Diff(t, "results", call.Args, call.Results)
}

// In the passthrough form the results are the arguments' memory: giving those back in
// another order must not read what was written a moment before.
func TestCallPassthrough(t *testing.T) {
	a, b, c := tensor.Vector[int32](1, 2), tensor.Vector[int32](3, 4), tensor.Vector[int32](5, 6)
	call := &callbacks.Frame{
		Config:  contract.Config{Form: contract.Passthrough},
		Args:    []tensor.View{a, b, c},
		Results: []tensor.View{a, b, c},
	}
	check.NoError(t, callbacks.Call(func(_ context.Context, args []tensor.View) ([]tensor.View, error) {
		return []tensor.View{args[2], args[0], args[1]}, nil
	})(call))
	want := []tensor.View{tensor.Vector[int32](5, 6), tensor.Vector[int32](1, 2), tensor.Vector[int32](3, 4)}
	check.Diff(t, "results", want, call.Results)

	// Returned as they are, arguments stay the views that they were.
	check.NoError(t,
		callbacks.Call(func(_ context.Context, args []tensor.View) ([]tensor.View, error) { return args, nil })(call))
	check.Diff(t, "results", want, call.Results)
	if &call.Args[0].Data[0] != &a.Data[0] {
		t.Error("the call's arguments were exchanged")
	}
}

// If any result is wrong, nothing is copied.
func TestCallErrors(t *testing.T) {
	f2, s0 := tensor.ShapeOf(tensor.F32, 2), tensor.ShapeOf(tensor.S32)
	one, two := tensor.Vector[float32](1, 2), tensor.Scalar(int32(3))
	square, err := tensor.FromSlice([]float32{1, 2}, 2, 1)
	check.NoError(t, err)
	for _, c := range []struct {
		name    string
		results []tensor.View
		err     error
		got     []tensor.Shape // of the TemplateError
		want    string
	}{
		{"its own error", []tensor.View{one, two}, io.EOF, nil, "EOF"},
		{"nothing", nil, nil, []tensor.Shape{}, `the function returned 0 results, the module expects 2:
  result 0: expected f32[2], returned nothing  <- differs
  result 1: expected s32[], returned nothing  <- differs`},
		{"too few", []tensor.View{one}, nil, []tensor.Shape{f2}, `the function returned 1 result, the module expects 2:
  result 0: expected f32[2], returned f32[2]
  result 1: expected s32[], returned nothing  <- differs`},
		{"too many", []tensor.View{one, two, two}, nil, []tensor.Shape{f2, s0, s0},
			`the function returned 3 results, the module expects 2:
  result 0: expected f32[2], returned f32[2]
  result 1: expected s32[], returned s32[]
  result 2: expected nothing, returned s32[]  <- differs`},
		{"order", []tensor.View{two, one}, nil, []tensor.Shape{s0, f2},
			`the function returned other results than the module expects:
  result 0: expected f32[2], returned s32[]  <- differs
  result 1: expected s32[], returned f32[2]  <- differs`},
		{"element type", []tensor.View{one, tensor.Scalar(uint32(3))}, nil,
			[]tensor.Shape{f2, tensor.ShapeOf(tensor.U32)},
			`the function returned other results than the module expects:
  result 0: expected f32[2], returned f32[2]
  result 1: expected s32[], returned u32[]  <- differs`},
		{"rank", []tensor.View{square, two}, nil, []tensor.Shape{square.Shape, s0},
			`the function returned other results than the module expects:
  result 0: expected f32[2], returned f32[2,1]  <- differs
  result 1: expected s32[], returned s32[]`},
		{"zero view", []tensor.View{one, {}}, nil, []tensor.Shape{f2, {}},
			`the function returned other results than the module expects:
  result 0: expected f32[2], returned f32[2]
  result 1: expected s32[], returned an empty View  <- differs`},
		{"too little data", []tensor.View{one, {Shape: s0, Data: []byte{1, 2}}}, nil, []tensor.Shape{f2, s0},
			`the function returned other results than the module expects:
  result 0: expected f32[2], returned f32[2]
  result 1: expected s32[], returned a broken array (tensor: an array s32[] takes 4 bytes, but the data has 2)  <- differs`},
		{"too much data", []tensor.View{{Shape: f2, Data: make([]byte, 9)}, two}, nil, []tensor.Shape{f2, s0},
			`the function returned other results than the module expects:
  result 0: expected f32[2], returned a broken array (tensor: an array f32[2] takes 8 bytes, but the data has 9)  <- differs
  result 1: expected s32[], returned s32[]`},
	} {
		t.Run(c.name, func(t *testing.T) {
			room := func() []tensor.View {
				return []tensor.View{tensor.Vector[float32](-1, -1), tensor.Scalar(int32(-1))}
			}
			call := &callbacks.Frame{Name: "f", Results: room()}
			err := returning(c.results, c.err)(call)
			check.Text(t, err, c.want)
			check.Diff(t, "results", room(), call.Results)
			switch {
			case c.err != nil && err != c.err:
				t.Error("the error is not the function's own value")
			case c.got != nil:
				e := check.As[*callbacks.TemplateError](t, err)
				check.Diff(t, "Want", []tensor.Shape{f2, s0}, shapes(e.Want))
				check.Diff(t, "Got", c.got, shapes(e.Got))
			}
		})
	}
}

// The error outlives the call, whose dimensions may be the runtime's memory.
func TestTemplateErrorKeepsNothingOfTheCall(t *testing.T) {
	dims := []int{2, 3}
	call := &callbacks.Frame{Name: "f",
		Results: []tensor.View{{Shape: tensor.Shape{DType: tensor.F32, Dims: dims}, Data: make([]byte, 24)}}}
	err := returning(nil, nil)(call)
	dims[0] = 99
	check.Diff(t, "Want", []tensor.Shape{tensor.ShapeOf(tensor.F32, 2, 3)},
		shapes(check.As[*callbacks.TemplateError](t, err).Want))
}

func shapes(leaves []callbacks.Leaf) []tensor.Shape {
	out := []tensor.Shape{}
	for _, l := range leaves {
		out = append(out, l.Shape)
	}
	return out
}
