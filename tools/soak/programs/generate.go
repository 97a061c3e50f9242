package programs

import (
	"math/rand/v2"
	"slices"
)

// A maker makes a program.
type maker struct {
	*rand.Rand
	p      *program
	block  *block
	pool   []*variable // that the block can use
	manual bool        // the block is in the body of a manual
	calls  bool        // the block may have calls
}

// generate makes the program of a number.
func generate(seed uint64, profile profile) *program {
	for attempt := uint64(0); ; attempt++ {
		m := &maker{Rand: rand.New(rand.NewPCG(seed, attempt)), calls: true}
		p := m.program(seed, profile)
		_, one := p.predict(p.inputs(0))
		_, two := p.predict(p.inputs(1))
		if one == nil && two == nil {
			return p
		}
	}
}

func (m *maker) program(seed uint64, profile profile) *program {
	m.p = &program{seed: seed, profile: profile, overlap: m.IntN(4) == 0}
	for i := range m.IntN(3) {
		f := &function{name: "helper" + string(rune('0'+i)), body: &block{}}
		for range 1 + m.IntN(2) {
			f.params = append(f.params, m.variable(m.kind(), true))
		}
		m.pool = f.params
		m.fill(f.body, 1, 4, func() {
			for range m.IntN(3) {
				f.body.results = append(f.body.results, m.recent())
			}
		})
		m.p.functions = append(m.p.functions, f)
	}
	main := &function{name: "main", body: &block{}}
	kinds := []kind{{s32, vector}, {s32, scalar}, m.kind(), m.kind()}
	for i, k := range kinds[:2+m.IntN(3)] {
		main.params = append(main.params, m.variable(k, i == 1 || profile.mesh))
	}
	m.pool = main.params
	m.fill(main.body, 3, 8, func() {
		for n := []int{0, 1, 1, 1, 2, 3, 4}[m.IntN(7)]; n > 0; n-- {
			v := m.recent()
			if m.IntN(3) == 0 {
				v = main.params[m.IntN(len(main.params))]
			}
			main.body.results = append(main.body.results, v)
		}
	})
	m.p.functions = append(m.p.functions, main)
	m.donate()
	return m.p
}

// donate decides which parameters the program may overwrite.
func (m *maker) donate() {
	main := m.p.main()
	taken := map[int]bool{}
	for _, v := range main.params {
		at := -1
		if m.IntN(3) == 0 {
			for i, r := range main.body.results {
				if r.kind == v.kind && !taken[i] && m.p.isSplit(r) == m.p.isSplit(v) && m.IntN(2) == 0 {
					at, taken[i] = i, true
					break
				}
			}
		}
		donated := at >= 0 || m.IntN(3) == 0
		m.p.aliased = append(m.p.aliased, at)
		m.p.donated = append(m.p.donated, donated)
	}
}

func (m *maker) variable(k kind, same bool) *variable {
	m.p.variables++
	return &variable{number: m.p.variables, kind: k, same: same}
}

// fill makes the steps of a block, and then its results.
func (m *maker) fill(b *block, depth, length int, results func()) {
	block, pool := m.block, m.pool
	m.block, m.pool = b, slices.Clone(m.pool)
	for range 1 + m.IntN(length) {
		m.step(depth)
	}
	results()
	m.block, m.pool = block, pool
}

func (m *maker) add(s step, out ...*variable) {
	m.block.steps = append(m.block.steps, s)
	m.pool = append(m.pool, out...)
}

func choose[T any](m *maker, list ...T) T { return list[m.IntN(len(list))] }

func (m *maker) kind() kind {
	return kind{choose(m, s32, s32, s32, f32, f32, f64, s64, u8, pred),
		choose(m, vector, vector, vector, scalar, scalar, matrix, empty)}
}

// recent returns a variable, more likely one of the last.
func (m *maker) recent() *variable {
	if len(m.pool) > 4 && m.IntN(2) == 0 {
		return m.pool[len(m.pool)-1-m.IntN(4)]
	}
	return choose(m, m.pool...)
}

func (m *maker) step(depth int) {
	n := m.IntN(20)
	switch {
	case n >= 8 && n < 14:
		if m.calls {
			m.call()
			return
		}
	case n == 14 && len(m.p.functions) > 0 && !m.manual && m.calls:
		m.invoke()
		return
	case n > 14 && n < 17 && depth > 0:
		m.branch(depth)
		return
	case n >= 17 && n < 19 && depth > 0:
		m.loop(depth)
		return
	case n == 19 && m.p.profile.mesh && !m.manual && depth == 3:
		m.enterManual()
		return
	}
	m.compute()
}

func (m *maker) do(k kind, op operation, args ...*variable) *variable {
	same := true
	for _, a := range args {
		same = same && a.same
	}
	out := m.variable(k, same)
	m.add(&compute{out: out, op: op, args: args}, out)
	return out
}

func (m *maker) constant(k kind, numbers ...int64) *variable {
	out := m.variable(k, true)
	c := &compute{out: out, op: "constant"}
	for i := range k.shape.size() {
		x := int64(m.IntN(40) - 10)
		if i < len(numbers) {
			x = numbers[i]
		}
		c.literal = append(c.literal, k.elem.wrap(x))
	}
	m.add(c, out)
	return out
}

// get returns a variable of a kind, which is the same on all devices if that is asked for.
func (m *maker) get(k kind, same bool) *variable {
	var fit, other []*variable
	for _, v := range m.pool {
		switch {
		case same && !v.same:
		case v.kind == k:
			fit = append(fit, v)
		default:
			other = append(other, v)
		}
	}
	if len(fit) > 0 && m.IntN(5) > 0 {
		return choose(m, fit[max(0, len(fit)-6):]...)
	}
	if len(other) == 0 {
		return m.constant(k)
	}
	return m.as(choose(m, other[max(0, len(other)-6):]...), k)
}

// as makes a variable of another kind.
func (m *maker) as(v *variable, k kind) *variable {
	s := k.shape
	if v.kind.elem == pred && s.size() != v.kind.shape.size() {
		v = m.do(kind{s32, v.kind.shape}, "convert", v)
	}
	if v.kind.shape != s && v.kind.shape.size() == s.size() {
		v = m.do(kind{v.kind.elem, s}, "reshape", v)
	}
	if v.kind.shape != s && v.kind.shape != scalar {
		v = m.do(kind{v.kind.elem, scalar}, "sum", v)
	}
	if v.kind.elem != k.elem {
		v = m.do(kind{k.elem, v.kind.shape}, "convert", v)
	}
	if v.kind.shape != s {
		v = m.do(k, "fill", v)
	}
	return v
}

// number returns a scalar that decides something, so it is the same on all devices.
func (m *maker) number() *variable {
	return m.get(kind{s32, scalar}, m.p.profile.devices > 0)
}

// condition returns a pred that decides something.
func (m *maker) condition() *variable {
	return m.do(kind{pred, scalar}, "lt", m.number(), m.constant(kind{s32, scalar}))
}

func (m *maker) compute() {
	x := m.recent()
	k, e := x.kind, x.kind.elem
	switch m.IntN(12) {
	case 0:
		m.constant(m.kind())
	case 1:
		m.as(x, m.kind())
	case 2:
		if e == pred {
			m.do(k, "not", x)
		} else {
			m.do(k, "neg", x)
		}
	case 3:
		if k.shape.rank == 1 {
			m.do(k, "reverse", x)
		}
	case 4:
		m.do(k, "select", m.get(kind{pred, k.shape}, false), x, m.get(k, false))
	case 5:
		// XLA loses updates at indices outside of a divided array
		if k.shape == vector && (!m.p.profile.mesh || m.manual) {
			m.do(k, "update", x, m.get(kind{s32, scalar}, false), m.get(kind{e, scalar}, false))
		}
	case 6:
		if e == s32 && m.IntN(4) == 0 {
			out := m.variable(k, x.same)
			m.add(&compute{out, "power", []*variable{x}, []int64{choose[int64](m, 0, 2, 3, 64, 100)}}, out)
		}
	case 7:
		m.do(kind{pred, k.shape}, choose[operation](m, "lt", "eq"), x, m.get(k, false))
	default:
		y := m.get(k, false)
		if e == pred {
			m.do(k, choose[operation](m, "and", "or", "xor"), x, y)
		} else {
			m.do(k, choose[operation](m, "add", "add", "sub", "mul", "max", "min"), x, y)
		}
	}
}

func (m *maker) branch(depth int) {
	s := &branch{isCase: m.IntN(2) == 0}
	n := 2
	if s.isCase {
		n, s.on = 1+m.IntN(3), m.number()
	} else {
		s.on = m.condition()
	}
	var kinds []kind
	outputs := choose(m, 0, 1, 1, 1, 2, 3)
	same := slices.Repeat([]bool{true}, outputs)
	for range n {
		b := &block{}
		m.fill(b, depth-1, 3, func() {
			for i := range outputs {
				v := m.recent()
				if len(kinds) < outputs {
					kinds = append(kinds, v.kind)
				} else if v.kind != kinds[i] {
					v = m.get(kinds[i], false)
				}
				same[i] = same[i] && v.same
				b.results = append(b.results, v)
			}
		})
		s.blocks = append(s.blocks, b)
	}
	for i, k := range kinds {
		s.out = append(s.out, m.variable(k, same[i]))
	}
	m.add(s, s.out...)
}

func (m *maker) loop(depth int) {
	s := &loop{counter: m.variable(kind{s32, scalar}, true), body: &block{}}
	for range choose(m, 0, 1, 1, 2, 2, 3) {
		v := m.recent()
		s.init = append(s.init, v)
		s.state = append(s.state, m.variable(v.kind, v.same))
	}
	if m.IntN(2) == 0 {
		s.limit = m.constant(kind{s32, scalar}, int64(m.IntN(4)))
		if m.IntN(3) == 0 {
			s.limit = m.do(kind{s32, scalar}, "min", m.number(), m.constant(kind{s32, scalar}, 3))
		}
	}
	pool := m.pool
	m.pool = append(append(slices.Clone(pool), s.counter), s.state...)
	if s.limit == nil {
		s.cond = &block{}
		calls := m.calls
		m.calls = calls && m.IntN(3) == 0
		m.fill(s.cond, min(depth-1, 1), 2, func() {
			more := m.do(kind{pred, scalar}, "lt", s.counter, m.constant(kind{s32, scalar}, int64(m.IntN(4))))
			if m.IntN(3) == 0 {
				more = m.do(kind{pred, scalar}, "and", more, m.condition())
			}
			s.cond.results = []*variable{more}
		})
		m.calls = calls
	}
	m.fill(s.body, depth-1, 4, func() {
		for _, v := range s.state {
			next := v
			if m.IntN(3) > 0 {
				next = m.get(v.kind, v.same)
			}
			s.body.results = append(s.body.results, next)
		}
	})
	m.pool = pool
	for _, v := range s.state {
		s.out = append(s.out, m.variable(v.kind, v.same))
	}
	m.add(s, s.out...)
}

func (m *maker) invoke() {
	s := &invoke{function: choose(m, m.p.functions...)}
	for _, v := range s.function.params {
		s.args = append(s.args, m.get(v.kind, m.p.profile.devices > 0))
	}
	for _, v := range s.function.body.results {
		s.out = append(s.out, m.variable(v.kind, v.same))
	}
	m.add(s, s.out...)
}

func (m *maker) enterManual() {
	s := &manual{body: &block{}}
	for range 1 + m.IntN(3) {
		v := m.recent()
		split := v.kind.shape == vector && m.IntN(3) > 0
		k := v.kind
		if split {
			k.shape = half
		}
		s.args, s.split, s.params = append(s.args, v), append(s.split, split), append(s.params, m.variable(k, !split))
	}
	if len(s.params) == 0 {
		return
	}
	pool := m.pool
	m.pool, m.manual = s.params, true
	m.fill(s.body, 2, 5, func() {
		for range m.IntN(3) {
			v := m.recent()
			joined := v.kind.shape == half
			if !joined && !v.same {
				continue
			}
			s.body.results, s.joined = append(s.body.results, v), append(s.joined, joined)
			k := v.kind
			if joined {
				k.shape = vector
			}
			s.out = append(s.out, m.variable(k, true))
		}
	})
	m.pool, m.manual = pool, false
	m.add(s, s.out...)
}
