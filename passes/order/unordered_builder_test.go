package order_test

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/calliope-mlir/calliope/builder"
	"github.com/calliope-mlir/calliope/contract/callop"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/mlir/dialect/function"
	"github.com/calliope-mlir/calliope/passes/order"
	"github.com/calliope-mlir/calliope/tensor"
)

// A nester builds random programs of taps in control flow.
type nester struct {
	r         *rand.Rand
	f         *builder.Func
	functions []*builder.Func
	taps      int
}

func (n *nester) tap(x builder.Value) {
	n.taps++
	effect := []string{"", "", "one", "two", builder.AllEffects}[n.r.IntN(5)]
	builder.Tap(x, builder.Callback{Name: fmt.Sprint("c", n.taps), Effect: effect})
}

func (n *nester) steps(x builder.Value, depth int) {
	flag := n.f.Param(1)
	inside := func() struct{} { n.steps(x, depth-1); return struct{}{} }
	for range 1 + n.r.IntN(3) {
		kind := n.r.IntN(9)
		if depth == 0 {
			kind = 0
		}
		switch kind {
		case 4:
			builder.If(flag, inside, inside)
		case 5:
			builder.Case(builder.Convert(flag, tensor.S32), inside, inside, inside)
		case 6:
			builder.Loop(x, x, func(_, state builder.Value) builder.Value {
				n.steps(x, depth-1)
				return state
			}, builder.LoopOptions{})
		case 7:
			seed := n.r.Uint64()
			before := n.taps
			builder.While(x, func(state builder.Value) builder.Value { // called several times
				inner := *n
				inner.r, inner.taps = rand.New(rand.NewPCG(seed, 0)), before
				inner.tap(state)
				n.taps = max(n.taps, inner.taps)
				return flag
			}, func(state builder.Value) builder.Value {
				n.steps(x, depth-1)
				return state
			}, builder.LoopOptions{})
		case 8:
			if len(n.functions) > 0 {
				n.functions[n.r.IntN(len(n.functions))].Call(x, flag)
			}
		default:
			n.tap(x)
		}
	}
}

func nested(t *testing.T, seed uint64) *mlir.Module {
	b := builder.New(mlirtest.Context(t), builder.Options{})
	n := &nester{r: rand.New(rand.NewPCG(seed, 14))}
	for i := range 3 {
		name := []string{"f", "g", "main"}[i]
		n.f = b.Func(name, tensor.ShapeOf(tensor.S32), tensor.ShapeOf(tensor.Pred))
		n.steps(n.f.Param(0), i+1)
		n.f.Return()
		n.functions = append(n.functions, n.f)
	}
	m, err := b.Module()
	check.NoError(t, err)
	check.Cleanup(t, m)
	return m
}

// trace returns the pairs that a random run of each function finds. If there are none, it runs
// them again, up to a number of times.
func trace(m *mlir.Module, runs int, seed uint64) map[traced]bool {
	order, functions := function.Defined(m)
	pairs := map[traced]bool{}
	r := rand.New(rand.NewPCG(seed, 2))
	for i := 0; i < runs && len(pairs) == 0; i++ {
		for _, f := range order {
			run := &tracer{r: r, functions: functions, values: map[mlir.Value]*big.Int{}, pairs: pairs}
			body := f.Region(0).First()
			args := make([]*big.Int, body.NumArguments())
			for i := range args {
				args[i] = new(big.Int)
			}
			run.run(body, args, new(big.Int))
		}
	}
	return pairs
}

// TestUnorderedBuilder holds that the programs of the builder are ordered, and that they are
// not if a call takes the first token instead of that of the call before it: always if a
// comparison of all calls finds a pair, which it does not if the call was the first one.
func TestUnorderedBuilder(t *testing.T) {
	cuts, first := 0, 0
	for seed := range uint64(300) {
		m := nested(t, seed) // checks the order
		if seed >= 40 {
			continue
		}
		var calls []mlir.Operation
		for call := range callop.Calls(m) {
			calls = append(calls, call.Op)
		}
		call := calls[rand.New(rand.NewPCG(seed, 1)).IntN(len(calls))]
		start, err := callop.FirstToken(m.Context(), call.Location())
		check.NoError(t, err)
		call.SetOperand(call.NumOperands()-1, call.Block().InsertBefore(call, start).Result(0))
		check.NoError(t, m.Verify())

		result, err := order.Unordered(m, order.Options{Limit: 1 << 20})
		check.NoError(t, err)
		runs := 20
		if result.Total > 0 {
			runs = 4000 // it may be found on few paths only
		}
		pairs := trace(m, runs, seed)
		if (len(pairs) > 0) != (result.Total > 0) {
			t.Fatalf("seed %d: Unordered found %d pairs, the comparison %d\n%s", seed, result.Total, len(pairs), m)
		}
		if cuts++; len(pairs) == 0 {
			first++
		}
	}
	t.Logf("%d of %d cuts were before the first call", first, cuts)
	if first > cuts/3 {
		t.Errorf("%d of %d cuts were before the first call", first, cuts)
	}
}
