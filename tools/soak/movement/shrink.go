package movement

import (
	"context"
	"slices"
	"strings"
)

// shrink returns the smallest program that it finds of which an engine makes what it should not, in the same way.
func shrink(ctx context.Context, r *runner, t *trial, why string) (*trial, string, error) {
	how, _, _ := strings.Cut(why, ":")
	for i := 0; ; {
		smaller := t.clone()
		if !smaller.edit(i) {
			return t, why, nil
		}
		smaller.sweep()
		i++
		want, err := smaller.evaluate()
		if err != nil || smaller.weight() >= t.weight() {
			continue
		}
		again, err := r.run(ctx, &trial{smaller, want})
		if err != nil {
			return nil, "", err
		}
		if strings.HasPrefix(again, how) && !strings.Contains(again, "the generator:") {
			t, why = &trial{smaller, want}, again
			i = max(i-3, 0) // the edits before it were tried
			if i > 0 && smaller.weight() > 40 {
				continue
			}
			i = 0
		}
	}
}

// weight is what shrink makes smaller.
func (p *program) weight() (n int) {
	p.blocks(func(b *block) {
		n += len(b.results) + len(b.params)
		b.walk(func(_ *block, s *step) {
			switch s.operation.(type) {
			case constant, iota:
				n += 1
			default:
				n += 3 + len(s.args)
			}
			for _, in := range s.blocks {
				n += len(in.results)
			}
		})
	})
	for _, a := range p.inputs {
		if slices.ContainsFunc(a.data, func(x uint64) bool { return x != 0 }) {
			n++
		}
	}
	return n
}

// edit makes the program smaller in one of several ways, which have numbers. It returns false if there are fewer.
func (p *program) edit(n int) bool {
	e := &editor{program: p, left: n}
	for i := range p.main.results {
		if len(p.main.results) > 1 {
			e.try(func() { p.main.results = slices.Delete(p.main.results, i, i+1) })
		}
	}
	p.blocks(func(b *block) { e.block(b, nil) })
	for i, a := range p.inputs {
		e.try(func() { p.inputs[i] = array{a.kind, make([]uint64, len(a.data))} })
		if k := slices.Index(a.data, 0); k != 0 {
			e.try(func() {
				p.inputs[i] = array{a.kind, make([]uint64, len(a.data))}
				for j := range a.data {
					p.inputs[i].data[j] = mask(a.elem, uint64(j+1))
				}
			})
		}
	}
	return e.done
}

// An editor makes the edit with a number.
type editor struct {
	*program
	left int
	done bool
}

func (e *editor) try(f func()) {
	if !e.done && e.left == 0 {
		f()
		e.done = true
	}
	e.left--
}

func (e *editor) block(b *block, scope []*value) {
	scope = append(slices.Clone(scope), b.params...)
	for i, s := range b.steps {
		if e.done {
			return
		}
		switch {
		case s.is(call):
			e.try(func() { b.replace(i, s.args, s.callee.block, s.out, e.program) })
		case s.is(choice), s.is(cases):
			for _, in := range s.blocks {
				e.try(func() { b.replace(i, nil, in, s.out, e.program) })
			}
		}
		for _, v := range s.out {
			for _, w := range s.args {
				if w.equal(v.kind) {
					e.try(func() { e.use(w, v) })
				}
			}
			for _, w := range slices.Backward(scope) {
				if w.equal(v.kind) && !w.of(s.args) {
					e.try(func() { e.use(w, v) })
					break
				}
			}
			if _, isConstant := s.operation.(constant); !isConstant {
				e.try(func() {
					zero := one(splat(v.kind, 0), &value{v.kind})
					b.steps = slices.Insert(b.steps, i, zero)
					e.use(zero.out[0], v)
				})
			}
		}
		for _, in := range s.blocks {
			e.block(in, scope)
		}
		scope = append(scope, s.out...)
	}
	if e.done {
		return
	}
	for i, v := range b.params { // a parameter is a value of the block's, instead
		for _, w := range b.params[:i] {
			if w.equal(v.kind) {
				e.try(func() { e.use(w, v) })
				break
			}
		}
	}
}

// use uses a value instead of another one, everywhere.
func (e *editor) use(v, instead *value) {
	replace := func(list []*value) {
		for i, w := range list {
			if w == instead {
				list[i] = v
			}
		}
	}
	e.blocks(func(b *block) {
		replace(b.results)
		b.walk(func(_ *block, s *step) {
			replace(s.args)
			for _, in := range s.blocks {
				replace(in.results)
			}
		})
	})
}

// replace puts a copy of a block in the place of a step.
func (b *block) replace(i int, args []*value, in *block, out []*value, p *program) {
	c := cloner{map[*value]*value{}, nil}
	copied := c.block(in)
	e := &editor{program: p}
	b.steps = slices.Replace(b.steps, i, i+1, copied.steps...)
	for k, v := range copied.params {
		e.use(args[k], v)
		for j, w := range copied.results {
			if w == v {
				copied.results[j] = args[k]
			}
		}
	}
	for k, v := range out {
		e.use(copied.results[k], v)
	}
}

// sweep removes what nothing uses.
func (p *program) sweep() {
	for range 20 {
		before := p.weight()
		used := map[*value]bool{}
		called := map[*function]bool{}
		p.main.mark(used, called)
		p.main.sweep(used)
		for _, f := range p.helpers {
			f.sweep(used)
		}
		p.helpers = slices.DeleteFunc(p.helpers, func(f *function) bool { return !called[f] })
		for i := len(p.main.params) - 1; i >= 0; i-- {
			if !used[p.main.params[i]] {
				p.main.params = slices.Delete(p.main.params, i, i+1)
				p.inputs = slices.Delete(p.inputs, i, i+1)
			}
		}
		if p.weight() == before {
			return
		}
	}
}

// mark finds what the results of a block depend on.
func (b *block) mark(used map[*value]bool, called map[*function]bool) {
	for _, v := range b.results {
		used[v] = true
	}
	b.depend(used, called)
}

// depend marks what steps use whose results are used.
func (b *block) depend(used map[*value]bool, called map[*function]bool) {
	for _, s := range slices.Backward(b.steps) {
		if !slices.ContainsFunc(s.out, func(v *value) bool { return used[v] }) {
			continue
		}
		switch {
		case s.is(loop):
			s.markLoop(used, called)
			continue
		case s.is(call):
			called[s.callee] = true
			s.callee.mark(used, called)
		}
		for _, in := range s.blocks {
			in.mark(used, called)
		}
		for _, v := range s.args {
			used[v] = true
		}
	}
}

// markLoop marks only what the results of a loop depend on that are used.
func (s *step) markLoop(used map[*value]bool, called map[*function]bool) {
	test, body := s.blocks[0], s.blocks[1]
	test.mark(used, called)
	for {
		before := len(used)
		for i := range s.args {
			if used[s.out[i]] || used[test.params[i]] || used[body.params[i]] {
				used[s.out[i]], used[s.args[i]], used[body.results[i]] = true, true, true
			}
		}
		body.depend(used, called)
		if len(used) == before {
			return
		}
	}
}

// sweep removes steps and values of loops that are not used.
func (b *block) sweep(used map[*value]bool) {
	b.steps = slices.DeleteFunc(b.steps, func(s *step) bool {
		return !slices.ContainsFunc(s.out, func(v *value) bool { return used[v] })
	})
	for _, s := range b.steps {
		if s.is(loop) {
			test, body := s.blocks[0], s.blocks[1]
			for i := len(s.out) - 1; i >= 0; i-- {
				if !used[s.out[i]] {
					for _, list := range []*[]*value{&s.out, &s.args, &test.params, &body.params, &body.results} {
						*list = slices.Delete(*list, i, i+1)
					}
				}
			}
		}
		if s.is(choice) || s.is(cases) {
			for i := len(s.out) - 1; i >= 0 && len(s.out) > 1; i-- {
				if !used[s.out[i]] {
					s.out = slices.Delete(s.out, i, i+1)
					for _, in := range s.blocks {
						in.results = slices.Delete(in.results, i, i+1)
					}
				}
			}
		}
		for _, in := range s.blocks {
			in.sweep(used)
		}
	}
}
