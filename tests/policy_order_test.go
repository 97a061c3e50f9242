package tests

import (
	"cmp"
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/calliope-mlir/calliope/builder"
	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/tensor"
)

// A placement is where a callback is in a program for two devices, and its policy.
type placement struct {
	policy contract.Policy
	device int
	each   bool // each device calls
	whole  bool // outside of a Manual in a module with a mesh
}

func (p placement) kind() string {
	switch {
	case p.each:
		return string(contract.PerDevice)
	case p.whole:
		return "whole " + string(p.policy)
	}
	return string(p.policy)
}

var (
	onMesh = []placement{
		{whole: true}, {policy: contract.Once, whole: true}, {policy: contract.Once, device: 1, whole: true},
		{policy: contract.Gather, device: 1, whole: true}, {each: true}, {policy: contract.Once, device: 1},
	}
	onReplicas = []placement{{each: true}, {policy: contract.Once}, {policy: contract.Once, device: 1}}
)

var sideEffects = []contract.Form{contract.Observe, contract.Passthrough, contract.Call}

// A policyStep is a callback of a chain, each of which takes what the one before returns. Functions of
// callbacks with results add addend.
type policyStep struct {
	placement
	form   contract.Form
	effect string
	addend int32
}

// TestPolicyOrder runs chains of three callbacks: each pair of forms and placements before a call. It compares
// the results, and the order in which Go is called, with those of a model.
func TestPolicyOrder(t *testing.T) {
	const level = engine.NoOptimization // most of the time is that of compiling
	for _, on := range []struct {
		name       string
		options    engine.CompileOptions
		placements []placement
	}{
		{"mesh", engine.CompileOptions{Partitions: 2, OptimizationLevel: level}, onMesh},
		{"replicas", engine.CompileOptions{Replicas: 2, OptimizationLevel: level}, onReplicas},
	} {
		last := on.placements[1]
		for i, p := range on.placements {
			for j, form := range sideEffects {
				var apart, mixed [][]policyStep
				for _, q := range on.placements {
					for _, then := range sideEffects {
						own := fmt.Sprint("e", len(apart))
						chain := func(e [3]string) []policyStep {
							return []policyStep{{p, form, e[0], 1}, {q, then, e[1], 10},
								{last, contract.Call, e[2], 100}}
						}
						mixed = append(mixed, chain([...][3]string{
							{"e", "e", "e"}, {"e", builder.AllEffects, "e"}, {}, {"e", "f", "f"}, {own, own, ""},
						}[len(mixed)%5]))
						apart = append(apart, chain([3]string{own, own, own}))
					}
				}
				name := fmt.Sprintf("%s/%s %d %s", on.name, p.kind(), p.device, form)
				if !testing.Short() {
					t.Run(name, func(t *testing.T) { runPolicyChains(t, on.options, apart) })
				}
				if i%len(sideEffects) == j {
					t.Run(name+" mixed", func(t *testing.T) { runPolicyChains(t, on.options, mixed) })
				}
			}
		}
	}
}

// A policyCall is a call of a step of a chain.
type policyCall struct{ Step, Device int }

// runPolicyChains runs a module with some chains, the first steps of all before the second ones, each chain on
// the inputs.
func runPolicyChains(t *testing.T, o engine.CompileOptions, chains [][]policyStep) {
	var mu sync.Mutex
	calls := make([][]policyCall, len(chains))
	register := func(chain, number int, s policyStep) string {
		name := fmt.Sprintf("%s/%d/%d", t.Name(), chain, number)
		check.NoError(t, callbacks.Default.Register(name, func(f *callbacks.Frame) error {
			mu.Lock()
			calls[chain] = append(calls[chain], policyCall{number, f.Device})
			mu.Unlock()
			for i, r := range f.Results {
				to, from := check.Must(tensor.Slice[int32](r)), check.Must(tensor.Slice[int32](f.Args[i]))
				for j := range to {
					to[j] = from[j] + s.addend
				}
			}
			return nil
		}, callbacks.Options{}))
		t.Cleanup(func() { check.NoError(t, callbacks.Default.Unregister(name)) })
		return name
	}
	shape, part := tensor.ShapeOf(tensor.S32, 4), tensor.ShapeOf(tensor.S32, 2)
	param := builder.Param{Shape: part}
	sharding := builder.Sharding{}
	if o.Partitions > 1 {
		sharding = builder.Sharding{Mesh: "mesh", Dims: [][]string{{"x"}}}
		param = builder.Param{Shape: shape, Sharding: sharding}
	}
	add := func(s policyStep, name string, x builder.Value) builder.Value {
		cb := builder.Callback{Name: name, Policy: s.policy.On(s.device), Effect: s.effect}
		switch s.form {
		case contract.Observe:
			builder.Tap(x, cb)
			return x
		case contract.Passthrough:
			return builder.Passthrough(x, cb)
		}
		return builder.RuntimeCall(builder.Like(x.Shape()), x, cb)
	}
	results := onDevices(t, o, func(b *builder.Builder) {
		if o.Partitions > 1 {
			b.Mesh("mesh", builder.Axis{Name: "x", Size: 2})
		}
		f := b.FuncWith("main", builder.Signature{
			Params: []builder.Param{param}, Results: slices.Repeat([]builder.Result{{Sharding: sharding}}, len(chains)),
		})
		values := slices.Repeat([]builder.Value{f.Param(0)}, len(chains))
		for number := range chains[0] {
			for i, chain := range chains {
				s, name := chain[number], register(i, number, chain[number])
				if s.whole || o.Partitions == 0 {
					values[i] = add(s, name, values[i])
					continue
				}
				split := []builder.Sharding{sharding}
				values[i] = builder.Manual("mesh", split, split, values[i], func(x builder.Value) builder.Value {
					return add(s, name, x)
				})
			}
		}
		f.Return(values...)
	}, tensor.Vector[int32](1000, 2000), tensor.Vector[int32](3000, 4000))
	for i, chain := range chains {
		parts := [2][]int32{check.Must(tensor.Slice[int32](results[0][i])),
			check.Must(tensor.Slice[int32](results[1][i]))}
		checkPolicyChain(t, chain, calls[i], fmt.Sprint(parts))
	}
}

// checkPolicyChain compares the calls and the results of a chain with those of a model.
func checkPolicyChain(t *testing.T, chain []policyStep, calls []policyCall, results string) {
	t.Helper()
	values := [2][]int32{{1000, 2000}, {3000, 4000}}
	var want []policyCall
	for number, s := range chain {
		for device := range values {
			if s.each || device == s.device {
				want = append(want, policyCall{number, device})
			}
		}
		if s.form == contract.Observe {
			continue
		}
		before := values
		for device := range values {
			from := before[device]
			switch {
			case s.each || s.whole || device == s.device:
			case s.form == contract.Call:
				from = before[s.device]
			default:
				continue
			}
			values[device] = []int32{from[0] + s.addend, from[1] + s.addend}
		}
	}
	check.Diff(t, fmt.Sprint("results of ", chain), fmt.Sprint(values), results)
	check.Diff(t, fmt.Sprint("calls of ", chain), want,
		slices.SortedFunc(slices.Values(calls), func(a, b policyCall) int {
			return cmp.Or(a.Step-b.Step, a.Device-b.Device)
		}))
	for i, first := range calls {
		for _, second := range calls[i+1:] {
			a, b := chain[first.Step], chain[second.Step]
			ordered := a.effect == b.effect &&
				(a.effect != "" || a.form == contract.Observe && b.form == contract.Observe) ||
				a.effect == builder.AllEffects && b.effect != "" || b.effect == builder.AllEffects && a.effect != ""
			if ordered && first.Step > second.Step && (first.Device == second.Device || !a.each || !b.each) {
				t.Errorf("calls of %v: %v before %v", chain, first, second)
			}
		}
	}
}
