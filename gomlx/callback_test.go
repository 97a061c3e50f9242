package gomlx

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/compute/support/testutil"
	"github.com/google/go-cmp/cmp"

	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/internal/test/check"
)

// counter builds a loop that counts to 3, and calls see with its state in each iteration.
func counter(
	f compute.Function, see func(g compute.Function, state compute.Value) error,
) ([]compute.Value, error) {
	scalar := shapes.Make(dtypes.Int32)
	cond := closure(f, scalar, 1, func(g compute.Function, s []compute.Value) []compute.Value {
		return []compute.Value{must(g.LessThan(s[0], must(g.Constant([]int32{3}))))}
	})
	body := closure(f, scalar, 1, func(g compute.Function, s []compute.Value) []compute.Value {
		testutil.Must(see(g, s[0]))
		return []compute.Value{must(g.Add(s[0], must(g.Constant([]int32{1}))))}
	})
	return f.While(cond, body, must(f.Constant([]int32{0})))
}

// TestTap calls Go in a loop, and after it with two arrays.
func TestTap(t *testing.T) {
	b := open(t, "")
	var got []string
	note := callbacks.Tap(func(_ context.Context, v int32) error { got = append(got, fmt.Sprint(v)); return nil })
	type two struct {
		X []float32
		N int32
	}
	last := callbacks.Tap(func(_ context.Context, v two) error { got = append(got, fmt.Sprint(v)); return nil })
	_, err := testutil.Exec(b, []any{[]float32{1, 2}},
		func(f compute.Function, p []compute.Value) ([]compute.Value, error) {
			state, err := counter(f, func(_ compute.Function, s compute.Value) error {
				return Tap([]compute.Value{s}, note)
			})
			if err != nil {
				return nil, err
			}
			return state, Tap([]compute.Value{p[0], state[0]}, last)
		})
	check.NoError(t, err)
	if d := cmp.Diff([]string{"0", "1", "2", "{[1 2] 3}"}, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

// TestCall uses what Go functions return: by a value of a computation, and as what a function returns.
func TestCall(t *testing.T) {
	b := open(t, "")
	double := callbacks.Call(func(_ context.Context, v []float32) ([]float32, error) {
		return []float32{2 * v[0], 2 * v[1]}, nil
	})
	pair := shapes.Make(dtypes.Float32, 2)
	tests := map[string]func(f compute.Function, x compute.Value) ([]compute.Value, error){
		"pure call": func(_ compute.Function, x compute.Value) ([]compute.Value, error) {
			return PureCall([]shapes.Shape{pair}, []compute.Value{x}, double)
		},
		"runtime call": func(_ compute.Function, x compute.Value) ([]compute.Value, error) {
			return RuntimeCall([]shapes.Shape{pair}, []compute.Value{x}, double)
		},
		"return": func(f compute.Function, x compute.Value) ([]compute.Value, error) {
			g := testutil.Must1(f.Builder().NewFunction("double"))
			param := must(g.Parameter("x", pair, nil))
			doubled := testutil.Must1(PureCall([]shapes.Shape{pair}, []compute.Value{param}, double))
			testutil.Must(Return(doubled...))
			testutil.Must(g.Return([]compute.Value{param}, nil))
			return f.Call(g, x)
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := testutil.Exec(b, []any{[]float32{1, 2}},
				func(f compute.Function, p []compute.Value) ([]compute.Value, error) { return test(f, p[0]) })
			if d := cmp.Diff([]any{[]float32{2, 4}}, got); err != nil || d != "" {
				t.Errorf("%v (-want +got):\n%s", err, d)
			}
		})
	}
	if _, err := PureCall([]shapes.Shape{{}}, []compute.Value{nil}, double); err == nil {
		t.Error("a result without a shape is no error")
	}
	if err := Return(); err == nil {
		t.Error("nothing to return is no error")
	}
}

// TestFailingCalls holds that what a Go function returns, or its panic, is the error of the execution.
func TestFailingCalls(t *testing.T) {
	b := open(t, "")
	stop := errors.New("stop")
	tests := map[string]struct {
		see func(g compute.Function, s compute.Value) error
		is  func(error) bool
	}{
		"error": {func(_ compute.Function, s compute.Value) error {
			return Tap([]compute.Value{s}, callbacks.Tap(func(context.Context, int32) error { return stop }))
		}, func(err error) bool { return errors.Is(err, stop) }},
		"panic": {func(_ compute.Function, s compute.Value) error {
			return Tap([]compute.Value{s}, callbacks.Tap(func(context.Context, int32) error { panic("oh") }))
		}, is[*callbacks.PanicError]},
		"check": {func(g compute.Function, s compute.Value) error {
			small := must(g.LessThan(s, must(g.Constant([]int32{2}))))
			return Check(small, []compute.Value{s}, callbacks.Check("the state is large", "state"))
		}, is[*callbacks.CheckError]},
		"a check that holds": {func(g compute.Function, s compute.Value) error {
			small := must(g.LessThan(s, must(g.Constant([]int32{9}))))
			return Check(small, []compute.Value{s}, callbacks.Check("the state is large"))
		}, func(err error) bool { return err == nil }},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := testutil.Exec(b, nil, func(f compute.Function, _ []compute.Value) ([]compute.Value, error) {
				return counter(f, test.see)
			})
			if !test.is(err) {
				t.Errorf("the error is %v", err)
			}
		})
	}
	if err := Tap(nil, callbacks.Check("")); err == nil {
		t.Error("a tap without values is no error")
	}
	if err := Tap([]compute.Value{1}, callbacks.Check("")); err == nil {
		t.Error("a tap of a number is no error")
	}
}

func is[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}
