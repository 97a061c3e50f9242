package stages

import (
	"errors"
	"fmt"
	"slices"

	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/internal/run/callargs"
	"github.com/calliope-mlir/calliope/stablehlo"
	"github.com/calliope-mlir/calliope/tensor"
)

// maxDepth limits how deep bodies are in each other. No compiler reads deeper modules.
const maxDepth = 1000

// plan returns the plan, without the modules of its stages. It checks all that a run relies on.
func (s *savedPlan) plan(devices []Device) (*Plan, error) {
	p := &Plan{devices: devices, inputs: s.Inputs, outputs: s.Outputs, replicas: s.Replicas, numbered: s.Numbered,
		tokens: tokens{s.Effects, s.Leading}}
	if s.Replicas < 1 {
		return nil, fmt.Errorf("there are %d replicas", s.Replicas)
	}
	for i := range s.Callbacks {
		c, err := s.Callbacks[i].callback()
		if err != nil {
			return nil, fmt.Errorf("callback %d: %w", i, err)
		}
		p.callbacks = append(p.callbacks, c)
	}
	for i, stage := range s.Stages {
		if err := errors.Join(checkAll(stage.Inputs), checkAll(stage.Outputs)); err != nil {
			return nil, fmt.Errorf("stage %d: %w", i, err)
		}
		if stage.Device < 0 {
			return nil, fmt.Errorf("stage %d: there is no device %d", i, stage.Device)
		}
		donate := make([]bool, len(stage.Inputs))
		for _, input := range stage.Donate {
			if input < 0 || input >= len(donate) {
				return nil, fmt.Errorf("stage %d: there is no input %d", i, input)
			}
			donate[input] = true
		}
		p.stages = append(p.stages, &Stage{
			Name: stageName(i), number: i, Operations: stage.Operations, Inputs: stage.Inputs, Outputs: stage.Outputs,
			After: stage.After, Device: stage.Device, donate: donate,
		})
	}
	r := &restorer{savedPlan: s, plan: p, seen: make([]bool, len(s.Bodies))}
	var err error
	if p.main, err = r.body(0, 0); err != nil {
		return nil, err
	}
	args := p.tokens.shapes(s.Inputs)
	if s.Numbered {
		args = append(args, replicaShape)
	}
	if err := p.main.takes(nil, args, p.tokens.shapes(s.Outputs)); err != nil {
		return nil, fmt.Errorf("main: %w", err)
	}
	return p, nil
}

// shapes adds those of the tokens to shapes of parameters or results.
func (t tokens) shapes(list []tensor.Shape) []tensor.Shape {
	made := slices.Repeat([]tensor.Shape{stablehlo.RuntimeTokenShape()}, len(t.effects))
	if t.leading {
		return slices.Concat(made, list)
	}
	return slices.Concat(list, made)
}

// callback returns the callback.
func (s *savedCallback) callback() (*Callback, error) {
	c := s.Callback
	c.pure, c.foreign, c.attributes, c.before, c.returned, c.inPlace = s.Pure, s.Foreign, s.Attributes, s.Before,
		s.Returned, s.InPlace
	if c.Decision == Default || c.Decision > Lower {
		return nil, fmt.Errorf("there is no decision %v", c.Decision)
	}
	if err := errors.Join(c.Config.Validate(), checkAll(c.Args), checkAll(c.Results)); err != nil {
		return nil, err
	}
	if c.before < 0 || c.returned < 0 {
		return nil, fmt.Errorf("there are no %d operands and %d results before the others", c.before, c.returned)
	}
	if c.Decision != Boundary {
		return &c, nil
	}
	switch c.Config.Form {
	case contract.Observe:
		return &c, nil
	case contract.Passthrough:
		return &c, same("result", c.Args, c.Results)
	}
	if len(c.inPlace) != len(c.Results) {
		return nil, fmt.Errorf("it has %d results, and memory of %d", len(c.Results), len(c.inPlace))
	}
	for i, k := range c.inPlace {
		if k < -1 || k >= len(c.Args) || k >= 0 && !c.Args[k].Equal(c.Results[i]) {
			return nil, fmt.Errorf("result %d cannot be in the memory of argument %d", i, k)
		}
	}
	return &c, nil
}

func checkAll(shapes []tensor.Shape) error {
	for _, s := range shapes {
		if err := s.Check(); err != nil {
			return err
		}
	}
	return nil
}

// A restorer makes the bodies of a plan.
type restorer struct {
	*savedPlan
	plan *Plan
	seen []bool // by body
}

func (r *restorer) body(number, depth int) (*body, error) {
	if number < 0 || number >= len(r.Bodies) || r.seen[number] || depth > maxDepth {
		return nil,
			fmt.Errorf("body %d cannot be at depth %d: there is none of that number, or it is elsewhere", number, depth)
	}
	r.seen[number] = true
	s := &r.Bodies[number]
	b := &body{captures: s.Captures, args: s.Args, shapes: s.Shapes, results: s.Results}
	fail := func(format string, args ...any) (*body, error) {
		return nil, fmt.Errorf("body %d: "+format, append([]any{number}, args...)...)
	}
	if err := checkAll(b.shapes); err != nil {
		return fail("%w", err)
	}
	if b.captures < 0 || b.args < 0 || b.captures > len(b.shapes) || b.args > len(b.shapes)-b.captures {
		return fail("it has %d values, but %d captures and %d arguments", len(b.shapes), b.captures, b.args)
	}
	for i, c := range s.Constants {
		if !b.has(c.Value) || len(c.Data) != b.shapes[c.Value].NumBytes() {
			return fail("constant %d is no value", i)
		}
		data := newArray(b.shapes[c.Value])
		copy(data.Data, c.Data)
		b.consts = append(b.consts, constant{c.Value, data})
	}
	for i, saved := range s.Steps {
		step, err := r.step(b, saved, depth)
		if err != nil {
			return fail("step %d: %w", i, err)
		}
		b.steps = append(b.steps, step)
	}
	if !b.has(b.results...) {
		return fail("it returns a value that it does not have")
	}
	b.link()
	if err := b.checkOrder(); err != nil {
		return fail("%w", err)
	}
	return b, nil
}

// has reports whether the body has values of these numbers.
func (b *body) has(numbers ...int) bool {
	return !slices.ContainsFunc(numbers, func(v int) bool { return v < 0 || v >= len(b.shapes) })
}

// shapesOf returns the shapes of values.
func (b *body) shapesOf(numbers []int) []tensor.Shape {
	list := make([]tensor.Shape, len(numbers))
	for i, v := range numbers {
		list[i] = b.shapes[v]
	}
	return list
}

// takes returns an error unless a body has captures, arguments and results of these shapes.
func (b *body) takes(captures, args, results []tensor.Shape) error {
	if err := same("capture", captures, b.shapes[:b.captures]); err != nil {
		return err
	}
	if err := same("argument", args, b.shapes[b.captures:][:b.args]); err != nil {
		return err
	}
	return same("result", results, b.shapesOf(b.results))
}

func same(what string, want, got []tensor.Shape) error {
	if len(want) != len(got) {
		return fmt.Errorf("there are %d shapes of each %s, not %d", len(got), what, len(want))
	}
	for i := range want {
		if !want[i].Equal(got[i]) {
			return fmt.Errorf("%s %d is %s, not %s", what, i, got[i], want[i])
		}
	}
	return nil
}

// checkOrder returns an error unless each value is computed once, and the steps can run one after the other.
func (b *body) checkOrder() error {
	made := make([]bool, len(b.shapes))
	for v := range b.captures + b.args {
		made[v] = true
	}
	compute := func(values []int) error {
		for _, v := range values {
			if made[v] {
				return fmt.Errorf("value %d is computed twice", v)
			}
			made[v] = true
		}
		return nil
	}
	for _, c := range b.consts {
		if err := compute([]int{c.value}); err != nil {
			return err
		}
	}
	missing := slices.Clone(b.missing)
	var ready []int
	for i, n := range missing {
		if n == 0 {
			ready = append(ready, i)
		}
	}
	done := 0
	for ; len(ready) > 0; done++ {
		f := b.steps[ready[0]].ends()
		ready = ready[1:]
		for _, v := range f.in {
			if !made[v] {
				return fmt.Errorf("nothing computes value %d", v)
			}
		}
		if err := compute(f.out); err != nil {
			return err
		}
		for _, v := range f.out {
			for _, i := range b.waiting[v] {
				if missing[i]--; missing[i] == 0 {
					ready = append(ready, i)
				}
			}
		}
	}
	if done < len(b.steps) {
		return errors.New("steps wait for each other")
	}
	for _, v := range b.results {
		if !made[v] {
			return fmt.Errorf("nothing computes the result %d", v)
		}
	}
	return nil
}

// step makes a step of a body.
func (r *restorer) step(b *body, s savedStep, depth int) (step, error) {
	if !b.has(s.In...) || !b.has(s.Out...) || !b.has(slices.Concat(s.Captures...)...) {
		return nil, errors.New("it has a value that the body does not have")
	}
	in, out := b.shapesOf(s.In), b.shapesOf(s.Out)
	switch s.Kind {
	case savedStageStep:
		if s.Number < 0 || s.Number >= len(r.plan.stages) {
			return nil, fmt.Errorf("there is no stage %d", s.Number)
		}
		stage := r.plan.stages[s.Number]
		return &stageStep{flow{s.In, s.Out}, stage},
			errors.Join(same("input", stage.Inputs, in), same("output", stage.Outputs, out))
	case savedCall:
		if s.Number < 0 || s.Number >= len(r.plan.callbacks) {
			return nil, fmt.Errorf("there is no callback %d", s.Number)
		}
		cb := r.plan.callbacks[s.Number]
		return &callStep{flow{s.In, s.Out}, cb, s.Number, out}, cb.takes(in, out)
	}
	if len(s.Captures) != len(s.Bodies) {
		return nil, fmt.Errorf("it has %d bodies, and captures of %d", len(s.Bodies), len(s.Captures))
	}
	bodies := make([]*body, len(s.Bodies))
	for i, number := range s.Bodies {
		var err error
		if bodies[i], err = r.body(number, depth+1); err != nil {
			return nil, err
		}
	}
	if s.Kind == savedLoop {
		return newLoop(b, s.In, s.Out, bodies, s.Captures)
	}
	return newBranch(b, s, bodies)
}

// newLoop makes the step of a loop. The captures are those of the condition and of the body.
func newLoop(b *body, init, out []int, bodies []*body, captures [][]int) (step, error) {
	if len(bodies) != 2 {
		return nil, fmt.Errorf("a loop has a condition and a body, not %d bodies", len(bodies))
	}
	state := b.shapesOf(init)
	return &loopStep{
			flow: flow{slices.Concat(init, captures[0], captures[1]), out},
			init: init, cond: bodies[0], body: bodies[1], condCaptures: captures[0], bodyCaptures: captures[1],
		}, errors.Join(
			same("result", state, b.shapesOf(out)),
			bodies[0].takes(b.shapesOf(captures[0]), state, []tensor.Shape{tensor.ShapeOf(tensor.Pred)}),
			bodies[1].takes(b.shapesOf(captures[1]), state, state),
		)
}

// newBranch makes the step of an if or case.
func newBranch(b *body, s savedStep, bodies []*body) (step, error) {
	name, want := "if", tensor.ShapeOf(tensor.Pred)
	if s.Kind == savedCase {
		name, want = "case", tensor.ShapeOf(tensor.S32)
	}
	switch {
	case s.Kind != savedIf && s.Kind != savedCase:
		return nil, fmt.Errorf("there is no step of kind %d", s.Kind)
	case len(s.In) != 1 || !b.shapes[s.In[0]].Equal(want):
		return nil, fmt.Errorf("the selector of a %s is one %s", name, want)
	case len(bodies) == 0 || s.Kind == savedIf && len(bodies) != 2:
		return nil, fmt.Errorf("a %s has not %d branches", name, len(bodies))
	}
	for i, inner := range bodies {
		if err := inner.takes(b.shapesOf(s.Captures[i]), nil, b.shapesOf(s.Out)); err != nil {
			return nil, fmt.Errorf("branch %d: %w", i, err)
		}
	}
	in := slices.Concat(append([][]int{s.In}, s.Captures...)...)
	return &branchStep{flow: flow{in, s.Out}, name: name, selector: s.In[0], bodies: bodies, captures: s.Captures}, nil
}

// takes returns an error unless a callback that is cut has operands and results of these shapes. The results end with
// tokens.
func (c *Callback) takes(in, out []tensor.Shape) error {
	if c.Decision != Boundary {
		return fmt.Errorf("the callback %q is not cut", c.Name)
	}
	id := tensor.ShapeOf(tensor.S64)
	if c.Config.Host.Encoding == contract.EncodingOperand && (len(in) == 0 || !in[len(in)-1].Equal(id)) {
		return fmt.Errorf("the callback %q has no id", c.Name)
	}
	before, _ := c.Config.Host.Encoding.Names()
	tokens := c.before - before
	if tokens < 0 || len(in) < tokens || len(out) < c.returned {
		return fmt.Errorf("the callback %q has %d operands and %d results, and %d and %d tokens before them",
			c.Name, len(in), len(out), tokens, c.returned)
	}
	args, filled, err := callargs.Data(c.Config, in[tokens:], out[c.returned:])
	if err != nil {
		return err
	}
	if len(args) != len(c.Args) || len(filled) != len(c.Results) {
		return fmt.Errorf("the callback %q has %d arguments and %d results, not %d and %d",
			c.Name, len(c.Args), len(c.Results), len(args), len(filled))
	}
	if ids := c.Config.NumIDs; c.Config.Form == contract.Passthrough && ids > 0 {
		return errors.Join(c.sameArrays("argument", c.Args, args), c.sameArrays("result", c.Results, filled),
			same("id", in[c.before+len(args):][:ids], out[c.returned+len(args):][:ids]))
	}
	return errors.Join(c.sameArrays("argument", c.Args, args), c.sameArrays("result", c.Results, filled))
}

// sameArrays is same for what crosses: the arrays of foreign calls may be in other layouts, with their dimensions in
// another order.
func (c *Callback) sameArrays(what string, want, got []tensor.Shape) error {
	if !c.foreign {
		return same(what, want, got)
	}
	for i := range want {
		if want[i].DType != got[i].DType || want[i].NumBytes() != got[i].NumBytes() {
			return fmt.Errorf("%s %d is %s, not %s", what, i, got[i], want[i])
		}
	}
	return nil
}
