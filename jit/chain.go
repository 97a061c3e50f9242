package jit

import (
	"fmt"
	"maps"
	"os"
	"slices"

	"github.com/calliope-mlir/calliope/mlir"
)

// chainLimits say what makes a chain worth a loop.
type chainLimits struct {
	arrays int64 // bytes of all its arrays, at least: less stays in a cache anyway
	part   int64 // bytes of the parts of one iteration, at most, so that they fit the second cache of most processors
	parts  int64 // iterations, at least
	inner  int64 // iterations of the loops inside, at least
	rows   int64 // rows of a part of a product, at least: the other matrix is copied for each part
	work   int64 // units of a chain that several threads compute, at least: see nest.work
	ranges int64 // and of a range of it
}

// partsOfProducts is how many times as large the parts of rows of products may be: they are used more than once.
const partsOfProducts = 8

// mostLinks is how many links a chain has at most.
const mostLinks = 64

var (
	usualChains = chainLimits{
		arrays: 1 << 18, part: 1 << 20, parts: 8, inner: 16, rows: 128, work: leastWork, ranges: rangeWork}
	allChains = chainLimits{part: 1 << 20, parts: 2, inner: 1, rows: 1, ranges: 1}
)

// limitsOfChains returns the limits that the environment variable CALLIOPE_JIT_CHAINS names: "all" makes each chain
// that can be one, and "none" makes none, for which it returns false.
func limitsOfChains() (limits chainLimits, ok bool, err error) {
	switch word := os.Getenv("CALLIOPE_JIT_CHAINS"); word {
	case "":
		return usualChains, true, nil
	case "all":
		return allChains, true, nil
	case "none":
		return limits, false, nil
	default:
		return limits, false, fmt.Errorf("the environment variable CALLIOPE_JIT_CHAINS is %q: use all or none", word)
	}
}

// chainLoops makes one loop of operations that follow one another and compute arrays part by part, such as row by row.
// An iteration computes one part of all of them, which the next operation then finds in the cache. A temporary that no
// other operation uses becomes a part, so each iteration has the memory of the one before.
func chainLoops(m *mlir.Module, _ *Executable) error {
	limits, ok, err := limitsOfChains()
	if err != nil || !ok {
		return err
	}
	f, err := main(m)
	if err != nil {
		return err
	}
	var chains []*chain
	for op := range f.All() {
		if op.Equal(f) || slices.Contains(aroundChains, op.Name()) {
			for _, region := range op.Regions() {
				for block := range region.Blocks() {
					chains = append(chains, chainsOf(block, f, limits)...)
				}
			}
		}
	}
	for i, c := range chains {
		if err := c.build(m, i); err != nil {
			return err
		}
	}
	if len(chains) == 0 {
		return nil
	}
	return eraseUnused(f)
}

// eraseUnused removes what computed operands of links alone.
func eraseUnused(f mlir.Operation) error {
	list := slices.Collect(f.All())
	for _, op := range slices.Backward(list) {
		if slices.Contains(betweenLinks, op.Name()) && !slices.ContainsFunc(op.ResultValues(), mlir.Value.HasUses) {
			if err := op.Erase(); err != nil {
				return err
			}
		}
	}
	return nil
}

var (
	// aroundChains are the operations of whose blocks chains are made.
	aroundChains = []string{"scf.for", "scf.if", "scf.index_switch", "scf.while"}
	// betweenLinks are the operations that may stand between those of a chain, and move before it.
	betweenLinks = slices.Concat(pure, addresses, []string{"memref.alloc"})
)

// A chain is a list of operations whose outermost loops become one loop. Its iterations write different parts of
// arrays, and read no part that another iteration writes.
type chain struct {
	limits chainLimits
	main   mlir.Operation
	links  []link
	sizes  []int64               // of the loops that become one
	arrays map[mlir.Value]*array // that the links use
	rows   int64                 // of the last loop, those that an iteration computes
}

// An array is one that a chain uses.
type array struct {
	at      []int // by loop of the chain, the dimension where it alone is the index; nil if links differ in it
	origin  origin
	bytes   int64 // of all of it
	written bool
	shared  bool // several links use it
	private bool // no other operation uses it, so that a part of it is enough; set by build
}

// isDivided reports whether so many loops of the chain are the indices of dimensions.
func (a *array) isDivided(loops int) bool {
	return a.at != nil && !slices.ContainsFunc(a.at[:loops], func(dim int) bool { return dim < 0 })
}

// An origin says what else may be the memory of an array.
type origin int

const (
	own       origin = iota // nothing: it is allocated in the block, or a constant
	parameter               // no other parameter, and no array that is allocated
	unknown                 // any but one that is allocated in the block
)

func (c *chain) originOf(v mlir.Value, block mlir.Block) origin {
	switch {
	case v.IsResult() && v.Owner().Name() == "memref.alloc" && v.Owner().Block().Equal(block),
		v.IsResult() && v.Owner().Name() == "memref.get_global": // which nothing writes
		return own
	case v.IsArgument() && v.Block().Parent().Equal(c.main):
		return parameter
	}
	return unknown
}

// chainsOf returns the chains of a block that are worth a loop.
func chainsOf(block mlir.Block, main mlir.Operation, limits chainLimits) (list []*chain) {
	c := &chain{limits: limits, main: main}
	end := func() {
		// The first links may be what makes the parts too large.
		for links := c.links; len(links) > 1; links = links[1:] {
			if c.choose() {
				list = append(list, c)
				break
			} else if !c.isLarge() {
				break
			}
			c = &chain{limits: limits, main: main}
			for _, l := range links[1:] {
				if !c.add(l) {
					break
				}
			}
		}
		c = &chain{limits: limits, main: main}
	}
	for op := range block.Operations() {
		l, ok := linkOf(op)
		switch {
		case ok && !c.add(l):
			end()
			c.add(l)
		case !ok && !slices.Contains(betweenLinks, op.Name()):
			end()
		}
	}
	end()
	return list
}

// add adds a link with as many of its loops as possible. It reports whether it could.
func (c *chain) add(l link) bool {
	if len(c.links) == mostLinks {
		return false
	}
	l.loops = c.loopsOf(l)
	for ; len(l.loops) > 0; l.loops = l.loops[:len(l.loops)-1] {
		arrays, ok := c.with(l)
		fewer := len(c.links) > 0 && len(l.loops) < len(c.sizes)
		if !ok || fewer && partOf(append(c.links, l), arrays, l.sizesOf()) > c.limits.part {
			continue
		}
		c.links, c.arrays, c.sizes = append(c.links, l), arrays, l.sizesOf()
		return true
	}
	return false
}

// loopsOf returns the loops of a link that may be those of the chain, in the chain's order.
func (c *chain) loopsOf(l link) (loops []int) {
	if len(c.links) == 0 {
		for loop := range l.sizes {
			if !l.parallel[loop] {
				break
			}
			loops = append(loops, loop)
		}
		return loops
	}
	at := func(i int) int { return i }
	for _, u := range l.uses { // the loops that are the chain's in an array that both use
		if a := c.arrays[u.array]; a != nil && a.at != nil && (a.written || u.writes) {
			at = func(i int) int { return slices.Index(u.at, a.at[i]) }
			break
		}
	}
	for i, size := range c.sizes {
		loop := at(i)
		if loop < 0 || loop >= len(l.sizes) || l.sizes[loop] != size || !l.parallel[loop] ||
			slices.Contains(loops, loop) || l.call != nil && loop != i {
			break
		}
		loops = append(loops, loop)
	}
	return loops
}

// with returns the arrays of the chain and another link, and false if that cannot be one of the chain.
func (c *chain) with(l link) (map[mlir.Value]*array, bool) {
	arrays := map[mlir.Value]*array{}
	for v, a := range c.arrays {
		copied := *a
		if a.at != nil {
			copied.at = a.at[:len(l.loops)]
		}
		arrays[v] = &copied
	}
	for _, u := range l.uses {
		at := make([]int, len(l.loops))
		for i, loop := range l.loops {
			at[i] = u.at[loop]
		}
		if slices.Contains(at, mixed) || u.sharesWindow(l.loops) {
			return nil, false
		}
		a := arrays[u.array]
		if a == nil {
			size, _ := sizeOf(u.array.Type())
			a = &array{at: at, bytes: int64(size), origin: c.originOf(u.array, l.op.Block())}
			arrays[u.array] = a
		} else {
			a.shared = a.shared || c.arrays[u.array] != nil
			if !slices.Equal(a.at, at) {
				a.at = nil
			}
		}
		a.written = a.written || u.writes
	}
	writesParameter, usesUnknown := false, false
	for _, a := range arrays {
		if a.written && (!a.isDivided(len(l.loops)) || a.origin == unknown) {
			return nil, false
		}
		writesParameter = writesParameter || a.written && a.origin == parameter
		usesUnknown = usesUnknown || a.origin == unknown
	}
	return arrays, !writesParameter || !usesUnknown
}

// sharesWindow reports whether two of the loops are terms of the same index.
func (u use) sharesWindow(loops []int) bool {
	var dims []int
	for _, loop := range loops {
		if u.at[loop] != windowed {
			continue
		}
		if slices.Contains(dims, u.windows[loop].dim) {
			return true
		}
		dims = append(dims, u.windows[loop].dim)
	}
	return false
}

// partOf returns how many bytes the parts of arrays take that a link uses in an iteration of loops of some sizes: the
// most of any link, because a part is in the cache from one link to the next.
func partOf(links []link, arrays map[mlir.Value]*array, sizes []int64) (most int64) {
	for _, l := range links {
		bytes := int64(0)
		for _, u := range l.uses {
			if a := arrays[u.array]; a.isDivided(len(sizes)) {
				bytes += a.bytes
			}
		}
		most = max(most, bytes/productOf(sizes))
	}
	return most
}

func productOf(sizes []int64) int64 {
	n := int64(1)
	for _, size := range sizes {
		n *= size
	}
	return n
}

// isLarge reports whether the arrays of the chain take more memory than a cache has anyway.
func (c *chain) isLarge() bool {
	bytes := int64(0)
	for _, a := range c.arrays {
		bytes += a.bytes
	}
	return bytes >= c.limits.arrays
}

// choose sets how many loops become one: as few as the caches allow, so that the loops inside are long. It reports
// whether the chain is worth a loop.
func (c *chain) choose() bool {
	passes := func(a *array) bool { return a.written && a.shared }
	if !c.isLarge() || !slices.ContainsFunc(c.links, link.computes) ||
		!slices.ContainsFunc(slices.Collect(maps.Values(c.arrays)), passes) {
		return false
	}
	for n := range c.sizes {
		if sizes := c.sizes[:n+1]; c.fits(sizes) {
			c.sizes = sizes
			for i := range c.links {
				c.links[i].loops = c.links[i].loops[:n+1]
			}
			for _, a := range c.arrays {
				a.at = a.at[:min(n+1, len(a.at))]
			}
			return true
		}
	}
	return false
}

// fits reports whether loops of these sizes, the first ones of the chain, are worth being one. It sets the rows.
func (c *chain) fits(sizes []int64) bool {
	last, part := len(sizes)-1, max(1, partOf(c.links, c.arrays, sizes))
	c.rows = 1
	least, inner := int64(1), int64(0)
	for _, l := range c.links {
		if l.call != nil && len(sizes) > l.call.batchDims {
			least = max(least, divideUp(c.limits.rows, l.call.rows/productOf(sizes[l.call.batchDims:])))
		}
		inside := productOf(l.sizes) / productOf(sizes)
		if inside > 1 && slices.Contains(l.loops[:len(sizes)], l.adjacent) {
			return false
		}
		inner = max(inner, inside*l.inner)
	}
	for c.rows < least || sizes[last]%c.rows != 0 {
		if c.rows++; c.rows > sizes[last] {
			return false
		}
	}
	most := c.limits.part
	if least > 1 {
		most *= partsOfProducts
	}
	return part*c.rows <= most && productOf(sizes)/c.rows >= c.limits.parts &&
		inner*c.rows >= c.limits.inner
}
