package stages_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/calliope-mlir/calliope/bridge"
	"github.com/calliope-mlir/calliope/builder"
	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/stages"
	"github.com/calliope-mlir/calliope/tensor"
)

// called records the calls of a callback, by device.
type called struct {
	mu   sync.Mutex
	seen map[int][]string
	runs []int64
}

func (c *called) add(f *callbacks.Frame) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.seen[f.Device] = append(c.seen[f.Device], fmt.Sprint(f.Name, f.Args))
	if !slices.Contains(c.runs, f.RunID) {
		c.runs = append(c.runs, f.RunID)
	}
}

func (c *called) take() map[int][]string {
	seen := c.seen
	c.seen, c.runs = map[int][]string{}, nil
	return seen
}

// summed returns the sum over all replicas.
func summed(x builder.Value) builder.Value {
	return builder.AllReduce(x, builder.Add, builder.CollectiveOptions{})
}

// TestReplicas runs modules on replicas, inline and in stages. They agree in the results, and in what is called on each
// device.
func TestReplicas(t *testing.T) {
	c := &called{seen: map[int][]string{}}
	register(t, "double", func(f *callbacks.Frame) error { c.add(f); return double(f) }, callbacks.Options{})
	register(t, "see", func(f *callbacks.Frame) error { c.add(f); return nil }, callbacks.Options{FailRun: true})
	type state struct{ I, V builder.Value }
	doubled := func(x builder.Value) builder.Value {
		return builder.RuntimeCall(x, x, builder.Callback{Name: "double", Effect: "e"})
	}
	for _, test := range []struct {
		name        string
		collectives bool
		main        func(f *builder.Func)
	}{
		{"no collective", false, func(f *builder.Func) { f.Return(builder.Neg(doubled(f.Param(0)))) }},
		{"a sum", true, func(f *builder.Func) { f.Return(builder.Neg(summed(doubled(f.Param(0)))), f.Param(0)) }},
		{"number of the replica", false, func(f *builder.Func) {
			n := builder.BroadcastTo(builder.Convert(builder.ReplicaID(f), tensor.F32), 4)
			f.Return(builder.Add(doubled(n), n))
		}},
		{"another number of iterations", false, func(f *builder.Func) {
			s := builder.While(state{builder.ReplicaID(f), f.Param(0)},
				func(s state) builder.Value { return builder.Lt(s.I, uint32(5)) },
				func(s state) state { return state{builder.Add(s.I, uint32(2)), doubled(s.V)} }, builder.LoopOptions{})
			f.Return(s.V)
		}},
		{"a sum in a loop", true, func(f *builder.Func) {
			s := builder.While(state{builder.Scalar(f, uint32(0)), f.Param(0)},
				func(s state) builder.Value { return builder.Lt(s.I, uint32(4)) },
				func(s state) state { return state{builder.Add(s.I, uint32(1)), summed(doubled(s.V))} },
				builder.LoopOptions{})
			f.Return(s.V)
		}},
		{"two sums that are independent", true, func(f *builder.Func) {
			x := builder.RuntimeCall(f.Param(0), f.Param(0), builder.Callback{Name: "double"})
			y := builder.RuntimeCall(f.Param(0), builder.Neg(f.Param(0)), builder.Callback{Name: "double"})
			f.Return(summed(builder.Mul(x, x)), summed(builder.Mul(y, float32(3))))
		}},
		{"one replica calls", true, func(f *builder.Func) {
			builder.Tap(f.Param(0), builder.Callback{Name: "see", Policy: contract.Once.On(2), Effect: "e"})
			x := builder.RuntimeCall(f.Param(0),
				f.Param(0), builder.Callback{Name: "double", Policy: contract.Once.On(1), Effect: "e"})
			f.Return(builder.Sub(x, f.Param(0)))
		}},
		{"replicas exchange values", true, func(f *builder.Func) {
			x := builder.CollectivePermute(doubled(f.Param(0)), [][2]int{{0, 1}, {1, 2}, {2, 0}},
				builder.CollectiveOptions{})
			f.Return(doubled(x))
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			client := devices(t, 4)
			const replicas = 3
			m := build(t, 1, test.main)
			var in []tensor.View
			for i := range replicas {
				in = append(in, floats(float32(i+1), 2, -3, float32(10*i)))
			}
			whole, err := stages.Compile(t.Context(), m,
				stages.Options{Devices: stages.On(client.Engine()), Compile: engine.CompileOptions{Replicas: replicas}})
			check.NoError(t, err)
			check.Cleanup(t, whole)
			if _, ok := whole.(*bridge.Executable); !ok {
				t.Errorf("got a %T, want a *bridge.Executable", whole)
			}
			want, err := whole.Call(t.Context(), in...)
			check.NoError(t, err)
			wantSeen := c.take()
			before, compile := held(client), engine.CompileOptions{Replicas: replicas}
			for _, o := range []stages.Options{
				{Devices: stages.On(client.Engine()), Compile: compile, Force: cutAll("double", "see")},
				{Devices: stages.On(client.Engine()), Compile: compile, Force: cutAll("see")},
				{Compile: compile},
			} {
				e, err := stages.Compile(t.Context(), m, o)
				if o.Devices == nil && test.collectives {
					check.Error(t, err, "the JIT compiler cannot make operations of several replicas")
					if at := new(stages.CutError); !errors.As(err, &at) ||
						!strings.Contains(at.Location, "replicas_test.go") {
						t.Errorf("got %v, want a CutError with the location", err)
					}
					continue
				}
				check.NoError(t, err)
				for range 3 {
					got, err := e.Call(t.Context(), in...)
					check.NoError(t, err)
					check.Diff(t, "results", fmt.Sprint(want), fmt.Sprint(got))
					if len(o.Force) != 1 { // a callback that is inline has the number of its stage's execution
						check.Diff(t, "runs", 1, len(c.runs))
					}
					seen := c.take()
					if strings.HasPrefix(test.name, "two") { // no order
						for i := range seen {
							slices.Sort(seen[i])
							slices.Sort(wantSeen[i])
						}
					}
					check.Diff(t, "calls", wantSeen, seen)
				}
				if o.Devices != nil {
					out, err := e.Run(t.Context(), inputs(in)...)
					check.NoError(t, err)
					c.take()
					for i, b := range out {
						check.Diff(t, "device of a result", i/(len(out)/replicas), b.Device())
						check.NoError(t, b.Close())
					}
				}
				check.NoError(t, e.Close())
			}
			checkHeld(t, before, client)
		})
	}
}

func inputs(views []tensor.View) []engine.Input {
	list := make([]engine.Input, len(views))
	for i, v := range views {
		list[i] = v
	}
	return list
}

// Runs of replicas at the same time do not take part in each other's collective operations.
func TestReplicasAtOnce(t *testing.T) {
	register(t, "double", double, callbacks.Options{})
	client := devices(t, 3)
	type state struct{ I, V builder.Value }
	m := build(t, 1, func(f *builder.Func) {
		s := builder.While(state{builder.Scalar(f, uint32(0)), f.Param(0)},
			func(s state) builder.Value { return builder.Lt(s.I, uint32(3)) },
			func(s state) state {
				return state{builder.Add(s.I, uint32(1)),
					summed(builder.RuntimeCall(s.V, s.V, builder.Callback{Name: "double"}))}
			}, builder.LoopOptions{})
		f.Return(s.V)
	})
	e, err := stages.Compile(t.Context(), m,
		stages.Options{Devices: stages.On(client.Engine()),
			Compile: engine.CompileOptions{Replicas: 3}, Force: cutAll("double")})
	check.NoError(t, err)
	check.Cleanup(t, e)
	var all sync.WaitGroup
	for i := range 12 {
		all.Go(func() {
			x := float32(i)
			got, err := e.Call(t.Context(), floats(x, 0, 0, 1), floats(x, 1, 0, 2), floats(x, 2, 0, 3))
			check.NoError(t, err)
			want := slices.Repeat([]tensor.View{floats(216*x, 216, 0, 432)}, 3) // 2 * sum, then 6 * itself twice
			check.Diff(t, "results", fmt.Sprint(want), fmt.Sprint(got))
		})
	}
	all.Wait()
}

// If one replica's callback fails before a collective operation, the others do not wait for it.
func TestErrorOfOneReplica(t *testing.T) {
	faulty := true
	register(t, "fails", func(f *callbacks.Frame) error {
		if faulty && f.Device == 1 {
			return errCallback
		}
		return double(f)
	}, callbacks.Options{})
	m := build(t, 1, func(f *builder.Func) {
		f.Return(summed(builder.RuntimeCall(f.Param(0), f.Param(0), builder.Callback{Name: "fails"})))
	})
	client := devices(t, 3)
	e, err := stages.Compile(t.Context(), m,
		stages.Options{Devices: stages.On(client.Engine()),
			Compile: engine.CompileOptions{Replicas: 3}, Force: cutAll("fails")})
	check.NoError(t, err)
	check.Cleanup(t, e)
	in := slices.Repeat([]tensor.View{floats(1, 2, 3, 4)}, 3)
	before := held(client)
	for range 10 {
		_, err = e.Call(t.Context(), in...)
		checkCallError(t, err, 1)
	}
	checkHeld(t, before, client)
	faulty = false
	got, err := e.Call(t.Context(), in...)
	check.NoError(t, err)
	check.Diff(t, "results", fmt.Sprint(slices.Repeat([]tensor.View{floats(6, 12, 18, 24)}, 3)), fmt.Sprint(got))
}

// A replica that ends without coming to a collective operation fails the run. If replicas wait for each other in
// different ones, the run ends with its context.
func TestReplicaStaysAway(t *testing.T) {
	register(t, "double", double, callbacks.Options{})
	client := devices(t, 2)
	apart := func(one, other func(builder.Value) builder.Value) engine.Executable {
		m := build(t, 1, func(f *builder.Func) {
			call := func(x builder.Value) builder.Value {
				return builder.RuntimeCall(x, x, builder.Callback{Name: "double"})
			}
			y := call(f.Param(0))
			f.Return(builder.If(builder.Eq(builder.ReplicaID(f), uint32(1)),
				func() builder.Value { return one(call(y)) }, func() builder.Value { return other(call(y)) }))
		})
		e, err := stages.Compile(t.Context(), m,
			stages.Options{Devices: stages.On(client.Engine()),
				Compile: engine.CompileOptions{Replicas: 2}, Force: cutAll("double")})
		check.NoError(t, err)
		check.Cleanup(t, e)
		return e
	}
	before := held(client)
	e := apart(builder.Neg, summed)
	for range 5 {
		_, err := e.Call(t.Context(), floats(1, 2, 3, 4), floats(1, 2, 3, 4))
		check.Error(t, err, "replica 1 has ended without it", "stages: stage")
	}
	e = apart(func(x builder.Value) builder.Value { return summed(builder.Neg(x)) }, summed)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	_, err := e.Call(ctx, floats(1, 2, 3, 4), floats(1, 2, 3, 4))
	check.Diff(t, "deadline", true, errors.Is(err, context.DeadlineExceeded))
	checkHeld(t, before, client)
}

func TestReplicasRefused(t *testing.T) {
	register(t, "double", double, callbacks.Options{})
	m := halves(t, "double")
	client := devices(t, 2)
	for _, test := range []struct {
		o    stages.Options
		want string
	}{
		{stages.Options{Compile: engine.CompileOptions{Replicas: -1}}, "Options.Compile.Replicas is -1"},
		{stages.Options{Devices: stages.On(client.Engine(), 0, 1),
			Compile: engine.CompileOptions{Replicas: 2}}, "give only On(client.Engine())"},
		{stages.Options{Devices: stages.On(client.Engine(), 1),
			Compile: engine.CompileOptions{Replicas: 2}}, "is not the first"},
		{stages.Options{Devices: stages.On(client.Engine()),
			Compile: engine.CompileOptions{Replicas: 3}, Force: cutAll("double")},
			"the client has 2 devices: increase ClientOptions.Devices"},
		{stages.Options{Devices: stages.On(client.Engine()), Compile: engine.CompileOptions{Replicas: 3}},
			"the client has 2 devices: increase ClientOptions.Devices"},
	} {
		_, err := stages.Compile(t.Context(), m, test.o)
		check.Error(t, err, test.want)
	}
	e, err := stages.Compile(t.Context(), m,
		stages.Options{Devices: stages.On(client.Engine()),
			Compile: engine.CompileOptions{Replicas: 2}, Force: cutAll("double")})
	check.NoError(t, err)
	check.Cleanup(t, e)
	_, err = e.Call(t.Context(), floats(1, 2, 3, 4))
	if count := new(engine.InputCountError); !errors.As(err, &count) ||
		*count != (engine.InputCountError{Want: 1, Got: 1, Devices: 2}) {
		t.Errorf("got %v, want an InputCountError", err)
	}
	_, err = e.Call(t.Context(), floats(1, 2, 3, 4), floats(1))
	if input := new(engine.InputError); !errors.As(err, &input) || input.Index != 1 {
		t.Errorf("got %v, want an InputError", err)
	}

	const text = `module attributes {mhlo.num_replicas = %d : i32, mhlo.num_partitions = %d : i32} {
  func.func @main(%%x: tensor<4xf32>) -> tensor<4xf32> {
    %%y = stablehlo.custom_call @calliope_runtime_call(%%x) {api_version = 4 : i32, backend_config = {v = 1 : i64, form = "call", callback = "double", policy = "once:2"}} : (tensor<4xf32>) -> tensor<4xf32>
    return %%y : tensor<4xf32>
  }
}`
	_, err = stages.Cut(mlirtest.Parse(t, mlirtest.Context(t), fmt.Sprintf(text, 1, 2)), stages.Options{})
	check.Error(t, err, "the module is partitioned over 2 devices", "only modules of one partition are cut")
	replicated := mlirtest.Parse(t, mlirtest.Context(t), fmt.Sprintf(text, 2, 1))
	_, err = stages.Cut(replicated, stages.Options{Compile: engine.CompileOptions{Replicas: 3}})
	check.Error(t, err, "Options.Compile.Replicas is 3, but the module has mhlo.num_replicas = 2")
	_, err = stages.Cut(replicated, stages.Options{})
	check.Error(t, err, `the callback "double": device 2 only calls it (policy "once:2"), and the program runs on 2: increase Options.Compile.Replicas`)
	plan, err := stages.Cut(mlirtest.Parse(t, mlirtest.Context(t), fmt.Sprintf(text, 3, 1)), stages.Options{})
	check.NoError(t, err)
	check.Cleanup(t, plan)
	const first = "on the JIT compiler, as the first of 3 replicas"
	check.Diff(t, "explained", true, strings.Contains(plan.Explain(), first))
}

// The module itself says how many replicas it has.
func TestReplicasOfModule(t *testing.T) {
	register(t, "double", double, callbacks.Options{})
	m := mlirtest.Parse(t, mlirtest.Context(t),
		`module attributes {mhlo.num_replicas = 2 : i32, mhlo.num_partitions = 1 : i32} {
  func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
    %n = stablehlo.negate %x : tensor<4xf32>
    %y = stablehlo.custom_call @calliope_runtime_call(%n) {api_version = 4 : i32, backend_config = {v = 1 : i64, form = "call", callback = "double"}} : (tensor<4xf32>) -> tensor<4xf32>
    %s = "stablehlo.all_reduce"(%y) ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %c = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %c : tensor<f32>
    }) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<4xf32>) -> tensor<4xf32>
    return %s : tensor<4xf32>
  }
}`)
	client := devices(t, 2)
	for _, force := range []map[string]stages.Decision{nil, cutAll("double")} {
		e, err := stages.Compile(t.Context(), m, stages.Options{Devices: stages.On(client.Engine()), Force: force})
		check.NoError(t, err)
		check.Cleanup(t, e)
		got, err := e.Call(t.Context(), floats(1, 2, 3, 4), floats(1, 1, 1, 1))
		check.NoError(t, err)
		check.Diff(t, "results", "[f32[4] [-4 -6 -8 -10] f32[4] [-4 -6 -8 -10]]", fmt.Sprint(got))
	}
}
