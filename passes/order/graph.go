package order

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/internal/ir/rewrite"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/mlir/dialect/function"
)

// An orderGraph is a module as far as the order of its calls depends on it, without handles of
// the library on the way.
type orderGraph struct {
	effects []orderEffect
	sites   []orderSite
	// roots are main and the other public functions, each after those that it calls, main the
	// last one of those that do not call one another.
	roots []*orderFunction
}

// An orderEffect is an effect whose calls are ordered against one another.
type orderEffect struct {
	group, name string
	all         bool    // ordered against all effects of the group
	against     []int32 // the effects against whose calls its own are ordered
}

// An orderSite is an operation that is a call.
type orderSite struct {
	op   mlir.Operation
	kind rewrite.EffectKind
}

// An orderFunction is a function with a body. The values of its body, also those in regions,
// have the numbers from first on.
type orderFunction struct {
	op     mlir.Operation
	root   bool // not private
	body   orderRegion
	first  int32
	values int32
	zero   []bool // which values are arrays without elements
	state  counting
}

type counting int8

const (
	uncounted counting = iota
	underway
	counted
)

type orderRegion struct {
	args   []int32
	nodes  []orderNode
	yields []int32
	plain  bool // it has one block
	counts counts
}

type nodeKind int8

const (
	plainNode   nodeKind = iota // every result depends on every operand
	siteNode                    // the same, and it is a call
	alongNode                   // each result depends on its operand
	branchNode                  // if and case
	whileNode                   // while
	calleeNode                  // a call of a function
	inlineNode                  // an operation whose region runs once, with its operands
	regionsNode                 // any other operation with regions
)

// An orderNode is an operation.
type orderNode struct {
	operands []int32
	results  []int32
	counts   counts
	kind     nodeKind
	site     int32
	effect   int32 // of a site
	*orderInside
}

// An orderInside is what an operation runs. Most operations have none.
type orderInside struct {
	captured []int32 // values from outside that the regions use
	regions  []orderRegion
	callee   *orderFunction
}

// nothingInside is that of all other operations.
var nothingInside = new(orderInside)

// counts are the numbers of calls in a part of the program, with those in the functions that it
// calls, by effect, in ascending order.
type counts []struct{ effect, n int32 }

func (c counts) of(effect int32) int32 {
	for _, e := range c {
		if e.effect == effect {
			return e.n
		}
	}
	return 0
}

func (c counts) add(d counts) counts {
	for _, e := range d {
		i, has := slices.BinarySearchFunc(c, e.effect,
			func(a struct{ effect, n int32 }, b int32) int { return cmp.Compare(a.effect, b) })
		if !has {
			c = slices.Insert(c, i, e)
			continue
		}
		c[i].n = int32(min(int64(c[i].n)+int64(e.n), math.MaxInt32))
	}
	return c
}

// A graphMaker makes the graph of a module.
type graphMaker struct {
	orderGraph
	options   Options
	reader    *rewrite.EffectReader
	types     map[mlir.Type]typeFacts
	order     []*orderFunction // in the order of the text
	functions map[string]*orderFunction
	relevant  map[mlir.Operation]bool
	inBlock   map[mlir.Block][]mlir.Operation // the relevant ones, in their order
	nothing   int32                           // stands for the results of all other operations of the function f

	f       *orderFunction
	numbers map[mlir.Value]int32 // of the function f
	alias   map[int32][]int32    // the elements of a tuple
	values  int32                // in all functions
	outside []*outsideUses
	free    []int32 // memory for lists

	chains []int32 // a union-find forest of the values that are tokens; -1 for others
}

type typeFacts struct{ zero, token bool }

// outsideUses collects the values with numbers below before that an operation's regions use.
type outsideUses struct {
	before int32
	list   []int32
}

// graphOf returns the graph of a module, or nil if it has no calls to order.
func graphOf(m *mlir.Module, o Options) *orderGraph {
	g := &graphMaker{options: o, reader: rewrite.NewEffectReader(), types: map[mlir.Type]typeFacts{}}
	g.functions = map[string]*orderFunction{}
	list, _ := function.Defined(m)
	for _, op := range list {
		name, _ := op.Symbol()
		f := &orderFunction{op: op, root: op.Visibility() != mlir.Private || name == "main"}
		g.order = append(g.order, f)
		g.functions[name] = f
	}
	if g.relevant = g.relevantOps(m); g.relevant == nil {
		return nil
	}
	g.inBlock = map[mlir.Block][]mlir.Operation{}
	for op := range g.relevant {
		if block := op.Block(); !block.IsNil() {
			g.inBlock[block] = append(g.inBlock[block], op)
		}
	}
	for _, ops := range g.inBlock {
		slices.SortFunc(ops, func(a, b mlir.Operation) int {
			switch {
			case a == b:
				return 0
			case a.IsBefore(b):
				return -1
			}
			return 1
		})
	}
	for _, f := range g.order {
		g.function(f)
	}
	g.nameChains()
	for i := range g.effects {
		e := &g.effects[i]
		for j, other := range g.effects {
			if e.group == other.group && (i == j || e.all || other.all) {
				e.against = append(e.against, int32(j))
			}
		}
	}
	main := g.functions["main"]
	for _, f := range slices.Backward(g.order) {
		if f != main {
			g.count(f)
		}
	}
	if main != nil {
		g.count(main)
	}
	return &g.orderGraph
}

// ordered reports whether the calls of a kind are ordered. It may change the kind.
func (g *graphMaker) ordered(op mlir.Operation, kind *rewrite.EffectKind) bool {
	if !kind.Ordered && g.options.ByValues && strings.HasSuffix(op.Name(), ".custom_call") {
		kind.Ordered, kind.Effect = true, byValues
	}
	return kind.Ordered
}

// byValues is the effect of the calls that Options.ByValues adds.
const byValues = "values"

// effect returns the index of an effect.
func (g *graphMaker) effect(group, name string, all bool) int32 {
	i := slices.IndexFunc(g.effects,
		func(e orderEffect) bool { return e.group == group && e.name == name && e.all == all })
	if i < 0 {
		i = len(g.effects)
		g.effects = append(g.effects, orderEffect{group: group, name: name, all: all})
	}
	return int32(i)
}

func (g *graphMaker) function(f *orderFunction) {
	g.f, g.numbers, g.alias = f, map[mlir.Value]int32{}, map[int32][]int32{}
	f.first = g.values
	g.nothing = g.values
	g.values++
	f.zero, g.chains = append(f.zero, false), append(g.chains, -1)
	f.body = g.region(f.op.Region(0))
	f.values = g.values - f.first
}

// value gives a number to a new value.
func (g *graphMaker) value(v mlir.Value) int32 {
	n := g.values
	g.values++
	t := v.Type()
	facts, known := g.types[t]
	if !known {
		facts = typeFacts{rewrite.IsZeroSized(t), g.reader.Tokens.Holds(t)}
		g.types[t] = facts
	}
	g.numbers[v] = n
	g.f.zero = append(g.f.zero, facts.zero)
	chain := int32(-1)
	if facts.token {
		chain = n
	}
	g.chains = append(g.chains, chain)
	return n
}

// use returns the number of a value that is used.
func (g *graphMaker) use(v mlir.Value) (int32, bool) {
	n, ok := g.numbers[v]
	if !ok && v.IsResult() && !g.relevant[v.Owner()] {
		n, ok = g.nothing, true
	}
	if !ok {
		return 0, false // of a block that comes later
	}
	for _, o := range g.outside {
		if n < o.before {
			o.list = append(o.list, n)
		}
	}
	return n, true
}

func (g *graphMaker) uses(op mlir.Operation) (list []int32) {
	n := op.NumOperands()
	list = g.list(n)
	for i := range n {
		if v, ok := g.use(op.Operand(i)); ok {
			list = append(list, v)
		}
	}
	return list
}

// list returns an empty list with room for n numbers.
func (g *graphMaker) list(n int) []int32 {
	if n > len(g.free) {
		g.free = make([]int32, max(n, 4096))
	}
	list := g.free[:0:n]
	g.free = g.free[n:]
	return list
}

func (g *graphMaker) region(r mlir.Region) orderRegion {
	out := orderRegion{plain: true}
	for block := range r.Blocks() {
		first := block == r.First()
		for _, v := range block.Arguments() {
			if n := g.value(v); first {
				out.args = append(out.args, n)
			}
		}
		out.plain = first
		end := block.Terminator()
		ops := g.inBlock[block]
		out.nodes = slices.Grow(out.nodes, len(ops))
		for _, op := range ops {
			if op != end || op.NumRegions() > 0 {
				out.nodes = append(out.nodes, g.node(op))
			}
		}
		if !end.IsNil() && end.NumRegions() == 0 {
			if list := g.uses(end); first {
				out.yields = list
			}
		}
	}
	return out
}

func (g *graphMaker) node(op mlir.Operation) orderNode {
	n := orderNode{operands: g.uses(op), site: -1, orderInside: nothingInside}
	name := op.Name()
	dialect, short, _ := strings.Cut(name, ".")
	hlo := dialect == "stablehlo" || dialect == "mhlo"
	if regions := op.NumRegions(); regions > 0 {
		n.kind, n.orderInside = regionsNode, new(orderInside)
		o := &outsideUses{before: g.values}
		g.outside = append(g.outside, o)
		plain := true
		for _, r := range op.Regions() {
			n.regions = append(n.regions, g.region(r))
			plain = plain && n.regions[len(n.regions)-1].plain
		}
		g.outside = g.outside[:len(g.outside)-1]
		slices.Sort(o.list)
		n.captured = slices.Compact(o.list)
		numbers := func(of orderRegion, args, yields int) bool {
			return len(of.args) == args && len(of.yields) == yields
		}
		results := op.NumResults()
		switch {
		case !plain:
		case hlo && (short == "if" || short == "case"):
			if len(n.operands) == 1 &&
				!slices.ContainsFunc(n.regions, func(r orderRegion) bool { return !numbers(r, 0, results) }) {
				n.kind = branchNode
			}
		case hlo && short == "while":
			if k := len(n.operands); regions == 2 && k == results && numbers(n.regions[0], k, 1) &&
				numbers(n.regions[1], k, k) {
				n.kind = whileNode
			}
		case name == "sdy.manual_computation":
			if numbers(n.regions[0], len(n.operands), results) {
				n.kind = inlineNode
			}
		}
	}
	if callee, ok := g.callee(op); ok {
		n.kind, n.orderInside = calleeNode, &orderInside{callee: callee}
	}
	first := g.values
	count := op.NumResults()
	n.results = g.list(count)
	for i := range count {
		n.results = append(n.results, g.value(op.Result(i)))
	}
	switch {
	case name == "stablehlo.optimization_barrier" || name == "mhlo.optimization_barrier" ||
		name == "builtin.unrealized_conversion_cast":
		if len(n.operands) == len(n.results) {
			n.kind = alongNode
		}
	case hlo && short == "tuple":
		g.alias[first] = n.operands
	case hlo && short == "get_tuple_element" && len(n.operands) == 1:
		if elements, ok := g.alias[n.operands[0]]; ok {
			index, _ := op.Attribute("index")
			if i, ok := index.Int(); ok && int(i) < len(elements) {
				n.operands = elements[i : i+1]
			}
		}
	}
	if n.kind == plainNode {
		if kind, ok := g.reader.Read(op); ok && g.ordered(op, &kind) {
			g.site(&n, op, kind)
		}
	}
	return n
}

// callee returns the function that an operation calls, if it has a body.
func (g *graphMaker) callee(op mlir.Operation) (*orderFunction, bool) {
	called, ok := rewrite.CalledFunction(op)
	f, defined := g.functions[called]
	return f, ok && defined
}

func (g *graphMaker) site(n *orderNode, op mlir.Operation, kind rewrite.EffectKind) {
	n.kind, n.site = siteNode, int32(len(g.sites))
	g.sites = append(g.sites, orderSite{op, kind})
	switch {
	case kind.Callback:
		n.effect = g.effect("callback", kind.Effect, kind.Effect == contract.AllEffects)
	case kind.Effect == byValues:
		n.effect = g.effect(byValues, "", false)
	default:
		n.effect = g.effect(kind.Effect, "", true) // nameChains may change it
	}
}
