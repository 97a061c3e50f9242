package order

import (
	"errors"
	"math"
	"slices"
)

// ErrTooLarge is the error of Unordered for a module whose calls, with those of a function
// counted at each place where it is called, are too many to check, or whose loops are too deep.
var ErrTooLarge = errors.New("order: the module is too large to check the order of its calls")

const (
	maxOrderWork  = 1 << 24 // visits of operations, and spans that they copy
	maxOrderPairs = 1 << 20 // pairs of calls that are looked at, many of which may be of the same operations
)

// An orderRun finds the calls behind each value, as if all functions were inlined. Calls have
// numbers in the order of the program, from 0 on for each effect.
//
// A loop is run with the calls of all earlier iterations as one, and those of the current
// iteration as another. If the loop has n calls of an effect, these have the numbers from base,
// and from base+n. What all iterations have in common is a fixed point: a value depends on the
// calls on which it depends in every iteration. After the loop its calls have the numbers from
// base.
type orderRun struct {
	g       *orderGraph
	o       Options
	next    []int32   // the number of the next call, by effect
	sites   [][]int32 // the site of each number
	loops   []loopRun
	record  bool
	inlined map[*orderFunction]bool // functions that were recorded
	found   map[pairKey]bool
	result  Result
	work    int
	looked  int // pairs of calls that were looked at
}

type pairKey struct {
	first, second int32 // sites
	iterations    bool
}

// A loopRun is a loop around the current operation.
type loopRun struct {
	base   []int32
	counts counts
}

// A frame has the calls behind the values of one function.
type frame struct {
	f     *orderFunction
	calls []behind
}

func (r *orderRun) get(fr frame, v int32) behind { return fr.calls[v-fr.f.first] }

// set drops the calls behind an array without elements.
func (r *orderRun) set(fr frame, v int32, b behind) {
	if fr.f.zero[v-fr.f.first] {
		b = nil
	}
	fr.calls[v-fr.f.first] = b
}

// spend counts work. A panic with ErrTooLarge is recovered by Unordered.
func (r *orderRun) spend(n int) {
	if r.work += n; r.work > maxOrderWork {
		panic(ErrTooLarge)
	}
}

func (r *orderRun) or(b, c behind) behind {
	out := b.or(c)
	if !out.same(b) && !out.same(c) {
		for _, e := range out {
			r.spend(1 + len(e.calls)/4)
		}
	}
	return out
}

// root runs a function that is not called.
func (r *orderRun) root(f *orderFunction) {
	r.next = make([]int32, len(r.g.effects))
	r.sites = make([][]int32, len(r.g.effects))
	r.record = true
	r.function(f, make([]behind, len(f.body.args)), nil)
}

// function runs a function and returns the calls behind its results. All its values depend on
// the calls of around.
func (r *orderRun) function(f *orderFunction, args []behind, around behind) []behind {
	if r.record {
		r.inlined[f] = true
	}
	fr := frame{f, make([]behind, f.values)}
	r.spend(int(f.values))
	if !f.body.plain {
		r.repeat(fr, []orderRegion{f.body}, f.body.counts, around)
		return nil
	}
	return r.region(fr, &f.body, args, around)
}

// region runs a region and returns the calls behind what it returns.
func (r *orderRun) region(fr frame, g *orderRegion, args []behind, around behind) []behind {
	for i, v := range g.args {
		r.set(fr, v, r.or(args[i], around))
	}
	for i := range g.nodes {
		r.node(fr, &g.nodes[i], around)
	}
	out := make([]behind, len(g.yields))
	for i, v := range g.yields {
		out[i] = r.or(r.get(fr, v), around)
	}
	return out
}

func (r *orderRun) values(fr frame, list []int32) []behind {
	out := make([]behind, len(list))
	for i, v := range list {
		out[i] = r.get(fr, v)
	}
	return out
}

func (r *orderRun) all(fr frame, list []int32, b behind) behind {
	for _, v := range list {
		b = r.or(b, r.get(fr, v))
	}
	return b
}

func (r *orderRun) node(fr frame, n *orderNode, around behind) {
	r.spend(1)
	b := around
	results := func(each []behind) {
		for i, v := range n.results {
			if i < len(each) {
				r.set(fr, v, each[i])
			} else {
				r.set(fr, v, b)
			}
		}
	}
	if n.kind != alongNode {
		b = r.all(fr, n.operands, b)
	}
	if n.kind >= branchNode && len(n.counts) == 0 {
		// Nothing to record in it, and nothing can come out if nothing goes in.
		if b = r.all(fr, n.captured, b); len(b) == 0 {
			results(nil)
			return
		}
	}
	switch n.kind {
	case plainNode:
		results(nil)
	case siteNode:
		b = r.site(n, b)
		results(nil)
	case alongNode:
		each := r.values(fr, n.operands)
		for i := range each {
			each[i] = r.or(each[i], around)
		}
		results(each)
	case branchNode:
		results(r.branch(fr, n, r.or(r.get(fr, n.operands[0]), around)))
	case whileNode:
		results(r.while(fr, n, around))
	case calleeNode:
		each := r.function(n.callee, r.values(fr, n.operands), around)
		results(each)
	case inlineNode:
		results(r.region(fr, &n.regions[0], r.values(fr, n.operands), around))
	case regionsNode:
		b = r.all(fr, n.captured, b)
		if len(n.counts) > 0 {
			r.repeat(fr, n.regions, n.counts, b)
		}
		results(nil)
	}
}

// site gives a call its number, and returns the calls behind its results.
func (r *orderRun) site(n *orderNode, b behind) behind {
	if r.record {
		r.check(n, b)
	}
	at := r.next[n.effect]
	r.next[n.effect]++
	r.name(n.effect, at, n.site)
	calls := slices.Clone(b.of(n.effect)).appended(at, at+1) // the highest number so far
	r.spend(1 + len(calls)/4)
	return b.with(n.effect, calls)
}

func (r *orderRun) name(effect, at, site int32) {
	list := r.sites[effect]
	for int(at) >= len(list) {
		list = append(list, -1)
	}
	list[at] = site
	r.sites[effect] = list
}

// branch runs an if or a case. Only one of its regions runs: the calls of the others count as
// done in it.
func (r *orderRun) branch(fr frame, n *orderNode, around behind) []behind {
	var out []behind
	before := slices.Clone(r.next)
	for i := range n.regions {
		region := &n.regions[i]
		inside := r.or(around, r.since(n.counts, before))
		start := slices.Clone(r.next)
		each := r.region(fr, region, nil, inside)
		if i == 0 {
			out = each
			continue
		}
		later := r.since(region.counts, start)
		for j := range out {
			out[j] = r.or(out[j], later).and(each[j])
		}
	}
	return out
}

// since returns the calls from given numbers on.
func (r *orderRun) since(c counts, from []int32) (b behind) {
	for _, e := range c {
		if calls := one(from[e.effect], r.next[e.effect]); len(calls) > 0 {
			b = append(b, behind{{e.effect, calls}}...)
		}
	}
	return b
}

// behindEarlier sets the numbers of the next calls to those after the calls of earlier
// iterations. These are the calls of the current iteration, or those after the loop.
func (r *orderRun) behindEarlier(l loopRun) {
	for _, e := range l.counts {
		r.next[e.effect] = l.base[e.effect] + e.n
	}
}

// nameEarlier names the calls of earlier iterations as those of the current one.
func (r *orderRun) nameEarlier(l loopRun) {
	for _, e := range l.counts {
		base := l.base[e.effect]
		for i := range e.n {
			r.name(e.effect, base+i, r.sites[e.effect][base+e.n+i])
		}
		r.spend(int(e.n))
	}
}

// fold makes the calls of the current iteration ones of earlier iterations: a value depends on
// a call if it depends on it in both.
func (r *orderRun) fold(l loopRun, b behind) behind {
	for _, e := range l.counts {
		base := l.base[e.effect]
		calls := b.of(e.effect)
		if len(calls) == 0 {
			continue
		}
		before := calls.within(0, base, 0)
		earlier := calls.within(base, base+e.n, 0)
		current := calls.within(base+e.n, base+2*e.n, e.n)
		r.spend(1 + len(calls)/4)
		b = b.with(e.effect, before.union(earlier.intersection(current)))
	}
	return b
}

// while runs a loop and returns the calls behind its results.
func (r *orderRun) while(fr frame, n *orderNode, around behind) []behind {
	l := loopRun{slices.Clone(r.next), n.counts}
	cond, body := &n.regions[0], &n.regions[1]
	// In the first iteration there are no earlier ones.
	var none behind
	for _, e := range n.counts {
		none = append(none, behind{{e.effect, one(l.base[e.effect], l.base[e.effect]+e.n)}}...)
	}
	state := r.values(fr, n.operands)
	for i := range state {
		state[i] = r.or(r.or(state[i], around), none)
	}
	record := r.record
	r.record = false
	var test behind
	for stable := false; !stable; {
		var next []behind
		test, next = r.iteration(fr, cond, body, l, state, around)
		stable = true
		for i := range state {
			both := state[i].and(r.fold(l, next[i]))
			r.spend(1)
			if !both.equal(state[i]) {
				state[i], stable = both, false
			}
		}
	}
	r.nameEarlier(l)
	if r.record = record; record {
		r.loops = append(r.loops, l)
		r.iteration(fr, cond, body, l, state, around)
		r.loops = r.loops[:len(r.loops)-1]
	}
	// After the last condition the body does not run: its calls count as done.
	var skipped behind
	for _, e := range body.counts {
		from := l.base[e.effect] + n.counts.of(e.effect) + cond.counts.of(e.effect)
		skipped = append(skipped, behind{{e.effect, one(from, from+e.n)}}...)
	}
	out := make([]behind, len(state))
	for i := range out {
		out[i] = r.fold(l, r.or(r.or(state[i], test), skipped))
	}
	r.behindEarlier(l)
	return out
}

// iteration runs the condition and the body, and returns the calls behind their results.
func (r *orderRun) iteration(
	fr frame, cond, body *orderRegion, l loopRun, state []behind, around behind,
) (behind, []behind) {
	r.behindEarlier(l)
	test := r.region(fr, cond, state, around)[0]
	next := r.region(fr, body, state, r.or(around, test))
	return test, next
}

// repeat runs regions of which nothing is known: they may run any number of times, one after
// another, and no order passes from one to the next.
func (r *orderRun) repeat(fr frame, regions []orderRegion, c counts, around behind) {
	l := loopRun{slices.Clone(r.next), c}
	record := r.record
	for _, r.record = range []bool{false, record} {
		r.behindEarlier(l)
		r.loops = append(r.loops, l)
		for i := range regions {
			region := &regions[i]
			r.region(fr, region, make([]behind, len(region.args)), around)
		}
		r.loops = r.loops[:len(r.loops)-1]
		r.nameEarlier(l)
	}
	r.behindEarlier(l)
}

// check records the calls before a call on which it does not depend, the latest ones first.
func (r *orderRun) check(n *orderNode, b behind) {
	for _, effect := range r.g.effects[n.effect].against {
		calls := b.of(effect)
		if len(calls) == 1 && calls[0] == (span{0, r.next[effect]}) || r.next[effect] == 0 {
			continue
		}
		gaps := calls.gaps(r.next[effect])
		r.spend(len(gaps) / 4)
		for _, gap := range slices.Backward(gaps) {
			r.result.Total += int(gap.hi - gap.lo)
			for at := gap.hi - 1; at >= gap.lo && len(r.result.Pairs) < r.o.Limit && r.looked < maxOrderPairs; at-- {
				r.looked++
				r.pair(effect, at, n.site)
			}
		}
	}
}

func (r *orderRun) pair(effect, at, second int32) {
	key := pairKey{first: r.sites[effect][at], second: second}
	for _, l := range r.loops {
		for _, e := range l.counts {
			if base := l.base[effect]; e.effect == effect && at >= base && at < base+e.n {
				key.iterations = true
			}
		}
	}
	if r.found[key] {
		return
	}
	r.found[key] = true
	first := r.g.sites[key.first]
	last := r.g.sites[key.second]
	r.result.Pairs = append(r.result.Pairs, Pair{
		First: orderedCall(first), Second: orderedCall(last), Iterations: key.iterations,
	})
}

func orderedCall(s orderSite) Call { return Call{s.op, s.kind.Calls, s.kind.Effect} }

// count counts the calls of a function.
func (g *graphMaker) count(f *orderFunction) {
	if f.state != uncounted {
		return
	}
	f.state = underway
	g.countRegion(&f.body)
	f.state = counted
	if f.root {
		g.roots = append(g.roots, f)
	}
}

func (g *graphMaker) countRegion(r *orderRegion) {
	for i := range r.nodes {
		n := &r.nodes[i]
		switch n.kind {
		case siteNode:
			r.counts = r.counts.add(counts{{n.effect, 1}})
			continue
		case calleeNode:
			g.count(n.callee)
			if n.callee.state == underway || n.callee.body.plain &&
				(len(n.callee.body.args) != len(n.operands) || len(n.callee.body.yields) != len(n.results)) {
				n.kind = plainNode // the function is recursive, which XLA does not accept
				continue
			}
			n.counts = n.callee.body.counts
		}
		for j := range n.regions {
			g.countRegion(&n.regions[j])
			n.counts = n.counts.add(n.regions[j].counts)
		}
		r.counts = r.counts.add(n.counts)
	}
}

// fits reports whether the numbers of the calls fit.
func (f *orderFunction) fits() bool {
	return !slices.ContainsFunc(f.body.counts, func(e struct{ effect, n int32 }) bool { return e.n > math.MaxInt32/4 })
}
