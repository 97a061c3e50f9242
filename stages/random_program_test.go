package stages_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"

	"github.com/calliope-mlir/calliope/builder"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/tensor"
)

// parameters are the parameters of a random module.
var parameters = []tensor.Shape{tensor.ShapeOf(tensor.S32, 4), tensor.ShapeOf(tensor.F32, 4),
	tensor.ShapeOf(tensor.F64, 2, 2), tensor.ShapeOf(tensor.S32)}

var (
	elements = []tensor.DType{tensor.S32, tensor.S32, tensor.F32, tensor.F32, tensor.F64, tensor.BF16, tensor.F16,
		tensor.S64, tensor.U8, tensor.Pred}
	dimensions = [][]int{{4}, {4}, {2, 2}, {}, {1}, {0}, {2, 0}}
	effects    = []string{"a", "a", "b", builder.AllEffects}
)

// A randomProgram builds a module: values of several types, functions that call others, loops and branches in each
// other, and all forms of callbacks on trees.
type randomProgram struct {
	*rand.Rand
	helpers []helper
	forms   map[string]bool // that were used
}

type helper struct {
	f      *builder.Func
	params []tensor.Shape
	out    []number // kinds of the results
}

func randomModule(ctx *mlir.Context, seed uint64) (*mlir.Module, *randomProgram, error) {
	b := builder.New(ctx, builder.Options{})
	r := &randomProgram{Rand: rand.New(rand.NewPCG(seed, 1)), forms: map[string]bool{}}
	for i := range r.IntN(3) {
		r.helpers = append(r.helpers, r.helperOf(b, fmt.Sprintf("helper%d", i)))
	}
	f := b.Func("main", parameters...)
	pool := r.block(given(f, len(parameters)), 3, 10)
	f.Return(leavesOf(pool)...)
	m, err := b.Module()
	return m, r, err
}

// given returns the parameters of main. The host's floats are exact.
func given(f *builder.Func, n int) (pool []number) {
	for i := range n {
		v := f.Param(i)
		if isExact(v.Shape().DType) {
			pool = append(pool, limited(number{V: v}))
			continue
		}
		pool = append(pool, limited(number{v, builder.FullLike(builder.Convert(v, tensor.F64), 0.0)}))
	}
	return pool
}

// helperOf builds a function.
func (r *randomProgram) helperOf(b *builder.Builder, name string) helper {
	h := helper{params: []tensor.Shape{parameters[0]}}
	for range r.IntN(3) {
		s := tensor.ShapeOf(pickOf(r, elements), pickOf(r, dimensions)...)
		h.params = append(h.params, s)
		if !isExact(s.DType) {
			h.params = append(h.params, tensor.ShapeOf(tensor.F64, s.Dims...))
		}
	}
	h.f = b.Func(name, h.params...)
	var pool []number
	for i := 0; i < len(h.params); i++ {
		n := number{V: h.f.Param(i)}
		if !n.exact() {
			i++
			n.E = h.f.Param(i)
		}
		pool = append(pool, n)
	}
	h.out = r.block(pool, 2, 4)
	h.f.Return(leavesOf(h.out)...)
	return h
}

// call calls a function with values that are made to fit.
func (r *randomProgram) call(h helper, pool []number) []number {
	var args []builder.Value
	for i := 0; i < len(h.params); i++ {
		s := h.params[i]
		n := fit(r.number(pool, s.DType), s.Dims)
		args = append(args, n.leaves()...)
		if !n.exact() {
			i++
		}
	}
	return numbersOf(h.out, h.f.Call(args...))
}

func pickOf[T any](r *randomProgram, list []T) T { return list[r.IntN(len(list))] }

// number returns a value of the pool with an element type.
func (r *randomProgram) number(pool []number, d tensor.DType) number {
	if isExact(d) {
		pool = slices.DeleteFunc(slices.Clone(pool), func(n number) bool { return !n.exact() })
	}
	return as(pickOf(r, pool), d)
}

// like returns a value of the pool with x's type and dimensions.
func (r *randomProgram) like(pool []number, x number) number {
	return fit(r.number(pool, x.dtype()), x.dims())
}

// A tree is what callbacks, loops and branches take and return.
type tree struct {
	List  [][]builder.Value
	Named map[string][]builder.Value
	Inner struct {
		Pairs []struct{ Leaf []builder.Value }
	}
}

// pack puts numbers into a tree.
func pack(list []number) (t tree) {
	for i, n := range list {
		switch i % 3 {
		case 0:
			t.List = append(t.List, n.leaves())
		case 1:
			if t.Named == nil {
				t.Named = map[string][]builder.Value{}
			}
			t.Named[fmt.Sprintf("k%d", i)] = n.leaves()
		case 2:
			t.Inner.Pairs = append(t.Inner.Pairs, struct{ Leaf []builder.Value }{n.leaves()})
		}
	}
	return t
}

// unpack returns the numbers of a tree, in the order of its leaves.
func (t tree) unpack() (list []number) {
	add := func(l []builder.Value) {
		n := number{V: l[0]}
		if len(l) > 1 {
			n.E = l[1]
		}
		list = append(list, n)
	}
	for _, l := range t.List {
		add(l)
	}
	for _, k := range slices.Sorted(maps.Keys(t.Named)) {
		add(t.Named[k])
	}
	for _, p := range t.Inner.Pairs {
		add(p.Leaf)
	}
	return list
}

func leavesOf(list []number) (values []builder.Value) {
	for _, n := range list {
		values = append(values, n.leaves()...)
	}
	return values
}

// numbersOf makes numbers of values, in the kinds of others.
func numbersOf(like []number, values []builder.Value) (list []number) {
	for _, n := range like {
		m := number{V: values[0]}
		values = values[1:]
		if !n.exact() {
			m.E, values = values[0], values[1:]
		}
		list = append(list, m)
	}
	return list
}

// template returns a tree of the same kinds without values.
func template(list []number) tree {
	var kinds []number
	for _, n := range list {
		k := number{V: builder.Like(n.V.Shape())}
		if !n.exact() {
			k.E = builder.Like(n.E.Shape())
		}
		kinds = append(kinds, k)
	}
	return pack(kinds)
}

// some returns up to n values of the pool.
func (r *randomProgram) some(pool []number, n int) (list []number) {
	for range r.IntN(n + 1) {
		list = append(list, pickOf(r, pool))
	}
	return list
}

// block builds some operations and returns some of their values: one exact one first.
func (r *randomProgram) block(pool []number, depth, length int) []number {
	pool = slices.Clone(pool)
	for range 1 + r.IntN(length) {
		pool = append(pool, r.step(pool, depth)...)
	}
	out := []number{r.number(pool, tensor.S32)}
	for range r.IntN(4) {
		// The later values depend on more.
		out = append(out, pool[max(0, len(pool)-1-r.IntN(5))])
	}
	return out
}

func (r *randomProgram) step(pool []number, depth int) []number {
	kind := r.IntN(24)
	switch {
	case kind < 7:
		return []number{r.elementwise(pool)}
	case kind == 7:
		return []number{as(fit(r.number(pool, pickOf(r, elements)), pickOf(r, dimensions)),
			pickOf(r, []tensor.DType{tensor.F32, tensor.F64, tensor.BF16, tensor.F16}))}
	case kind == 8:
		return []number{r.number(pool, pickOf(r, elements))}
	case kind == 9:
		return []number{sum(pickOf(r, pool))}
	case kind == 10:
		x := fit(r.number(pool, pickOf(r, []tensor.DType{tensor.F32, tensor.F64, tensor.BF16})), []int{4})
		return []number{dot(x, r.like(pool, x))}
	case kind == 11:
		x := fit(pickOf(r, pool), []int{2, 2})
		return []number{x.both(func(v builder.Value) builder.Value { return builder.Transpose(v, 1, 0) })}
	case kind < 18:
		return r.callback(pool)
	case kind == 18 && len(r.helpers) > 0:
		return r.call(pickOf(r, r.helpers), pool)
	case kind < 21 && depth > 0:
		return r.branch(pool, depth)
	case kind < 24 && depth > 0:
		return r.loop(pool, depth)
	}
	x := fit(pickOf(r, pool), []int{4})
	return []number{x.both(func(v builder.Value) builder.Value { return builder.Reverse(v, 0) })}
}

// scalar returns an integer that decides something.
func (r *randomProgram) scalar(pool []number) builder.Value {
	return fit(r.number(pool, tensor.S32), nil).V
}

func (r *randomProgram) elementwise(pool []number) number {
	x := pickOf(r, pool)
	y := r.like(pool, x)
	switch {
	case x.dtype() == tensor.Pred:
		return number{
			V: pickOf(r, []func(builder.Value, builder.Value) builder.Value{builder.And[builder.Value, builder.Value],
				builder.Or[builder.Value, builder.Value], builder.Xor[builder.Value, builder.Value]})(x.V, y.V)}
	case x.exact():
		switch r.IntN(4) {
		case 0:
			return limited(number{V: builder.Mul(x.V, y.V)})
		case 1:
			return number{V: builder.Select(builder.Lt(x.V, y.V), x.V, y.V)}
		case 2:
			return number{V: builder.Lt(x.V, y.V)}
		}
		return limited(number{V: builder.Add(x.V, y.V)})
	}
	one := func(n number) number { return computed(builder.Add(builder.Abs(n.V), 1.0), n.E) } // 1 + |n|
	switch r.IntN(13) {
	case 0:
		return number{builder.Neg(x.V), x.E}
	case 1:
		return limited(computed(builder.Mul(x.V, y.V), product(x, y)))
	case 2:
		return computed(builder.Sin(x.V), x.E)
	case 3:
		return computed(builder.Tanh(x.V), x.E)
	case 4:
		return computed(builder.Sigmoid(x.V), x.E)
	case 5:
		// exp(x+e) - exp(x) = exp(x)·(exp(e)-1)
		v := builder.Exp(x.V)
		return limited(computed(v, builder.Mul(size(v), builder.Expm1(builder.Add(x.E, 1e-300)))))
	case 6:
		d := one(x)
		return computed(builder.Sqrt(d.V), d.E) // the derivative is at most 1/2
	case 7:
		d := one(x)
		return computed(builder.Log(d.V), d.E) // the derivative is at most 1
	case 8:
		d := one(y) // not below 1
		return limited(computed(builder.Div(x.V, d.V), builder.Add(x.E, builder.Mul(size(x.V), d.E))))
	case 9:
		return number{builder.Max(x.V, y.V), builder.Max(x.E, y.E)}
	case 10:
		p := fit(as(r.number(pool, tensor.S32), tensor.Pred), x.dims())
		return number{builder.Select(p.V, x.V, y.V), builder.Select(p.V, x.E, y.E)}
	case 11:
		return limited(computed(builder.Sub(x.V, y.V), builder.Add(x.E, y.E)))
	}
	return limited(computed(builder.Add(x.V, y.V), builder.Add(x.E, y.E)))
}

// branch builds an if or a case.
func (r *randomProgram) branch(pool []number, depth int) []number {
	var like []number
	build := func() tree {
		out := r.block(pool, depth-1, 4)
		if like == nil {
			like = slices.Clone(out)
		}
		for i, n := range like { // the branches return the same types
			if i >= len(out) {
				out = append(out, r.like(pool, n))
			}
			out[i] = fit(r.converted(pool, out[i], n.dtype()), n.dims())
		}
		return pack(out[:len(like)])
	}
	if r.IntN(2) == 0 {
		return builder.If(builder.Gt(r.scalar(pool), int32(r.IntN(20)-5)), build, build).unpack()
	}
	branches := make([]func() tree, 1+r.IntN(3))
	for i := range branches {
		branches[i] = build
	}
	return builder.Case(builder.Rem(r.scalar(pool), int32(4)), branches...).unpack()
}

// converted is as, for a float that should become an integer: it is another value then.
func (r *randomProgram) converted(pool []number, n number, d tensor.DType) number {
	if isExact(d) && !n.exact() {
		return r.number(pool, d)
	}
	return as(n, d)
}

// loop builds a while.
func (r *randomProgram) loop(pool []number, depth int) []number {
	type state struct {
		I     builder.Value
		State tree
	}
	init := r.some(pool, 3)
	steps, inCondition := int32(r.IntN(4)), r.IntN(3)
	cb := r.called("tap")
	s := builder.While(state{builder.Scalar(pool[0].V.Func(), int32(0)), pack(init)},
		func(s state) builder.Value {
			if inCondition == 0 {
				builder.Tap(s, cb)
			}
			return builder.Lt(s.I, steps)
		},
		func(s state) state {
			own := s.State.unpack()
			inner := append(slices.Clone(pool), number{V: s.I})
			inner = append(inner, own...)
			out := r.block(inner, depth-1, 4)
			for i, n := range own {
				if i < len(out) {
					own[i] = fit(r.converted(inner, out[i], n.dtype()), n.dims())
				}
			}
			return state{builder.Add(s.I, int32(1)), pack(reordered(own))}
		}, builder.LoopOptions{})
	return s.State.unpack()
}

// reordered returns numbers in the order in which pack takes what unpack returned.
func reordered(list []number) []number {
	out := make([]number, len(list))
	var order []int
	for k := range 3 {
		for i := k; i < len(list); i += 3 {
			order = append(order, i)
		}
	}
	for i, at := range order {
		out[at] = list[i]
	}
	return out
}

// called returns a callback.
func (r *randomProgram) called(name string) builder.Callback {
	return builder.Callback{Name: name, Effect: pickOf(r, effects)}
}

// callback builds a call of a random form.
func (r *randomProgram) callback(pool []number) []number {
	args := r.some(pool, 4)
	if len(args) == 0 {
		args = pool[:1]
	}
	name := pickOf(r, callNames)
	r.forms[name] = true
	cb := r.called(name)
	switch name {
	case "pure":
		cb.Effect = ""
		return builder.PureCall(template(args), pack(args), cb).unpack()
	case "io", "io.goroutine":
		return builder.Passthrough(pack(args), cb).unpack()
	case "io.optional":
		cb.Optional = true
		return builder.Passthrough(pack(args), cb).unpack()
	case "tap.if":
		builder.TapIf(builder.Gt(r.scalar(pool), int32(3)), pack(args), cb)
		return nil
	case "tap", "tap.async", "stuck":
		if r.IntN(4) == 0 {
			cb.Effect = ""
		}
		builder.Tap(pack(args), cb)
		return nil
	}
	if r.IntN(3) == 0 || name == "call.unordered" {
		cb.Effect = ""
		cb.Name = "call.unordered"
		r.forms[cb.Name] = true
	}
	like := append(r.some(pool, 2), pickOf(r, pool))
	return builder.RuntimeCall(template(like), pack(args), cb).unpack()
}
