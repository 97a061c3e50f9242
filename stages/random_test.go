package stages_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"sync"
	"testing"

	"github.com/calliope-mlir/calliope/builder"
	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/internal/check"
	"github.com/calliope-mlir/calliope/internal/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stages"
	"github.com/calliope-mlir/calliope/tensor"
)

// modulesVariable sets the number of random modules.
const modulesVariable = "CALLIOPE_STAGES_MODULES"

// A log has what the callbacks of one run saw, by effect.
type log struct {
	mu   sync.Mutex
	seen map[string][]string
}

func (l *log) add(f *callbacks.Frame) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.seen[f.Config.Effect] = append(l.seen[f.Config.Effect], fmt.Sprint(f.Name, f.Args))
}

func (l *log) take() map[string][]string {
	l.mu.Lock()
	defer l.mu.Unlock()
	seen := l.seen
	l.seen = map[string][]string{}
	return seen
}

// twist computes a result of the operands that is not symmetric in them.
func twist(f *callbacks.Frame) error {
	for r, to := range f.Results {
		out, _ := tensor.Slice[int32](to)
		for i := range out {
			out[i] = int32(r + 1)
			for k, a := range f.Args {
				in, _ := tensor.Slice[int32](a)
				out[i] += in[(i+k)%len(in)] * int32(k+1)
			}
			out[i] %= 1000
		}
	}
	return nil
}

// TestRandom runs random modules inline, in stages, and in stages on the interpreter. They must agree in the results, in what
// callbacks see, and in the order of each effect.
func TestRandom(t *testing.T) {
	n := 60
	if text := os.Getenv(modulesVariable); text != "" {
		var err error
		n, err = strconv.Atoi(text)
		check.NoError(t, err)
	}
	l := &log{seen: map[string][]string{}}
	logged := func(fn callbacks.Func) callbacks.Func {
		return func(f *callbacks.Frame) error {
			l.add(f)
			return fn(f)
		}
	}
	nothing := func(*callbacks.Frame) error { return nil }
	register(t, "tap", logged(nothing), callbacks.Options{FailRun: true})
	register(t, "pure", twist, callbacks.Options{}) // how often it is called is the compiler's
	register(t, "call", logged(twist), callbacks.Options{})
	register(t, "io", logged(func(f *callbacks.Frame) error {
		for _, v := range f.Results {
			x, _ := tensor.Slice[int32](v)
			for i := range x {
				x[i] = (x[i]*3 + 1) % 1000
			}
		}
		return nil
	}), callbacks.Options{})
	client := newClient(t)
	callbacksCut, boundaries := 0, 0
	for seed := range n {
		ctx := mlirtest.Context(t)
		m, err := randomModule(ctx, uint64(seed))
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		in := []tensor.View{tensor.Vector(int32(seed), 2, -3, 4), tensor.Vector[int32](7, 0, 5, -1)}
		var want []tensor.View
		var wantSeen map[string][]string
		for i, o := range []stages.Options{
			{Devices: stages.On(client)},
			{Devices: stages.On(client), Force: cutAll("tap", "pure", "call", "io")},
			{Devices: stages.On(client), Force: cutAll("call", "tap")},
			{},
		} {
			e, err := stages.Compile(t.Context(), m, o)
			if err != nil {
				t.Fatalf("seed %d, way %d: %v\n%s", seed, i, err, m)
			}
			got, err := e.Call(t.Context(), in...)
			check.NoError(t, err)
			seen := l.take()
			if i == 0 {
				want, wantSeen = got, seen
			} else if fmt.Sprint(want) != fmt.Sprint(got) || fmt.Sprint(wantSeen) != fmt.Sprint(seen) {
				t.Errorf("seed %d, way %d: results\n%v\nwant\n%v\ncalls\n%v\nwant\n%v\nof\n%s", seed, i, got, want, seen, wantSeen, m)
			}
			check.NoError(t, e.Close())
		}
		plan, err := stages.Cut(m, stages.Options{})
		check.NoError(t, err)
		callbacksCut += len(plan.Callbacks())
		boundaries += len(plan.Stages())
		check.NoError(t, plan.Close())
		check.NoError(t, m.Close())
		if t.Failed() {
			return
		}
	}
	if callbacksCut < n || boundaries < n {
		t.Errorf("%d modules had %d callbacks and %d stages", n, callbacksCut, boundaries)
	}
}

// randomModule builds a module of two vectors of s32. Without an order, only pure callbacks are called: XLA orders others
// as it likes.
func randomModule(ctx *mlir.Context, seed uint64) (*mlir.Module, error) {
	b := builder.New(ctx, builder.Options{})
	vector := tensor.ShapeOf(tensor.S32, 4)
	r := &randomProgram{Rand: rand.New(rand.NewPCG(seed, 1))}
	helper := b.Func("helper", vector, vector)
	helper.Return(r.block([]builder.Value{helper.Param(0), helper.Param(1)}, 2, 4)...)
	r.helper = helper
	f := b.Func("main", vector, vector)
	out := r.block([]builder.Value{f.Param(0), f.Param(1)}, 3, 8)
	f.Return(append(out, f.Param(1))...)
	return b.Module()
}

type randomProgram struct {
	*rand.Rand
	helper *builder.Func
}

func (r *randomProgram) pick(pool []builder.Value) builder.Value { return pool[r.IntN(len(pool))] }

// small keeps values small, so that nothing overflows.
func small(x builder.Value) builder.Value { return builder.Rem(x, int32(997)) }

// block builds some operations and returns two of their values.
func (r *randomProgram) block(pool []builder.Value, depth, length int) []builder.Value {
	effects := []string{"a", "b"}
	cb := func(name string) builder.Callback {
		return builder.Callback{Name: name, Effect: effects[r.IntN(len(effects))]}
	}
	predicate := func() builder.Value {
		return builder.Gt(builder.Reshape(builder.SliceAxis(r.pick(pool), 0, 1, 2)), int32(r.IntN(20)-5))
	}
	type pair struct{ A, B builder.Value }
	for range 1 + r.IntN(length) {
		x, y := r.pick(pool), r.pick(pool)
		switch kind := r.IntN(12); {
		case kind < 3:
			pool = append(pool, small(builder.Add(x, builder.Mul(y, int32(r.IntN(5))))))
		case kind == 3:
			pool = append(pool, builder.Select(builder.Lt(x, y), builder.Neg(x), y))
		case kind == 4:
			pool = append(pool, small(builder.RuntimeCall(cb("call"), x, x)))
		case kind == 5:
			p := builder.RuntimeCall(cb("call"), pair{x, y}, pair{y, x})
			pool = append(pool, p.A, p.B)
		case kind == 6:
			pool = append(pool, builder.PureCall(builder.Callback{Name: "pure"}, x, pair{x, y}))
		case kind == 7:
			p := builder.IOCallback(cb("io"), pair{x, y})
			pool = append(pool, p.A, p.B)
		case kind == 8:
			builder.Tap(cb("tap"), pair{x, y})
		case kind == 9 && depth > 0:
			p := builder.If(predicate(), func() pair { return r.pair(pool, depth) }, func() pair { return r.pair(pool, depth) })
			pool = append(pool, p.A, p.B)
		case kind == 10 && depth > 0:
			type state struct {
				I    builder.Value
				A, B builder.Value
			}
			steps := int32(r.IntN(4))
			s := builder.While(state{builder.Scalar(x.Func(), int32(0)), x, y},
				func(s state) builder.Value {
					if r.IntN(3) == 0 {
						builder.Tap(cb("tap"), s.A)
					}
					return builder.Lt(s.I, steps)
				},
				func(s state) state {
					p := r.pair(append(append([]builder.Value(nil), pool...), s.A, s.B), depth)
					return state{builder.Add(s.I, int32(1)), small(builder.Add(s.A, p.A)), p.B}
				})
			pool = append(pool, s.A, s.B)
		case kind == 11 && r.helper != nil:
			pool = append(pool, r.helper.Call(x, y)...)
		default:
			pool = append(pool, builder.Reverse(x, 0))
		}
	}
	return []builder.Value{r.pick(pool), r.pick(pool)}
}

func (r *randomProgram) pair(pool []builder.Value, depth int) (p struct{ A, B builder.Value }) {
	out := r.block(append([]builder.Value(nil), pool...), depth-1, 4)
	p.A, p.B = out[0], out[1]
	return p
}
