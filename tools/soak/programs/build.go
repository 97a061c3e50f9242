package programs

import (
	"fmt"
	"slices"

	"github.com/calliope-mlir/calliope/builder"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/tensor"
)

// The mesh of devices that share arrays.
const (
	meshName = "mesh"
	axis     = "x"
)

var onAxis = builder.Sharding{Mesh: meshName, Dims: [][]string{{axis}}}

var dtypes = []tensor.DType{s32: tensor.S32, s64: tensor.S64, u8: tensor.U8, f32: tensor.F32, f64: tensor.F64,
	pred: tensor.Pred}

func (k kind) tensor() tensor.Shape { return tensor.ShapeOf(dtypes[k.elem], k.shape.dims()...) }

// A construction builds a program with package builder.
type construction struct {
	p         *program
	registry  string
	f         *builder.Func
	functions map[*function]*builder.Func
	values    map[*variable]builder.Value
	old       *older // nil for a program of today
}

// build returns the module of a program. Its calls are those of older programs if old is not nil.
func (p *program) build(ctx *mlir.Context, registry string, old *older) (*mlir.Module, error) {
	b := builder.New(ctx, builder.Options{Overlap: p.overlap, RuntimeTokens: p.tokens})
	defer b.Close()
	c := &construction{p: p, registry: registry, functions: map[*function]*builder.Func{},
		values: map[*variable]builder.Value{}, old: old}
	if p.profile.mesh {
		b.Mesh(meshName, builder.Axis{Name: axis, Size: p.profile.devices})
	}
	for _, f := range p.functions {
		var s builder.Signature
		for i, v := range f.params {
			param := builder.Param{Shape: v.kind.tensor()}
			if f == p.main() {
				param.Donate = p.donated[i] && p.aliased[i] < 0
				if p.aliased[i] >= 0 {
					param.AliasOutput = &p.aliased[i]
				}
				param.Sharding = p.sharding(v)
			}
			s.Params = append(s.Params, param)
		}
		for _, v := range f.body.results {
			if f == p.main() && p.profile.mesh {
				s.Results = append(s.Results, builder.Result{Sharding: p.sharding(v)})
			}
		}
		if old != nil && f != p.main() {
			s.Params = append(s.Params, builder.Param{Type: old.tokenType})
		}
		c.f = b.FuncWith(f.name, s)
		c.functions[f] = c.f
		for i, v := range f.params {
			c.values[v] = c.f.Param(i)
		}
		if old == nil {
			c.f.Return(c.block(f.body)...)
		} else {
			c.f.Return(c.oldBody(f)...)
		}
	}
	return b.Module()
}

// sharding returns how a parameter or result of main is divided: a vector by its number, others not.
func (p *program) sharding(v *variable) builder.Sharding {
	switch {
	case p.isSplit(v):
		return onAxis
	case p.profile.mesh:
		return builder.Sharding{Mesh: meshName}
	}
	return builder.Sharding{}
}

// isSplit reports whether each device has a part of a parameter or result of main.
func (p *program) isSplit(v *variable) bool {
	return p.profile.mesh && v.kind.shape == vector && v.number%2 == 0
}

func (c *construction) of(list []*variable) (values []builder.Value) {
	values = []builder.Value{} // a tree without leaves
	for _, v := range list {
		values = append(values, c.values[v])
	}
	return values
}

// set sets variables to values, which a token follows if there is one more.
func (c *construction) set(list []*variable, values []builder.Value) {
	for i, v := range list {
		c.values[v] = values[i]
	}
	if len(values) > len(list) {
		c.old.token = values[len(list)]
	}
}

func (c *construction) block(b *block) []builder.Value {
	for _, s := range b.steps {
		switch s := s.(type) {
		case *compute:
			c.values[s.out] = c.compute(s)
		case *call:
			if c.old != nil {
				c.oldCall(s)
			} else {
				c.call(s)
			}
		case *branch:
			var branches []func() []builder.Value
			before := c.token()
			for _, b := range s.blocks {
				branches = append(branches, func() []builder.Value { return c.branch(b, before) })
			}
			if s.isCase {
				c.set(s.out, builder.Case(c.values[s.on], branches...))
			} else {
				c.set(s.out, builder.If(c.values[s.on], branches[0], branches[1]))
			}
		case *loop:
			c.loop(s)
		case *invoke:
			c.set(s.out, c.functions[s.function].Call(append(c.of(s.args), c.token()...)...))
		case *manual:
			shardings := func(split []bool) (list []builder.Sharding) {
				for _, s := range split {
					list = append(list, []builder.Sharding{{}, onAxis}[truth(s)])
				}
				return list
			}
			c.set(s.out, builder.Manual(meshName, shardings(s.split), shardings(s.joined), c.of(s.args),
				func(parts []builder.Value) []builder.Value {
					c.set(s.params, parts)
					return c.block(s.body)
				}))
		}
	}
	return c.of(b.results)
}

func (c *construction) loop(s *loop) {
	if s.cond == nil {
		body := func(i builder.Value, state []builder.Value) []builder.Value {
			c.values[s.counter] = i
			c.set(s.state, state)
			return append(c.block(s.body), c.token()...)
		}
		c.set(s.out, builder.Loop(c.values[s.limit], append(c.of(s.init), c.token()...), body, builder.LoopOptions{}))
		return
	}
	enter := func(state []builder.Value) {
		c.values[s.counter] = state[0]
		c.set(s.state, state[1:])
	}
	init := slices.Concat([]builder.Value{builder.Scalar(c.f, int32(0))}, c.of(s.init), c.token())
	c.set(s.out, builder.While(init, func(state []builder.Value) builder.Value {
		enter(state)
		return c.block(s.cond)[0]
	}, func(state []builder.Value) []builder.Value {
		enter(state)
		next := builder.Add(state[0], int32(1))
		results := c.block(s.body)
		return slices.Concat([]builder.Value{next}, results, c.token())
	}, builder.LoopOptions{})[1:])
}

var builderBinary = map[operation]func(x, y builder.Value) builder.Value{
	"add": builder.Add[builder.Value, builder.Value], "sub": builder.Sub[builder.Value, builder.Value],
	"mul": builder.Mul[builder.Value, builder.Value],
	"max": builder.Max[builder.Value, builder.Value], "min": builder.Min[builder.Value, builder.Value],
	"and": builder.And[builder.Value, builder.Value], "or": builder.Or[builder.Value, builder.Value],
	"xor": builder.Xor[builder.Value, builder.Value],
	"lt":  builder.Lt[builder.Value, builder.Value], "eq": builder.Eq[builder.Value, builder.Value],
}

func (c *construction) compute(s *compute) builder.Value {
	args := c.of(s.args)
	out := s.out.kind
	bounded := func(v builder.Value) builder.Value {
		if !out.elem.isFloat() {
			return v
		}
		return rem(v, bound)
	}
	switch s.op {
	case "constant":
		return c.f.Constant(array{out, s.literal}.view())
	case "neg":
		return builder.Neg(args[0])
	case "not":
		return builder.Not(args[0])
	case "select":
		return builder.Select(args[0], args[1], args[2])
	case "power":
		return builder.Pow(args[0], builder.FullLike(args[0], int32(s.literal[0])))
	case "convert":
		return convert(args[0], s.args[0].kind.elem, out.elem)
	case "sum":
		return bounded(builder.ReduceSum(args[0]))
	case "fill":
		return builder.BroadcastTo(args[0], out.shape.dims()...)
	case "reshape":
		return builder.Reshape(args[0], out.shape.dims()...)
	case "reverse":
		return builder.Reverse(args[0], 0)
	case "update":
		return builder.DynamicUpdateIndex(args[0], args[2], args[1], 0)
	case "lt", "eq":
		return builderBinary[s.op](args[0], args[1])
	}
	return bounded(builderBinary[s.op](args[0], args[1]))
}

func rem(v builder.Value, n int) builder.Value { return builder.Rem(v, builder.FullLike(v, n)) }

// convert is converted.
func convert(v builder.Value, from, to elem) builder.Value {
	switch {
	case to == pred:
		return builder.Ne(v, builder.FullLike(v, 0))
	case from == u8 || from == pred:
	case to == u8:
		v = builder.Abs(rem(v, 97))
	case to == s32:
		v = rem(v, 97)
	case to.isFloat():
		v = rem(v, bound)
	}
	return builder.Convert(v, dtypes[to])
}

// lower is halve.
func lower(args []builder.Value) (results []builder.Value) {
	for _, v := range args {
		switch v.Shape().DType {
		case tensor.Pred:
			results = append(results, builder.Not(v))
		case tensor.U8:
			results = append(results, builder.Add(builder.Mul(v, uint8(2)), uint8(1)))
		case tensor.F32, tensor.F64: // which halve bounds first
			results = append(results, rem(rem(builder.Add(builder.Mul(v, 2.0), 1.0), bound), 97))
		default:
			results = append(results,
				rem(builder.Add(builder.Mul(v, builder.FullLike(v, 2)), builder.FullLike(v, 1)), 97))
		}
	}
	return results
}

func (c *construction) call(s *call) {
	cb := builder.Callback{Name: s.name, Registry: c.registry, Effect: s.effect, Optional: s.optional,
		Policy: s.policy.On(s.device), In: c.f}
	if s.form != pure {
		cb.Transforms = siteText(s.site)
	}
	if s.policy == gather && s.device == 0 {
		cb.Policy = "" // the default
	}
	args := c.of(s.args)
	template := []builder.Value{}
	for _, v := range s.out {
		template = append(template, builder.Like(v.kind.tensor()))
	}
	switch s.form {
	case tap:
		if s.cond != nil {
			builder.TapIf(c.values[s.cond], args, cb)
		} else {
			builder.Tap(args, cb)
		}
	case through:
		c.set(s.out, builder.Passthrough(args, cb))
	case answers:
		c.set(s.out, builder.RuntimeCall(template, args, cb))
	case pure:
		c.set(s.out, builder.PureCall(template, args, cb))
	}
}

func siteText(site int) string { return fmt.Sprint("site ", site) }

// inputs returns the inputs of a run, for each device.
func (p *program) inputs(run int) (all [][]array) {
	r := p.random(10 + run)
	for d := range max(1, p.profile.devices) {
		var list []array
		for i, v := range p.main().params {
			if d > 0 && v.same {
				list = append(list, all[0][i])
				continue
			}
			a := array{v.kind, make([]int64, v.kind.shape.size())}
			for k := range a.data {
				a.data[k] = v.kind.elem.wrap(int64(r.IntN(40) - 10))
			}
			list = append(list, a)
		}
		all = append(all, slices.Clip(list))
	}
	return all
}
