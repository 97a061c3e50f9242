package movement

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/calliope-mlir/calliope/internal/test/progen"
	"github.com/calliope-mlir/calliope/tensor"
)

// generate makes the program of a number. The same numbers make the same program.
func generate(seed, number uint64) (*program, error) {
	for again := range uint64(1000) {
		g := &generator{Rand: rand.New(rand.NewPCG(seed, number<<16+again))}
		p := g.program(number)
		if _, err := p.evaluate(); err == nil {
			return p, nil
		} else if !errors.Is(err, errLong) && !errors.Is(err, errInexact) {
			return nil, err
		}
	}
	return nil, fmt.Errorf("program %d of seed %d always takes too long", number, seed)
}

// A generator makes a program.
type generator struct {
	*rand.Rand
	p      *program
	elems  []tensor.DType // of the values that are moved
	block  *block         // gets the steps
	scope  []*value       // what these may use, the newest one last
	depth  int            // of blocks
	inMain bool           // and not in a function, so that there may be further parameters
	budget int            // of steps
}

// Element types of programs: those that compute, and those that are only moved.
var (
	computed = []tensor.DType{tensor.F32, tensor.F32, tensor.F32, tensor.S32, tensor.S32, tensor.F64, tensor.S64,
		tensor.S8, tensor.U8, tensor.S16, tensor.U16, tensor.U32, tensor.U64, tensor.Pred, tensor.BF16, tensor.F16}
	moved = []tensor.DType{tensor.C64, tensor.F8E4M3FN, tensor.F8E5M2}
	small = []tensor.DType{tensor.S4, tensor.U4}
)

// maxElements is the size of the largest array.
const maxElements = 80

func (g *generator) program(number uint64) *program {
	g.p = &program{number: number, numbers: g.IntN(4) > 0}
	list := computed
	if !g.p.numbers && g.IntN(3) == 0 {
		list = moved
	} else if g.IntN(40) == 0 {
		list = small
	}
	for range 1 + g.IntN(2) {
		g.elems = append(g.elems, pick(g, list))
	}
	return g.fill(true)
}

// fill adds parameters, steps and results to the program. Steps may add further parameters, if more is set.
func (g *generator) fill(more bool) *program {
	g.p.main, g.inMain, g.budget = &block{}, more, 30
	g.block = g.p.main
	for range 1 + g.IntN(3) {
		g.parameter(g.kind())
	}
	for range 2 + g.IntN(9) {
		g.step()
	}
	g.p.main.results = g.results()
	return g.p
}

func pick[T any](g *generator, list []T) T { return list[g.IntN(len(list))] }

// results returns what main returns: what nothing uses, and more.
func (g *generator) results() (list []*value) {
	used := map[*value]bool{}
	g.p.main.walk(func(_ *block, s *step) {
		for _, in := range s.blocks {
			for _, v := range in.results {
				used[v] = true
			}
		}
		for _, v := range s.args {
			used[v] = true
		}
	})
	for _, s := range g.p.main.steps {
		for _, v := range s.out {
			if !used[v] || g.IntN(6) == 0 {
				list = append(list, v)
			}
		}
	}
	if len(list) == 0 {
		list = g.p.main.params[:1:1]
	}
	return list
}

func (g *generator) elem() tensor.DType { return pick(g, g.elems) }

// kind returns a random one.
func (g *generator) kind() kind {
	for {
		k := kind{elem: g.elem()}
		for range pick(g, []int{0, 1, 1, 1, 2, 2, 2, 3, 4}) {
			k.dims = append(k.dims, pick(g, []int{1, 1, 2, 3, 4, 5, 6, 6, 7, 8}))
		}
		if len(k.dims) > 0 && g.IntN(60) == 0 {
			k.dims[g.IntN(len(k.dims))] = 0
		}
		if k.size() <= maxElements {
			return k
		}
	}
}

// parameter adds one of main.
func (g *generator) parameter(k kind) *value {
	a := array{k, make([]uint64, k.size())}
	for i := range a.data {
		a.data[i] = g.element(k.elem)
	}
	return g.given(a)
}

func (g *generator) given(a array) *value {
	v := &value{a.kind}
	g.p.main.params = append(g.p.main.params, v)
	g.p.inputs = append(g.p.inputs, a)
	g.scope = append(g.scope, v)
	return v
}

// element returns a random one.
func (g *generator) element(e tensor.DType) uint64 {
	switch {
	case e == tensor.Pred:
		return uint64(g.IntN(2))
	case progen.IsFloat(e) && (g.p.numbers || g.IntN(2) == 0):
		return progen.Bits(e, float64(g.IntN(19)-9))
	case e == tensor.F8E4M3FN || e == tensor.F8E5M2: // no NaN, which may get other bits
		return uint64(g.IntN(2)<<7 + g.IntN(0x7C))
	case e == tensor.BF16: // NaN is one of two, as older plugins have it after it was widened
		x := g.Uint64() & 0xffff
		if x&0x7fff > 0x7f80 {
			x = x&0x8000 | 0x7fc0
		}
		return x
	case progen.IsFloat(e) || isMoved(e) || g.IntN(3) == 0:
		return mask(e, g.Uint64())
	}
	return mask(e, uint64(g.IntN(12)-3))
}

// add adds a step, unless its result is too large.
func (g *generator) add(o operation, k kind, args ...*value) *value {
	v := &value{k}
	g.block.add(one(o, v, args...))
	g.scope = append(g.scope, v)
	return v
}

func (g *generator) constant(k kind) *value {
	o := constant{make([]uint64, k.size())}
	for i := range o.data {
		o.data[i] = g.element(k.elem)
	}
	return g.add(o, k)
}

// value returns one that fits, often one of the newest, or nil.
func (g *generator) value(fits func(*value) bool) *value {
	recent := g.IntN(3) > 0
	var list []*value
	for i := len(g.scope) - 1; i >= 0 && !(recent && len(list) == 3); i-- {
		if fits(g.scope[i]) {
			list = append(list, g.scope[i])
		}
	}
	if len(list) == 0 {
		return nil
	}
	return pick(g, list)
}

// array returns a value to move: an array of the program's element types, and seldom a scalar.
func (g *generator) array() *value {
	scalars := g.IntN(12) == 0
	v := g.value(func(v *value) bool { return (scalars || !v.isScalar()) && slices.Contains(g.elems, v.elem) })
	if v != nil {
		return v
	}
	if g.inMain && g.IntN(2) == 0 {
		return g.parameter(g.kind())
	}
	return g.constant(g.kind())
}

// like returns a value of a kind.
func (g *generator) like(k kind) *value {
	if v := g.value(func(v *value) bool { return v.equal(k) }); v != nil && g.IntN(8) > 0 {
		return v
	}
	switch {
	case g.inMain && g.depth == 0 && g.IntN(2) == 0:
		return g.parameter(k)
	case g.IntN(4) == 0 && !k.isScalar() && k.elem != tensor.Pred && !isMoved(k.elem):
		return g.add(iota{g.IntN(len(k.dims))}, k)
	case g.IntN(3) == 0 && k.size() > 0: // of one element
		return g.add(broadcast{nil}, k, g.like(k.with()))
	}
	return g.constant(k)
}

// step adds a few steps, or one with blocks.
func (g *generator) step() {
	if g.budget--; g.budget < 0 {
		return
	}
	n := g.IntN(100)
	switch {
	case n < 9 && g.depth < 2:
		g.loop()
	case n < 12 && g.depth < 2:
		g.branch()
	case n < 16 && g.depth < 2:
		g.call()
	case n < 32:
		g.arithmetic()
	default:
		for range 10 {
			if pick(g, moves)(g) {
				return
			}
		}
	}
}

// within makes a block: fill adds its steps, and returns its results.
func (g *generator) within(params []*value, fill func() []*value) *block {
	outer, scope := g.block, g.scope
	g.block = &block{params: params}
	g.scope = append(slices.Clone(scope), params...)
	g.depth++
	g.block.results = fill()
	g.depth--
	b := g.block
	g.block, g.scope = outer, scope
	return b
}

// made returns a value of a kind that a block made, preferably, other than one.
func (g *generator) made(k kind, other *value) *value {
	if v := g.value(func(v *value) bool { return v.equal(k) && v != other }); v != nil {
		return v
	}
	return g.like(k)
}

// branch chooses from blocks.
func (g *generator) branch() {
	test := g.like(of(tensor.Pred))
	s := &step{operation: choice, args: []*value{test}}
	n := 2
	if g.IntN(3) == 0 {
		s.operation, n = cases, 1+g.IntN(3)
		s.args[0] = g.scalar(tensor.S32, 3)
	}
	var results []kind
	for range 1 + g.IntN(2) {
		results = append(results, g.array().kind)
	}
	for range n {
		s.blocks = append(s.blocks, g.within(nil, func() (list []*value) {
			for range g.IntN(3) {
				g.step()
			}
			for _, k := range results {
				list = append(list, g.made(k, nil))
			}
			return list
		}))
	}
	g.finish(s, results)
}

func (g *generator) finish(s *step, results []kind) {
	for _, k := range results {
		s.out = append(s.out, &value{k})
	}
	g.block.add(s)
	g.scope = append(g.scope, s.out...)
}

// call calls a function, a new one or one that there is.
func (g *generator) call() {
	for _, f := range g.p.helpers {
		s := &step{operation: call, callee: f}
		for _, p := range f.params {
			if v := g.value(func(v *value) bool { return v.equal(p.kind) }); v != nil {
				s.args = append(s.args, v)
			}
		}
		if len(s.args) == len(f.params) && g.inMain {
			g.finish(s, kinds(f.results))
			return
		}
	}
	s := &step{operation: call}
	var params []*value
	for range 1 + g.IntN(3) {
		v := g.array()
		s.args, params = append(s.args, v), append(params, &value{v.kind})
	}
	inMain, scope := g.inMain, g.scope
	g.inMain, g.scope = false, nil
	f := &function{block: g.within(params, func() (list []*value) {
		for range 1 + g.IntN(4) {
			g.step()
		}
		for range 1 + g.IntN(2) {
			list = append(list, g.array())
		}
		return list
	})}
	g.inMain, g.scope = inMain, scope
	g.p.helpers = append(g.p.helpers, f)
	s.callee = f
	g.finish(s, kinds(f.results))
}
