package stages_test

import (
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/builder"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/stages"
)

// TestExplainLoops checks the table of the costs of an iteration: an inner loop with one callback of 16 bytes each way,
// and an outer one with a branch that has a tap of 16 bytes or two stages.
func TestExplainLoops(t *testing.T) {
	b := builder.New(mlirtest.Context(t), builder.Options{})
	f := b.Func("main", shape)
	type state struct{ I, V builder.Value }
	loop := func(v builder.Value, body func(builder.Value) builder.Value) builder.Value {
		return builder.While(state{builder.Scalar(f, int32(0)), v},
			func(s state) builder.Value { return builder.Lt(s.I, int32(3)) },
			func(s state) state { return state{builder.Add(s.I, int32(1)), body(s.V)} }, builder.LoopOptions{}).V
	}
	call := func(v builder.Value) builder.Value {
		return builder.RuntimeCall(v, v, builder.Callback{Name: "call"})
	}
	f.Return(loop(f.Param(0), func(v builder.Value) builder.Value {
		v = loop(v, func(v builder.Value) builder.Value { return builder.Neg(call(v)) })
		return builder.If(builder.Lt(builder.Reshape(builder.SliceAxis(v, 0, 0, 1)), float32(1)),
			func() builder.Value { builder.Tap(v, builder.Callback{Name: "tap"}); return v },
			func() builder.Value { return builder.Neg(call(builder.Neg(v))) })
	}))
	m, err := b.Module()
	check.NoError(t, err)
	check.Cleanup(t, m)
	plan, err := stages.Cut(m, stages.Options{Devices: stages.On(newClient(t).Engine()), Force: cutAll("call", "tap")})
	check.NoError(t, err)
	check.Cleanup(t, plan)
	_, table, _ := strings.Cut(plan.Explain(), "loop around")
	var rows []string
	for _, line := range strings.Split(strings.TrimSpace(table), "\n")[1:] {
		rows = append(rows, strings.Join(strings.Fields(line), " "))
	}
	// The outer iteration: the condition, the selector with the counter, and two stages of the branch. The inner one:
	// the condition, and the counter with the negation.
	check.Diff(t, "rows", []string{"call, tap 4 1 32 40µs", "call 2 1 32 20µs"}, rows)
}
