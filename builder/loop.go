package builder

import (
	"errors"
	"fmt"
	"slices"

	"github.com/calliope-mlir/calliope/autodiff"
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
	"github.com/calliope-mlir/calliope/tensor"
)

// LoopOptions say how reverse mode differentiates a loop.
type LoopOptions struct {
	// MaxSteps is the most steps that the loop takes, if their number is not constant. The derivative stores the values
	// of so many, and is NaN if the loop takes more.
	MaxSteps int64
	// SqrtSteps stores the values of about 2·√n of n steps, and computes the steps twice. The number of steps must be
	// constant.
	SqrtSteps bool
}

// While starts with init and repeats body as long as cond, which returns a pred[], is true.
// It returns the last state. body must return a tree with the structure and types of init.
// cond and body are called while building, and build code that runs later. They may use
// values from outside, which stay the same in every iteration.
//
// If cond contains ordered callbacks, While calls it three times: cond must do nothing but
// build. Values that body returns unchanged are not copied.
func While[T any](init T, cond func(state T) Value, body func(state T) T, o LoopOptions) T {
	carried, err := leaves(init)
	f := mustFuncOf(carried...)
	at := f.b.here()
	if err != nil {
		f.b.fail(at, "while", nil, err)
	}
	if !f.usable(at, "while", carried) {
		return placeholders(f, init)
	}
	if cond == nil || body == nil {
		f.b.fail(at, "while", carried, errors.New("its condition or its body is nil"))
		return placeholders(f, init)
	}
	l := loop{
		f: f, at: at, name: "while", init: carried, options: o,
		cond: func(state []Value) Value { return cond(rebuild(init, state)) },
		body: func(state []Value) ([]Value, error) {
			next := body(rebuild(init, state))
			return sameLeaves(init, next)
		},
	}
	results, ok := l.build()
	if !ok {
		return placeholders(f, init)
	}
	return rebuild(init, results)
}

// Loop calls body n times with the number of the iteration, from 0 on, and the previous
// state, which is init at first. It returns the last state. n is an integer scalar; the
// number of the iteration has its type. Otherwise Loop works like While.
func Loop[T any](n Value, init T, body func(i Value, state T) T, o LoopOptions) T {
	carried, err := leaves(init)
	f := mustFuncOf(append([]Value{n}, carried...)...)
	at := f.b.here()
	if err != nil {
		f.b.fail(at, "loop", []Value{n}, err)
	}
	if !f.usable(at, "loop", append([]Value{n}, carried...)) {
		return placeholders(f, init)
	}
	shape := n.Shape()
	if shape.Rank() != 0 || !integer(shape.DType) {
		f.b.fail(at, "loop", []Value{n},
			errors.New("the number of iterations must be an integer scalar, for example s32[]"))
		return placeholders(f, init)
	}
	if body == nil {
		f.b.fail(at, "loop", []Value{n}, errors.New("its body is nil"))
		return placeholders(f, init)
	}
	number := func(k byte) Value {
		data := make([]byte, shape.NumBytes())
		data[0] = k // little-endian
		return f.add(at, "loop", nil, stablehlo.ConstantOp{Value: tensor.View{Shape: shape, Data: data}})
	}
	zero := number(0)
	if f.b.err != nil {
		return placeholders(f, init)
	}
	l := loop{
		f: f, at: at, name: "loop", init: append([]Value{zero}, carried...), options: o,
		cond: func(state []Value) Value {
			less := stablehlo.CompareOp{LHS: state[0].v, RHS: n.v, ComparisonDirection: stablehlo.CompareLT}
			return f.add(at, "loop", []Value{state[0], n}, less)
		},
		body: func(state []Value) ([]Value, error) {
			next, err := sameLeaves(init, body(state[0], rebuild(init, state[1:])))
			i := f.add(at, "loop", nil, stablehlo.AddOp{LHS: state[0].v, RHS: number(1).v})
			return append([]Value{i}, next...), err
		},
	}
	results, ok := l.build()
	if !ok {
		return placeholders(f, init)
	}
	return rebuild(init, results[1:])
}

// sameLeaves returns the values of next, which must have the structure and types of init.
func sameLeaves[T any](init, next T) ([]Value, error) {
	values, err := leaves(next)
	if err != nil {
		return nil, err
	}
	if err := difference(init, next, "the initial state", "the body's result"); err != nil {
		return nil, fmt.Errorf("the body must return the types of the initial state: %w", err)
	}
	return values, nil
}

func integer(d tensor.DType) bool { return tensor.S2 <= d && d <= tensor.U64 }

// loop is a while under construction.
type loop struct {
	f    *Func
	at   place
	name string
	init []Value
	cond func(state []Value) Value
	body func(state []Value) ([]Value, error)

	options LoopOptions
}

// build adds the operation and returns the last state.
func (l loop) build() ([]Value, bool) {
	f := l.f
	cond, test, ok := l.condition()
	if !ok {
		return nil, false
	}
	if len(cond.effects) > 0 {
		cond.drop()
		first := l.test(l.init)
		if f.b.err != nil {
			return nil, false
		}
		return l.rotated(first).build()
	}
	body, args := f.open(l.at, "the body of the "+l.name, typesOf(l.init), true)
	body.entry = body.carry
	results, ok := body.build(func() []Value {
		results, err := l.body(args)
		if err != nil {
			f.b.fail(l.at, l.name, l.init, err)
		}
		f.joinAll(l.at)
		return results
	})
	if !ok {
		cond.drop()
		return nil, false
	}
	// The tokens of the body's effects are part of the state.
	operands := make([]mlir.Value, 0, len(l.init)+len(body.effects))
	for _, v := range l.init {
		operands = append(operands, v.v)
	}
	for _, effect := range body.effects {
		before, ok := f.token(effect, l.at)
		if !ok {
			return nil, false
		}
		operands = append(operands, before.v)
		cond.block.AddArgument(before.v.Type(), l.at.location)
		results = append(results, body.tokens[effect])
	}
	op, ok := f.append(l.at, l.name, l.init, stablehlo.WhileOp{
		Operand: operands, Cond: cond.end([]Value{test}), Body: body.end(results),
	})
	if !ok {
		return nil, false
	}
	if l.options.MaxSteps < 0 {
		err := fmt.Errorf("LoopOptions.MaxSteps is %d: it is a number of steps", l.options.MaxSteps)
		f.b.fail(l.at, l.name, l.init, err)
		return nil, false
	}
	if l.options.MaxSteps > 0 {
		i64 := f.b.ctx.IntegerType(64, mlir.Signless)
		op.SetAttribute(autodiff.MaxSteps, f.b.ctx.IntegerAttribute(i64, l.options.MaxSteps))
	}
	if l.options.SqrtSteps {
		op.SetAttribute(autodiff.SqrtSteps, f.b.ctx.UnitAttribute())
	}
	return f.takeTokens(f.results(op), body.effects), true
}

// condition builds the region of the condition, and returns its result.
func (l loop) condition() (*scope, Value, bool) {
	s, args := l.f.open(l.at, "the condition of the "+l.name, typesOf(l.init), true)
	s.entry = s.carry
	results, ok := s.build(func() []Value { return []Value{l.test(args)} })
	if !ok {
		return nil, Value{}, false
	}
	return s, results[0], true
}

// test builds the condition for a state.
func (l loop) test(state []Value) Value {
	test := l.cond(state)
	if l.f.usableAs(l.at, "the condition of the "+l.name, "result", []Value{test}) &&
		!test.Shape().Equal(tensor.ShapeOf(tensor.Pred)) {
		l.f.b.fail(l.at, l.name, l.init, fmt.Errorf("the condition is %s: it must be pred[]", test.describe()))
	}
	return test
}

// rotated returns the same loop with a plain value as its condition. A condition cannot
// return a token. So the condition is built before the loop, which gives first, and again
// at the end of the body, and its value is part of the state.
func (l loop) rotated(first Value) loop {
	out := l
	n := len(l.init)
	out.init = append(slices.Clone(l.init), first)
	out.cond = func(state []Value) Value { return state[n] }
	out.body = func(state []Value) ([]Value, error) {
		next, err := l.body(state[:n])
		if err != nil || l.f.b.err != nil {
			return nil, err
		}
		return append(next, l.test(next)), nil
	}
	return out
}

// carry adds the token of an effect as an argument of the scope. The scope's operation must
// then pass it.
func (s *scope) carry(_ string, at place) (Value, error) {
	t, err := stablehlo.TensorType(s.f.b.ctx, contract.TokenShape())
	if err != nil {
		return Value{}, err
	}
	return Value{s: s, v: s.block.AddArgument(t, at.location)}, nil
}
