package host_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	_ "github.com/gomlx/compute/gobackend"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/google/go-cmp/cmp"

	"github.com/calliope-mlir/calliope"
	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/gomlx"
	"github.com/calliope-mlir/calliope/gomlx/host"
	"github.com/calliope-mlir/calliope/internal/test/check"
)

func open(t *testing.T) compute.Backend {
	t.Helper()
	b, err := gomlx.New("dynamic")
	check.NoError(t, err)
	t.Cleanup(b.Finalize)
	return b
}

// repeat runs body 3 times, with a counter and a state.
func repeat(state *graph.Node, body func(i, state *graph.Node) *graph.Node) *graph.Node {
	g := state.Graph()
	params := func(g *graph.Graph) (i, s *graph.Node) {
		return graph.Parameter(g, "i", shapes.Make(dtypes.Int32)), graph.Parameter(g, "s", state.Shape())
	}
	again := graph.NewClosure(g, func(g *graph.Graph) []*graph.Node {
		i, _ := params(g)
		return []*graph.Node{graph.LessThan(i, graph.Const(g, int32(3)))}
	})
	next := graph.NewClosure(g, func(g *graph.Graph) []*graph.Node {
		i, s := params(g)
		return []*graph.Node{graph.Add(i, graph.Const(g, int32(1))), body(i, s)}
	})
	return graph.While(again, next, graph.Const(g, int32(0)), state)[1]
}

// draw returns a Go function with a state, and notes its calls.
func draw(notes *[]string) func(context.Context, int32) (float32, error) {
	calls := float32(0)
	return func(_ context.Context, i int32) (float32, error) {
		calls++
		*notes = append(*notes, fmt.Sprint("draw ", i))
		return calls, nil
	}
}

// TestCalls holds the results and the order of calls in loops, with several arguments and results, and of nodes from
// outside of a closure.
func TestCalls(t *testing.T) {
	b := open(t)
	type pair struct{ A, B []float32 }
	var notes []string
	tests := map[string]struct {
		f     func(x *graph.Node) *graph.Node
		want  any
		notes []string
	}{
		"calls of one effect in a loop": {func(x *graph.Node) *graph.Node {
			next, ordered := draw(&notes), calliope.CallOptions{Effect: "draw"}
			return repeat(x, func(i, s *graph.Node) *graph.Node {
				drawn := host.RuntimeCall(graph.Const(x.Graph(), float32(0)), i, next, ordered)
				host.Tap(i, func(_ context.Context, i int32) error {
					notes = append(notes,
						fmt.Sprint("tap ", i))
					return nil
				}, ordered)
				return graph.Add(s, drawn)
			})
		}, []float32{7, 8}, []string{"draw 0", "tap 0", "draw 1", "tap 1", "draw 2", "tap 2"}},
		"several arguments and results": {func(x *graph.Node) *graph.Node {
			swapped := host.PureCall([]*graph.Node{x, x}, []*graph.Node{x, graph.Neg(x)},
				func(_ context.Context, p pair) (pair, error) { return pair{p.B, p.A}, nil })
			return graph.Sub(swapped[0], swapped[1])
		}, []float32{-2, -4}, nil},
		"a node from outside of a closure": {func(x *graph.Node) *graph.Node {
			return repeat(x, func(_, s *graph.Node) *graph.Node {
				host.Tap(x, func(_ context.Context, x []float32) error {
					notes = append(notes,
						fmt.Sprint(x))
					return nil
				})
				return s
			})
		}, []float32{1, 2}, []string{"[1 2]", "[1 2]", "[1 2]"}},
		"a call whose results are not used": {func(x *graph.Node) *graph.Node {
			host.RuntimeCall(graph.Const(x.Graph(), float32(0)), graph.Const(x.Graph(), int32(5)), draw(&notes))
			return x
		}, []float32{1, 2}, []string{"draw 5"}},
		"every second call": {func(x *graph.Node) *graph.Node {
			return repeat(x, func(i, s *graph.Node) *graph.Node {
				host.Tap(i, func(_ context.Context, i int32) error {
					notes = append(notes,
						fmt.Sprint(i))
					return nil
				}, calliope.CallOptions{Every: 2}, calliope.CallOptions{Effect: "every second"})
				return s
			})
		}, []float32{1, 2}, []string{"0", "2"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			notes = nil
			got := graph.MustExecOnce(b, test.f, []float32{1, 2}).Value()
			if d := cmp.Diff(test.want, got); d != "" {
				t.Errorf("results (-want +got):\n%s", d)
			}
			if d := cmp.Diff(test.notes, notes); d != "" {
				t.Errorf("calls (-want +got):\n%s", d)
			}
		})
	}
}

// TestDynamic calls Go from a graph with a dynamic axis.
func TestDynamic(t *testing.T) {
	double := func(_ context.Context, x []float32) ([]float32, error) {
		y := make([]float32, len(x))
		for i, v := range x {
			y[i] = 2 * v
		}
		return y, nil
	}
	exec := graph.MustNewExec(open(t), func(x *graph.Node) *graph.Node { return host.PureCall(x, x, double) }).
		WithDynamicAxes([]string{"n"})
	for _, x := range [][]float32{{1}, {1, 2, 3}} {
		want, _ := double(t.Context(), x)
		if d := cmp.Diff(want, exec.MustCall(x)[0].Value()); d != "" {
			t.Errorf("(-want +got):\n%s", d)
		}
	}
}

// TestGradient holds derivatives of calls with two arguments and two results: their product and their sum.
func TestGradient(t *testing.T) {
	b := open(t)
	type pair struct{ A, B float64 }
	calls := 0
	call := func(x, y *graph.Node) []*graph.Node {
		out := host.RuntimeCall([]*graph.Node{x, x}, []*graph.Node{x, y},
			func(_ context.Context, p pair) (pair, error) { calls++; return pair{p.A * p.B, p.A + p.B}, nil })
		host.SetVJP(out, func(dy []*graph.Node) []*graph.Node {
			return []*graph.Node{graph.Add(graph.Mul(dy[0], y), dy[1]), graph.Add(graph.Mul(dy[0], x), dy[1])}
		})
		return out
	}
	tests := map[string]struct {
		f    func(x, y *graph.Node) *graph.Node
		want [2]float64
	}{
		"the first result":  {func(x, y *graph.Node) *graph.Node { return call(x, y)[0] }, [2]float64{5, 3}},
		"the second result": {func(x, y *graph.Node) *graph.Node { return call(x, y)[1] }, [2]float64{1, 1}},
		"both": {func(x, y *graph.Node) *graph.Node {
			out := call(x, y)
			return graph.Mul(out[0], out[1])
		}, [2]float64{55, 39}},
		"in a checkpointed block": {func(x, y *graph.Node) *graph.Node {
			out := call(graph.Square(x.Checkpoint()), y)
			return graph.Mul(out[0], out[1]).StopCheckpoint()
		}, [2]float64{690, 171}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			calls = 0
			got := graph.MustExecOnceN(b, func(x, y *graph.Node) []*graph.Node {
				return graph.Gradient(test.f(x, y), x, y)
			}, 3.0, 5.0)
			if d := cmp.Diff(test.want, [2]float64{got[0].Value().(float64), got[1].Value().(float64)}); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
			if calls != 1 {
				t.Errorf("Go was called %d times", calls)
			}
		})
	}
}

// TestErrors holds what the error of an execution is.
func TestErrors(t *testing.T) {
	b := open(t)
	stop := errors.New("stop")
	tests := map[string]struct {
		fn func(context.Context, []float32) ([]float32, error)
		is func(error) bool
	}{
		"error": {func(context.Context, []float32) ([]float32, error) { return nil, stop },
			func(err error) bool { return errors.Is(err, stop) && strings.Contains(err.Error(), "host_test.go:") }},
		"panic": {func(context.Context, []float32) ([]float32, error) { panic("oh") }, is[*callbacks.PanicError]},
		"shape": {func(context.Context, []float32) ([]float32, error) { return make([]float32, 3), nil },
			is[*callbacks.TemplateError]},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := graph.CallOnce(b, func(x *graph.Node) *graph.Node { return host.PureCall(x, x, test.fn) },
				[]float32{1, 2})
			if !test.is(err) {
				t.Errorf("the error is %v", err)
			}
		})
	}
}

func is[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}

// TestMistakes holds the errors for graphs that cannot be built.
func TestMistakes(t *testing.T) {
	same := func(_ context.Context, x []float32) ([]float32, error) { return x, nil }
	tests := map[string]struct {
		backend string
		f       func(x *graph.Node) *graph.Node
		want    string
	}{
		"another backend": {"go", func(x *graph.Node) *graph.Node { return host.PureCall(x, x, same) },
			`cannot call Go functions: set GOMLX_BACKEND=calliope`},
		"no derivative": {"calliope", func(x *graph.Node) *graph.Node {
			return graph.Gradient(graph.ReduceAllSum(host.PureCall(x, x, same)), x)[0]
		}, "has no derivative: use SetVJP, or graph.StopGradient"},
		"a derivative of no call": {"calliope", func(x *graph.Node) *graph.Node {
			host.SetVJP(x, func(dy *graph.Node) *graph.Node { return dy })
			return x
		}, "SetVJP needs all results of one call"},
		"no arguments": {"calliope", func(x *graph.Node) *graph.Node {
			return host.PureCall(x, []*graph.Node{}, same)
		}, "a call needs a node as its argument"},
		"a condition of many": {"calliope", func(x *graph.Node) *graph.Node {
			host.Check(graph.IsFinite(x), nil, "not finite")
			return x
		}, "host_test.go:"},
		"a format without its field": {"calliope", func(x *graph.Node) *graph.Node {
			host.Print("{y}", host.Fields{"x": x})
			return x
		}, `"{y}"`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			b, err := compute.NewWithConfig(test.backend)
			check.NoError(t, err)
			defer b.Finalize()
			_, err = graph.CallOnce(b, test.f, []float32{1, 2})
			check.Error(t, err, test.want)
		})
	}
}
