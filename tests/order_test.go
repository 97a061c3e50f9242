package tests

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/calliope-mlir/calliope/bridge"
	"github.com/calliope-mlir/calliope/builder"
	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/passes"
	"github.com/calliope-mlir/calliope/tensor"
)

// The tests here build programs of nested control flow with taps everywhere, run them on
// XLA, and hold the order of the taps against that of an interpreter of the same
// program, which is the one in which a person reads it.

// step is a part of such a program. It goes from a number to the next one, within the
// i-th turn of the innermost loop.
type step interface {
	build(p *program, i, x builder.Value) builder.Value
	run(m *evaluator, i, x int32) int32
}

// evaluator keeps the taps of each effect, in order. Those after a tap that is ordered
// against all effects are kept apart from those before it.
type evaluator struct {
	flags  [2]bool
	bodies []steps
	taps   map[string][]string
	all    []string // of all effects
	loose  []string // calls without an order
	fences int
	run    string // which execution taps, if there are several
}

func (m *evaluator) tap(effect string, tag, x int32) {
	if effect == builder.AllEffects {
		m.fences++
	}
	m.all = append(m.all, fmt.Sprintf("%s %d: %d", effect, tag, x))
	if m.fences > 0 {
		effect = fmt.Sprint(effect, " after ", m.fences)
	}
	m.taps[effect] = append(m.taps[effect], fmt.Sprintf("%s%d: %d", m.run, tag, x))
}

type (
	steps   []step
	shift   struct{ by int32 }
	tapStep struct {
		effect string
		tag    int32
	}
	ifStep struct {
		flag    int
		yes, no steps
	}
	caseStep struct{ branches []steps } // by the number of the turn
	loopStep struct {
		n    int32
		body steps
	}
	whileStep struct { // with a tap in the condition, and in a case in it
		n      int32
		effect string
		tag    int32
		body   steps
	}
	callStep struct{ function int }
	through  struct{ tag int32 } // passes through Go, in the order of the effect "other"
	ask      struct{ tag int32 } // Go adds one to the number, likewise
)

// program is what is built: functions of which each calls earlier ones only. The last
// is main.
type program struct {
	callback  int64
	functions []*builder.Func
	f         *builder.Func // that is being built
	flags     [2]builder.Value
}

func (p *program) number(v int32) builder.Value { return p.f.Constant(tensor.Scalar(v)) }

func (p *program) tap(effect string, tag int32, x builder.Value) {
	builder.Tap([]builder.Value{p.number(tag), x}, builder.Callback{ID: p.callback, Effect: effect})
}

func (s steps) build(p *program, i, x builder.Value) builder.Value {
	for _, step := range s {
		x = step.build(p, i, x)
	}
	return x
}

func (s steps) run(m *evaluator, i, x int32) int32 {
	for _, step := range s {
		x = step.run(m, i, x)
	}
	return x
}

func (s shift) build(p *program, _, x builder.Value) builder.Value {
	return builder.Add(x, p.number(s.by))
}
func (s shift) run(_ *evaluator, _, x int32) int32 { return x + s.by }

func (s tapStep) build(p *program, _, x builder.Value) builder.Value {
	p.tap(s.effect, s.tag, x)
	return x
}

func (s tapStep) run(m *evaluator, _, x int32) int32 {
	m.tap(s.effect, s.tag, x)
	return x
}

func (s through) build(p *program, _, x builder.Value) builder.Value {
	cb := builder.Callback{ID: p.callback, Effect: "other"}
	return builder.Passthrough([]builder.Value{p.number(s.tag), x}, cb)[1]
}

func (s through) run(m *evaluator, _, x int32) int32 {
	m.tap("other", s.tag, x)
	return x
}

func (s ask) build(p *program, _, x builder.Value) builder.Value {
	cb := builder.Callback{ID: p.callback, Effect: "other"}
	return builder.RuntimeCall(x, []builder.Value{p.number(s.tag), x}, cb)
}

func (s ask) run(m *evaluator, _, x int32) int32 {
	m.tap("other", s.tag, x)
	return x + 1
}

func (s ifStep) build(p *program, i, x builder.Value) builder.Value {
	return builder.If(p.flags[s.flag],
		func() builder.Value { return s.yes.build(p, i, x) },
		func() builder.Value { return s.no.build(p, i, x) })
}

func (s ifStep) run(m *evaluator, i, x int32) int32 {
	if m.flags[s.flag] {
		return s.yes.run(m, i, x)
	}
	return s.no.run(m, i, x)
}

func (s caseStep) build(p *program, i, x builder.Value) builder.Value {
	branches := make([]func() builder.Value, len(s.branches))
	for k, b := range s.branches {
		branches[k] = func() builder.Value { return b.build(p, i, x) }
	}
	return builder.Case(i, branches...)
}

func (s caseStep) run(m *evaluator, i, x int32) int32 {
	return s.branches[min(int(i), len(s.branches)-1)].run(m, i, x)
}

func (s loopStep) build(p *program, _, x builder.Value) builder.Value {
	return builder.Loop(p.number(s.n), x, func(i, x builder.Value) builder.Value { return s.body.build(p, i, x) },
		builder.LoopOptions{})
}

func (s loopStep) run(m *evaluator, _, x int32) int32 {
	for i := range s.n {
		x = s.body.run(m, i, x)
	}
	return x
}

func (s whileStep) build(p *program, _, x builder.Value) builder.Value {
	type state struct{ I, X builder.Value }
	boolean := func(v bool) builder.Value { return p.f.Constant(tensor.Scalar(v)) }
	end := builder.While(state{p.number(0), x}, func(at state) builder.Value {
		p.tap(s.effect, s.tag, at.I)
		branches := make([]func() builder.Value, s.n+1)
		for k := range s.n {
			branches[k] = func() builder.Value {
				p.tap(s.effect, s.tag+1, at.X)
				return boolean(true)
			}
		}
		branches[s.n] = func() builder.Value { return boolean(false) }
		return builder.Case(at.I, branches...)
	}, func(at state) state {
		return state{builder.Add(at.I, p.number(1)), s.body.build(p, at.I, at.X)}
	}, builder.LoopOptions{})
	return end.X
}

func (s whileStep) run(m *evaluator, _, x int32) int32 {
	for i := int32(0); ; i++ {
		m.tap(s.effect, s.tag, i)
		if i >= s.n {
			return x
		}
		m.tap(s.effect, s.tag+1, x)
		x = s.body.run(m, i, x)
	}
}

func (s callStep) build(p *program, _, x builder.Value) builder.Value {
	return builder.Call[builder.Value](p.functions[s.function], x, p.flags[0], p.flags[1])
}

func (s callStep) run(m *evaluator, _, x int32) int32 { return m.bodies[s.function].run(m, 0, x) }

// buildProgram makes a module of the bodies.
func buildProgram(ctx *mlir.Context, callback int64, bodies []steps, o builder.Options) (*mlir.Module, error) {
	number, flag := tensor.ShapeOf(tensor.S32), tensor.ShapeOf(tensor.Pred)
	b := builder.New(ctx, o)
	p := &program{callback: callback}
	for k, body := range bodies {
		name := fmt.Sprintf("f%d", k)
		if k == len(bodies)-1 {
			name = "main"
		}
		p.f = b.Func(name, number, flag, flag)
		p.flags = [2]builder.Value{p.f.Param(1), p.f.Param(2)}
		p.f.Return(body.build(p, p.number(0), p.f.Param(0)))
		p.functions = append(p.functions, p.f)
	}
	return b.Module()
}

// randomSteps makes steps that nest up to a depth.
func randomSteps(r *rand.Rand, depth, functions int) steps {
	tag := func() int32 { return r.Int32N(1000) * 2 }
	effect := func() string { return []string{"", "other"}[r.IntN(2)] }
	inner := func() steps { return randomSteps(r, depth-1, functions) }
	var out steps
	for range 1 + r.IntN(3) {
		kind := r.IntN(9)
		if depth == 0 {
			kind = r.IntN(4)
		}
		switch kind {
		case 0:
			out = append(out, shift{r.Int32N(100)})
		case 1:
			out = append(out, tapStep{effect(), tag()})
		case 2:
			out = append(out, through{tag()})
		case 3:
			out = append(out, ask{tag()})
		case 4:
			out = append(out, ifStep{r.IntN(2), inner(), inner()})
		case 5:
			out = append(out, caseStep{[]steps{inner(), inner(), inner()}})
		case 6:
			out = append(out, loopStep{r.Int32N(4), inner()})
		case 7:
			out = append(out, whileStep{r.Int32N(3), effect(), tag(), inner()})
		case 8:
			if functions > 0 {
				out = append(out, callStep{r.IntN(functions)})
			}
		}
	}
	return out
}

func TestOrder(t *testing.T) {
	cases := map[string][]steps{
		"straight": {{tapStep{"", 1}, shift{1}, tapStep{"", 2}, tapStep{"other", 3}, through{5}, ask{6},
			tapStep{"other", 7}, tapStep{"", 4}}},
		"if": {{tapStep{"", 1}, ifStep{0, steps{tapStep{"", 2}, shift{5}}, steps{shift{6}}},
			ifStep{1, steps{tapStep{"", 3}}, steps{tapStep{"", 4}}}, tapStep{"", 5}}},
		"loop": {
			{loopStep{5, steps{tapStep{"", 1}, shift{1}, tapStep{"other", 2}, tapStep{"", 3}}}, tapStep{"", 4}}},
		"condition": {{tapStep{"", 1}, whileStep{3, "", 10, steps{tapStep{"", 2}, shift{7}, tapStep{"other", 3}}},
			tapStep{"", 4}}},
		"calls": {
			{tapStep{"", 1}, shift{1}},
			{callStep{0}, tapStep{"", 2}, tapStep{"other", 3}, callStep{0}},
			{shift{3}},
			{callStep{1}, callStep{2}, loopStep{3, steps{callStep{1}}}, tapStep{"other", 4}},
		},
		"nested": {
			{whileStep{2, "other", 20, steps{tapStep{"", 1}}}},
			{loopStep{2, steps{caseStep{[]steps{
				{loopStep{2, steps{whileStep{2, "", 10, steps{ifStep{0, steps{callStep{0}}, nil}}}}}},
				{tapStep{"other", 2}},
			}}, tapStep{"", 3}}}},
		},
	}
	for seed := range uint64(12) {
		r := rand.New(rand.NewPCG(seed, 0))
		var bodies []steps
		for k := range 3 {
			bodies = append(bodies, append(randomSteps(r, 3, k), tapStep{"", 0}))
		}
		cases[fmt.Sprintf("random %d", seed)] = bodies
	}
	client := newClient(t, 0)
	for name, bodies := range cases {
		t.Run(name, func(t *testing.T) { checkOrder(t, client, bodies) })
	}
}

func checkOrder(t *testing.T, client *bridge.Client, bodies []steps) {
	checkOrderWith(t, client, bodies, false)
}

// checkOrderWith is checkOrder. If overlap is true, calls that are not ordered overlap, and it
// reports whether any were seen in another order than the interpreter's.
func checkOrderWith(t *testing.T, client *bridge.Client, bodies []steps, overlap bool) (reordered bool) {
	var mu sync.Mutex // taps of two effects may come at once
	var got *evaluator
	o := callbacks.Options{}
	if overlap {
		o.Dispatch = callbacks.Deferred
	}
	id, err := callbacks.Default.RegisterFunc(func(c *callbacks.Frame) error {
		if overlap {
			time.Sleep(time.Duration(c.Args[0].At(0).(int32)%7) * 50 * time.Microsecond)
		}
		mu.Lock()
		defer mu.Unlock()
		x := c.Args[1].At(0).(int32)
		got.tap(c.Config.Effect, c.Args[0].At(0).(int32), x)
		if c.Config.Form == contract.Call {
			out, err := tensor.Slice[int32](c.Results[0])
			if err != nil {
				return err
			}
			out[0] = x + 1
		}
		return nil
	}, o)
	check.NoError(t, err)
	defer callbacks.Default.UnregisterID(id)
	ctx := library.NewContext(mlir.ContextOptions{})
	defer ctx.Close()
	m, err := buildProgram(ctx, id, bodies, builder.Options{Overlap: overlap})
	check.NoError(t, err)
	if text := m.String(); strings.Contains(text, "stablehlo.token") || strings.Contains(text, "create_token") {
		t.Errorf("the builder made a token of StableHLO:\n%s", text)
	}
	executable, err := client.Compile(t.Context(), passes.Program(m, passes.PrepareOptions{}), engine.CompileOptions{})
	if err != nil {
		t.Fatalf("%v\n%s", err, m)
	}
	defer executable.Close()
	for _, flags := range [][2]bool{{true, false}, {false, true}} {
		want := &evaluator{flags: flags, bodies: bodies, taps: map[string][]string{}}
		end := bodies[len(bodies)-1].run(want, 0, 1)
		got = &evaluator{taps: map[string][]string{}}
		outputs, err := executable.Run(t.Context(), tensor.Scalar[int32](1), tensor.Scalar(flags[0]),
			tensor.Scalar(flags[1]))
		check.NoError(t, err)
		result, err := outputs[0].ToHost(t.Context())
		outputs[0].Close()
		check.NoError(t, err)
		if diff := cmp.Diff(end, result.At(0)); diff != "" {
			t.Errorf("the result with %v (-want +got):\n%s", flags, diff)
		}
		if diff := cmp.Diff(want.taps, got.taps); diff != "" {
			t.Errorf("taps with %v (-want +got):\n%s", flags, diff)
		}
		reordered = reordered || !slices.Equal(want.all, got.all)
	}
	return reordered
}

// fenced returns the steps with some of their taps ordered against all effects.
func fenced(r *rand.Rand, s steps) (out steps) {
	effect := func(effect string) string {
		if r.IntN(3) == 0 {
			return builder.AllEffects
		}
		return effect
	}
	for _, step := range s {
		switch s := step.(type) {
		case tapStep:
			s.effect = effect(s.effect)
			step = s
		case ifStep:
			step = ifStep{s.flag, fenced(r, s.yes), fenced(r, s.no)}
		case caseStep:
			var branches []steps
			for _, b := range s.branches {
				branches = append(branches, fenced(r, b))
			}
			step = caseStep{branches}
		case loopStep:
			step = loopStep{s.n, fenced(r, s.body)}
		case whileStep:
			step = whileStep{s.n, effect(s.effect), s.tag, fenced(r, s.body)}
		}
		out = append(out, step)
	}
	return out
}

// A callback of builder.AllEffects is ordered against those of every effect, through regions
// and functions. Without it, calls of two effects are seen in another order at least once.
func TestOrderAgainstAll(t *testing.T) {
	const fence = builder.AllEffects
	cases := map[string][]steps{
		"straight": {{tapStep{"", 6}, tapStep{"other", 1}, tapStep{fence, 6}, tapStep{"", 5},
			tapStep{"new", 1}, tapStep{fence, 2}, tapStep{"other", 3}}},
		"first": {{tapStep{fence, 6}, tapStep{"", 1}, tapStep{"other", 2}}},
		"loop": {{tapStep{"", 6}, loopStep{3,
			steps{tapStep{fence, 5}, tapStep{"other", 6}, tapStep{"", 1}}}, tapStep{"new", 1}, tapStep{fence, 1}}},
		"branches": {{tapStep{"", 6}, ifStep{0, steps{tapStep{fence, 6}}, steps{tapStep{"other", 6}}},
			tapStep{"other", 1}, tapStep{"", 2}}},
		"only in a branch": {{tapStep{"other", 6}, ifStep{0, steps{tapStep{fence, 1}}, nil}}},
		"deeper in a branch": {{tapStep{"other", 6},
			ifStep{0, steps{ifStep{0, steps{tapStep{fence, 1}}, nil}, tapStep{"other", 3}}, nil}}},
		"loop in a branch": {{tapStep{"other", 6},
			ifStep{0, steps{loopStep{2, steps{tapStep{fence, 1}, tapStep{"other", 3}}}, tapStep{"other", 3}}, nil}}},
		"condition in a case": {{tapStep{"other", 6}, caseStep{[]steps{{whileStep{0, fence, 1, steps{ask{5}}}}, nil}}}},
		"new in a branch": {{tapStep{fence, 6},
			ifStep{1, steps{tapStep{"", 6}, tapStep{fence, 3}, tapStep{"other", 1}}, nil}, tapStep{"", 1}}},
		"call": {
			{tapStep{fence, 6}, tapStep{"other", 6}},
			{tapStep{"", 6}, callStep{0}, tapStep{"", 1}, callStep{0},
				loopStep{2, steps{callStep{0}, tapStep{"new", 6}}}},
		},
	}
	for seed := range uint64(12) {
		r := rand.New(rand.NewPCG(seed, 1))
		var bodies []steps
		for k := range 3 {
			bodies = append(bodies, fenced(r, append(randomSteps(r, 3, k), tapStep{"", 0})))
		}
		cases[fmt.Sprintf("random %d", seed)] = bodies
	}
	client := newClient(t, 0)
	for name, bodies := range cases {
		t.Run(name, func(t *testing.T) { checkOrderWith(t, client, bodies, true) })
	}
	for range 20 {
		if checkOrderWith(t, client, []steps{
			{tapStep{"", 6}, tapStep{"other", 1}, tapStep{"", 5}, tapStep{"new", 1}, tapStep{"other", 3}}}, true) {
			return
		}
	}
	t.Error("calls of different effects were always in the order of the program")
}
