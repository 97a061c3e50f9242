package tests

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/calliope-mlir/calliope/builder"
	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/passes"
	"github.com/calliope-mlir/calliope/tensor"
)

var (
	returnsSeed  = flag.Uint64("returnsseed", 0, "the first seed of TestRandomReturns")
	returnsSeeds = flag.Uint64("returnsseeds", 60, "the number of seeds of TestRandomReturns")
	returnsLevel = flag.Int("returnslevel", engine.NoOptimization, "the OptimizationLevel of TestRandomReturns")
)

// A world does what a random program says: builtWorld builds a module, and plainWorld computes. Each value is an
// s32[4].
type world[V any] interface {
	number(n int32) V
	compute(op int, x, y V) V
	call(way, effect string, x V) V // "tap", "pass" or "call"
	choose(by V, branches []func() []V) []V
	// n times, or by[0] mod 4 times if n is negative
	loop(atMost, n int32, by V, state []V, body func(state []V) []V) []V
	until(state V, body func(next V)) V // while state[0] < 3 { state += 1; body(state) }, from state & 3
	function(args []V, body func(params []V) []V) []V
}

// A returning is a random program that returns many values as they are: parameters, and values from before a branch or
// a loop. All that is random comes from seeds, so that each part is the same whenever it is built or computed.
type returning[V any] struct {
	world[V]
	size int
}

func (p returning[V]) block(seed uint64, depth int, values []V, results int) []V {
	r := rand.New(rand.NewPCG(seed, uint64(depth)))
	values = slices.Clone(values)
	any := func() V { return values[r.IntN(len(values))] }
	some := func(n int) (list []V) {
		for range n {
			list = append(list, any())
		}
		return list
	}
	for range 1 + r.IntN(p.size) {
		kind := r.IntN(11)
		if depth == 0 && kind > 5 {
			kind = r.IntN(6)
		}
		switch kind {
		case 0:
			values = append(values, p.number(r.Int32N(5)-2))
		case 1, 2:
			values = append(values, p.compute(r.IntN(4), any(), any()))
		case 3, 4, 5:
			way, effect := []string{"tap", "pass", "call"}[r.IntN(3)], []string{"", "a", "b"}[r.IntN(3)]
			if v := p.call(way, effect, any()); way != "tap" && r.IntN(3) > 0 {
				values = append(values, v)
			}
		case 6, 7:
			n := r.IntN(3)
			var branches []func() []V
			for range 2 + r.IntN(2) {
				seed := r.Uint64()
				branches = append(branches, func() []V { return p.block(seed, depth-1, values, n) })
			}
			values = append(values, p.choose(any(), branches)...)
		case 8:
			seed := r.Uint64()
			n := 1 + r.IntN(2)
			values = append(values, p.loop(3, r.Int32N(5)-1, any(), some(n), func(state []V) []V {
				return p.block(seed, depth-1, append(slices.Clone(values), state...), n)
			})...)
		case 9:
			seed := r.Uint64()
			values = append(values, p.until(any(), func(next V) {
				p.block(seed, depth-1, append(slices.Clone(values), next, next, next), 0)
			}))
		case 10:
			seed := r.Uint64()
			n := 1 + r.IntN(2)
			values = append(values, p.function(some(1+r.IntN(2)), func(params []V) []V {
				return p.block(seed, depth-1, params, n)
			})...)
		}
	}
	return some(results)
}

// plainWorld computes in Go.
type plainWorld struct{ trace []string }

type plain [4]int32

func (w *plainWorld) number(n int32) plain { return plain{n, n, n, n} }

func (w *plainWorld) compute(op int, x, y plain) (out plain) {
	for i := range out {
		out[i] = []int32{x[i] + y[i], x[i] * y[i], -x[i], x[i] - y[i]}[op]
	}
	return out
}

func (w *plainWorld) call(way, effect string, x plain) plain {
	w.trace = append(w.trace, fmt.Sprint(effect, " ", way, " ", x))
	return changed(x)
}

func changed(x plain) plain {
	for i := range x {
		x[i] = 3*x[i] + 1
	}
	return x
}

func (w *plainWorld) choose(by plain, branches []func() []plain) []plain {
	if len(branches) == 2 {
		if by[0] > 0 {
			return branches[0]()
		}
		return branches[1]()
	}
	if i := by[0]; i >= 0 && int(i) < len(branches) {
		return branches[i]()
	}
	return branches[len(branches)-1]()
}

func (w *plainWorld) loop(_, n int32, by plain, state []plain, body func([]plain) []plain) []plain {
	if n < 0 {
		n = by[0] & 3
	}
	for range n {
		state = body(state)
	}
	return state
}

func (w *plainWorld) until(state plain, body func(plain)) plain {
	for i := range state {
		state[i] &= 3
	}
	for state[0] < 3 {
		state = w.compute(0, state, plain{1, 1, 1, 1})
		body(state)
	}
	return state
}

func (w *plainWorld) function(args []plain, body func([]plain) []plain) []plain { return body(args) }

// builtWorld builds the current function.
type builtWorld struct {
	b *builder.Builder
	f *builder.Func
	n int // functions
}

func (w *builtWorld) number(n int32) value {
	return builder.BroadcastTo(builder.Scalar(w.f, n), 4)
}

func (w *builtWorld) compute(op int, x, y value) value {
	switch op {
	case 0:
		return builder.Add(x, y)
	case 1:
		return builder.Mul(x, y)
	case 2:
		return builder.Neg(x)
	}
	return builder.Sub(x, y)
}

func (w *builtWorld) call(way, effect string, x value) value {
	cb := builder.Callback{Name: "returns " + way, Effect: effect}
	switch way {
	case "tap":
		builder.Tap(x, cb)
	case "pass":
		return builder.Passthrough(x, cb)
	case "call":
		return builder.RuntimeCall(x, x, cb)
	}
	return x
}

func first(x value) value { return builder.Reshape(builder.SliceAxis(x, 0, 0, 1)) }

func (w *builtWorld) choose(by value, branches []func() []value) []value {
	if len(branches) == 2 {
		return builder.If(builder.Gt(first(by), int32(0)), branches[0], branches[1])
	}
	return builder.Case(first(by), branches...)
}

func (w *builtWorld) loop(_, n int32, by value, state []value, body func([]value) []value) []value {
	count := builder.Scalar(w.f, n)
	if n < 0 {
		count = builder.And(first(by), int32(3))
	}
	return builder.Loop(count, state, func(_ value, state []value) []value { return body(state) },
		builder.LoopOptions{})
}

func (w *builtWorld) until(state value, body func(value)) value {
	return builder.While(builder.And(state, int32(3)),
		func(state value) value { return builder.Lt(first(state), int32(3)) }, func(state value) value {
			next := builder.Add(state, int32(1))
			body(next)
			return next
		}, builder.LoopOptions{})
}

func (w *builtWorld) function(args []value, body func([]value) []value) []value {
	outer := w.f
	w.n++
	shapes := make([]tensor.Shape, len(args))
	for i := range shapes {
		shapes[i] = tensor.ShapeOf(tensor.S32, 4)
	}
	w.f = w.b.Func(fmt.Sprint("f", w.n), shapes...)
	var params []value
	for i := range args {
		params = append(params, w.f.Param(i))
	}
	g := w.f
	g.Return(body(params)...)
	w.f = outer
	return g.Call(args...)
}

// TestRandomReturns runs random programs on XLA, with parameters donated and not, and holds them against a model in Go.
// Without passes.Prepare, XLA overwrites some of the values.
func TestRandomReturns(t *testing.T) {
	var trace []string
	for _, way := range []string{"tap", "pass", "call"} {
		check.NoError(t, callbacks.Default.Register("returns "+way, func(f *callbacks.Frame) error {
			x := plain(check.Must(tensor.Slice[int32](f.Args[0])))
			trace = append(trace, fmt.Sprint(f.Config.Effect, " ", way, " ", x))
			if way != "tap" {
				out := changed(x)
				copy(check.Must(tensor.Slice[int32](f.Results[0])), out[:])
			}
			return nil
		}, callbacks.Options{}))
		t.Cleanup(func() { check.NoError(t, callbacks.Default.Unregister("returns "+way)) })
	}
	client := newClient(t, 1)
	ctx := library.NewContext(mlir.ContextOptions{})
	check.Cleanup(t, ctx)
	bad := 0
	run := func(seed uint64, level int) {
		r := rand.New(rand.NewPCG(seed, 1000))
		size, depth, results := 1+r.IntN(4), 1+r.IntN(3), max(1, r.IntN(5)-2)
		params := make([]builder.Param, 1+r.IntN(2))
		aliased := map[int]bool{}
		marks := []int{}
		for i := range params {
			params[i].Shape = tensor.ShapeOf(tensor.S32, 4)
			mark := r.IntN(3)
			marks = append(marks, mark)
			switch out := r.IntN(results); {
			case mark == 1:
				params[i].Donate = true
			case mark == 2 && !aliased[out]:
				params[i].AliasOutput, aliased[out] = &out, true
			}
		}
		b := builder.New(ctx, builder.Options{})
		w := &builtWorld{b: b, f: b.FuncWith("main", builder.Signature{Params: params})}
		main := w.f
		var values []value
		for i := range params {
			values = append(values, main.Param(i))
		}
		main.Return(returning[value]{w, size}.block(seed, depth, values, results)...)
		m, err := b.Module()
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		e, err := client.Compile(t.Context(), passes.Program(m, passes.PrepareOptions{}),
			engine.CompileOptions{OptimizationLevel: level})
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, m)
		}
		for _, in := range []plain{{1, 2, 3, 4}, {-3, 5, 0, 7}} {
			p := &plainWorld{}
			var args []plain
			var inputs []engine.Input
			var held []*engine.Array
			for i := range params {
				args = append(args, in)
				buffer := check.Must(client.ArrayFromHost(t.Context(), tensor.Vector(in[:]...), 0))
				if params[i].Donate || params[i].AliasOutput != nil && in[0] > 0 {
					inputs = append(inputs, engine.Donate(buffer))
				} else {
					inputs = append(inputs, buffer)
					held = append(held, buffer)
				}
				in[3]++
			}
			want := fmt.Sprint(returning[plain]{p, size}.block(seed, depth, args, results))
			trace = nil
			buffers, err := e.Run(t.Context(), inputs...)
			if err != nil {
				t.Fatalf("seed %d: %v\n%s", seed, err, m)
			}
			var got []plain
			for _, v := range toHost(t, buffers) {
				got = append(got, plain(check.Must(tensor.Slice[int32](v))))
			}
			for _, buffer := range held {
				check.NoError(t, buffer.Close())
			}
			diff := cmp.Diff(want, fmt.Sprint(got)) + cmp.Diff(sorted(p.trace), sorted(trace))
			for _, effect := range []string{"a", "b"} {
				diff += cmp.Diff(ofEffect(p.trace, effect), ofEffect(trace, effect))
			}
			if diff != "" {
				bad++
				t.Errorf("seed %d marks %v lines %d:\n%s\n%s", seed, marks, strings.Count(m.String(), "\n"), diff, m)
				break
			}
		}
		check.NoError(t, e.Close())
		check.NoError(t, m.Close())
	}
	for _, seed := range []uint64{1201554, 1202997, 1203596} { // an if in a branch returns a parameter
		run(seed, -1)
	}
	seeds := *returnsSeeds
	if testing.Short() {
		seeds /= 10
	}
	for seed := *returnsSeed; seed < *returnsSeed+seeds && bad < 20; seed++ {
		run(seed, *returnsLevel)
	}
}

func sorted(trace []string) []string {
	trace = slices.Clone(trace)
	slices.Sort(trace)
	return trace
}

func ofEffect(trace []string, effect string) []string {
	return slices.DeleteFunc(slices.Clone(trace), func(s string) bool { return !strings.HasPrefix(s, effect+" ") })
}
