package movement

import (
	"math"

	"github.com/calliope-mlir/calliope/tensor"
)

// A counter decides how often a loop runs.
type counter struct {
	elem               tensor.DType
	direction          string
	start, bound, step uint64
	then               uint64 // what is added after step, 0 is nothing
	subtracts, swapped bool   // and the bound is in front of the counter
	turned             bool   // the step is in front of the counter
}

// counters are the element types of counters.
var counters = []tensor.DType{tensor.S32, tensor.S32, tensor.S32, tensor.S64, tensor.S64, tensor.U32, tensor.U64,
	tensor.S8, tensor.S16, tensor.U8, tensor.U16}

// next returns the value of the counter after an iteration.
func (c counter) next(x uint64) uint64 {
	if c.subtracts {
		x -= c.step
	} else {
		x += c.step
	}
	return mask(c.elem, x+c.then)
}

// trips returns how often the loop runs, or most + 1.
func (c counter) trips(most int) (n int) {
	for x := c.start; holds(c.direction, c.elem, x, c.bound) && n <= most; n++ {
		x = c.next(x)
	}
	return n
}

// counter returns one of a loop that ends soon. Some run for longer, until a narrow counter wraps.
func (g *generator) counter() counter {
	most := 12
	if g.depth == 0 && g.IntN(20) == 0 {
		most = 300
	}
	for {
		c := counter{elem: pick(g, counters),
			direction: pick(g, []string{"LT", "LT", "LE", "GT", "GE", "NE", "NE", "EQ"})}
		e := c.elem
		c.start = mask(e, uint64(pick(g, []int64{0, 0, 0, 1, -1, -3, 5, 10, math.MinInt64, math.MaxInt64,
			1<<(e.Bits()-1) - 2, 1 << (e.Bits() - 1), -2})))
		c.bound = mask(e, c.start+uint64(g.IntN(25)-12))
		if g.IntN(4) == 0 {
			c.bound = mask(e, uint64(pick(g, []int64{0, 1, -1, 10, 1<<(e.Bits()-1) - 1, 1 << (e.Bits() - 1), 127,
				128})))
		}
		c.step = mask(e, uint64(pick(g, []int64{1, 1, 1, 1, 2, 2, 3, 4, 5, 7, -1, -1, -2, -3, 100,
			1 << (e.Bits() - 2)})))
		if c.subtracts = g.IntN(4) == 0; g.IntN(10) == 0 {
			c.then = mask(e, uint64(pick(g, []int64{1, 2, -1})))
		}
		c.swapped, c.turned = g.IntN(4) == 0, !c.subtracts && g.IntN(4) == 0
		if n := c.trips(most); n <= most && (n > 0 || g.IntN(8) == 0) {
			return c
		}
	}
}

// A carried value is one of a loop.
type carried struct {
	init, test, body, result *value
	twin                     *carried // has the same init
}

// loop runs steps as often as a counter says.
func (g *generator) loop() {
	c := g.counter()
	t := of(c.elem)
	var state []*carried
	carry := func(init *value) *carried {
		v := &carried{init: init, test: &value{init.kind}, body: &value{init.kind}}
		state = append(state, v)
		return v
	}
	// Numbers are constants in the loop or around it, parameters, or values that do not change.
	scope := len(g.scope)
	source := func(x uint64) (around *value, invariant *carried) {
		switch n := g.IntN(8); {
		case n < 4:
			return nil, nil
		case n < 6 || !g.inMain:
			around = g.add(splat(t, x), t)
		default:
			around = g.given(array{t, []uint64{x}})
		}
		if g.IntN(2) == 0 {
			return around, carry(around)
		}
		return around, nil
	}
	boundAround, boundCarried := source(c.bound)
	stepAround, stepCarried := source(c.step)
	start := g.add(splat(t, c.start), t)
	if g.inMain && g.IntN(5) == 0 {
		start = g.given(array{t, []uint64{c.start}})
	}
	i := carry(start)
	var tally *carried
	if g.IntN(3) > 0 {
		tally = carry(g.add(splat(of(tensor.S32), 0), of(tensor.S32)))
	}
	g.scope = g.scope[:scope]
	for range g.IntN(4) {
		v := carry(g.array())
		if g.IntN(8) == 0 { // they are exchanged
			v.twin = carry(v.init)
		}
	}
	g.Shuffle(len(state), func(i, j int) { state[i], state[j] = state[j], state[i] })
	params := func(of func(*carried) *value) (list []*value) {
		for _, v := range state {
			list = append(list, of(v))
		}
		return list
	}
	s := &step{operation: loop, args: params(func(v *carried) *value { return v.init })}
	operand := func(x uint64, around *value, carried *value) *value {
		switch {
		case carried != nil:
			return carried
		case around != nil:
			return around
		}
		return g.add(splat(t, x), t)
	}
	s.blocks = append(s.blocks, g.within(params(func(v *carried) *value { return v.test }), func() []*value {
		var invariant *value
		if boundCarried != nil {
			invariant = boundCarried.test
		}
		bound := operand(c.bound, boundAround, invariant)
		direction, x, y := c.direction, i.test, bound
		if c.swapped {
			direction, x, y = turned[c.direction], bound, i.test
		}
		return []*value{g.add(compare{direction}, of(tensor.Pred), x, y)}
	}))
	s.blocks = append(s.blocks, g.within(params(func(v *carried) *value { return v.body }), func() (results []*value) {
		count := func() {
			var invariant *value
			if stepCarried != nil {
				invariant = stepCarried.body
			}
			by := operand(c.step, stepAround, invariant)
			op, x, y := "add", i.body, by
			if c.subtracts {
				op = "subtract"
			} else if c.turned {
				x, y = by, i.body
			}
			i.result = g.add(pairwise{op}, t, x, y)
			if c.then != 0 {
				i.result = g.add(pairwise{"add"}, t, i.result, g.add(splat(t, c.then), t))
			}
		}
		early := g.IntN(2) == 0
		if early {
			count()
		}
		for range 1 + g.IntN(4) {
			g.step()
		}
		if !early {
			count()
		}
		if tally != nil {
			tally.result = g.add(pairwise{"add"}, tally.init.kind, tally.body,
				g.add(splat(tally.init.kind, 1), tally.init.kind))
		}
		for _, v := range state {
			if v.twin != nil {
				v.result, v.twin.result = g.same(v.twin.body), g.same(v.body)
			}
		}
		for _, v := range state {
			switch {
			case v == boundCarried || v == stepCarried:
				v.result = v.body
			case v.result == nil:
				v.result = g.made(v.body.kind, v.body)
			}
			results = append(results, v.result)
		}
		return results
	}))
	g.finish(s, kinds(s.args))
	for i, v := range state {
		if v.twin != nil {
			g.mix(v.init, s.out[i])
		}
	}
}

// turned are the directions of comparisons whose operands are swapped.
var turned = map[string]string{"LT": "GT", "LE": "GE", "GT": "LT", "GE": "LE", "EQ": "EQ", "NE": "NE"}
