package passes

import (
	"fmt"
	"slices"

	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// hostCallbackHeader is the first word of a header of JAX's host_callback: kOutfeedHeaderStart
// in jaxlib's outfeed_receiver.cc. The second word is the id.
const hostCallbackHeader = 271828

// A site is an operation that becomes a callback.
type site struct {
	op     mlir.Operation // the callback's place, the last of the feeds
	feeds  []mlir.Operation
	config contract.Config
	data   []mlir.Operation // the outfeeds that send its operands
	flag   int              // of an infeed, or -1
	ends   bool             // it is the flag 0, which becomes nothing
}

// A packet is a flag and the outfeeds that belong to it.
type packet struct {
	flag int
	once bool // it has one outfeed: a header of host_callback
	done bool // the flag 0 follows, so it is complete even without outfeeds
	site *site
}

// isFlag returns the flag that an outfeed sends. once is true for a header of host_callback.
func isFlag(op mlir.Operation) (flag int, once, ok bool) {
	if op.Name() != "stablehlo.outfeed" || op.NumOperands() != 2 {
		return 0, false, false
	}
	constant := op.Operand(0)
	if !constant.IsResult() || constant.Owner().Name() != "stablehlo.constant" {
		return 0, false, false
	}
	value, _ := constant.Owner().Attribute("value")
	switch constant.Type().String() {
	case "tensor<ui16>":
		if d, err := mlir.DenseOf[uint16](value); err == nil && d.Len() == 1 {
			return int(d.At(0)), false, true
		}
	case "tensor<2xui32>":
		if d, err := mlir.DenseOf[uint32](value); err == nil && d.Len() == 2 && d.At(0) == hostCallbackHeader {
			return int(d.At(1)), true, true
		}
	}
	return 0, false, false
}

// isFinal reports whether nothing follows an outfeed of @main on its token.
func isFinal(op mlir.Operation) bool {
	for use := range op.Result(0).Uses() {
		if use.Owner.Name() != "func.return" {
			return false
		}
	}
	name, _ := op.Parent().Symbol()
	return op.Parent().Name() == "func.func" && name == "main"
}

// origin returns the token that operations passed on unchanged as v.
func origin(v mlir.Value) mlir.Value {
	for v.IsResult() {
		op := v.Owner()
		switch op.Name() {
		case "stablehlo.after_all":
			if op.NumOperands() != 1 {
				return v
			}
			v = op.Operand(0)
		case "stablehlo.optimization_barrier":
			v = op.Operand(v.Index())
		case "stablehlo.get_tuple_element":
			tuple := op.Operand(0)
			a, _ := op.Attribute("index")
			i, ok := a.Int()
			if !ok || !tuple.IsResult() || tuple.Owner().Name() != "stablehlo.tuple" ||
				int(i) >= tuple.Owner().NumOperands() {
				return v
			}
			v = tuple.Owner().Operand(int(i))
		default:
			return v
		}
	}
	return v
}

func isFeed(op mlir.Operation) bool {
	return op.Name() == "stablehlo.outfeed" || op.Name() == "stablehlo.infeed"
}

// takenToken returns the token that an outfeed or infeed takes.
func takenToken(op mlir.Operation) mlir.Value { return op.Operand(op.NumOperands() - 1) }

// givenToken returns the token that an outfeed or infeed returns.
func givenToken(op mlir.Operation) mlir.Value { return op.Result(op.NumResults() - 1) }

// findFeeds finds the sites of outfeeds and infeeds.
func (g *migration) findFeeds() {
	var feeds []mlir.Operation
	for _, op := range g.ops {
		if !isFeed(op) {
			continue
		}
		feeds = append(feeds, op)
		reason := g.callers.refuses(op)
		if err := sendable(op); reason == "" && err != nil {
			reason = err.Error()
		}
		if reason != "" {
			g.leaveFeed(op, reason)
		}
	}
	sites := g.packets(feeds)
	for _, op := range feeds {
		if reason := g.tokens.keeps(takenToken(op)); reason != "" {
			g.leave(op, "%s", reason)
		}
	}
	sites = slices.DeleteFunc(sites, func(s *site) bool { return g.stays(s.op) })
	nameFeeds(sites)
	g.sites = append(g.sites, sites...)
}

// leaveFeed leaves an outfeed or infeed, and all others on its chain.
func (g *migration) leaveFeed(op mlir.Operation, reason string) {
	g.leave(op, "%s", reason)
	g.tokens.keep(takenToken(op), fmt.Sprintf("its token is also that of %s%s, which stays", op.Name(), atPlace(op)))
}

// sendable returns an error if a callback cannot take or return what a feed sends or receives.
func sendable(op mlir.Operation) error {
	for _, v := range slices.Concat(op.OperandValues()[:op.NumOperands()-1], op.ResultValues()[:op.NumResults()-1]) {
		if _, err := stablehlo.ShapeOf(v.Type()); err != nil {
			return err
		}
	}
	return nil
}

// packets divides feeds, which are in the order of the text, into sites.
func (g *migration) packets(feeds []mlir.Operation) []*site {
	var sites []*site
	open := map[mlir.Value]*packet{} // by the last token
	var flags []*packet
	add := func(op mlir.Operation, form contract.Form) *site {
		s := &site{op: op, feeds: []mlir.Operation{op}, config: contract.Config{Form: form}, flag: -1}
		sites = append(sites, s)
		return s
	}
	for _, op := range feeds {
		before := origin(takenToken(op))
		p := open[before]
		if p != nil && p.site.op.Block() != op.Block() {
			p = nil
		}
		if p != nil {
			delete(open, before)
		}
		pending := p != nil && len(p.site.data) == 0 && p.flag != 0
		if op.Name() == "stablehlo.infeed" {
			if !pending {
				add(op, contract.Call)
				continue
			}
			p.site.feeds, p.site.op = append(p.site.feeds, op), op
			p.site.config, p.site.flag = contract.Config{Form: contract.Call}, p.flag
			continue
		}
		flag, once, ok := isFlag(op)
		if ok && !(pending && !(flag == 0 && isFinal(op))) {
			if p != nil {
				p.done = true
			}
			s := add(op, contract.Observe)
			s.config.Callback = fmt.Sprint("hook_", flag)
			next := &packet{flag: flag, once: once, site: s}
			flags = append(flags, next)
			open[givenToken(op)] = next
			continue
		}
		if p == nil || p.flag == 0 {
			s := add(op, contract.Observe)
			s.data = []mlir.Operation{op}
			continue
		}
		p.site.feeds, p.site.op = append(p.site.feeds, op), op
		p.site.data = append(p.site.data, op)
		if !p.once {
			open[givenToken(op)] = p
		}
	}
	g.flags, g.feeds = flags, slices.Clone(sites)
	for _, p := range flags {
		if p.flag == 0 {
			p.site.ends = true
			continue
		}
		first := p.site.feeds[0]
		switch next := givenToken(first); {
		case next.NumUses() > 1:
			g.leaveFeed(first, fmt.Sprintf("it sends the flag %d, but several operations use its token", p.flag))
		case len(p.site.feeds) == 1 && !p.done && !isFinal(first):
			g.leaveFeed(first, fmt.Sprintf(
				"it sends the flag %d, but the outfeeds that belong to the flag are not in its block", p.flag))
		}
	}
	return sites
}

// nameFeeds names the sites that have no hook.
func nameFeeds(sites []*site) {
	taken := map[int]bool{}
	for _, s := range sites {
		if s.flag >= 0 {
			taken[s.flag] = true
		}
	}
	infeeds, outfeeds := 0, 0
	for _, s := range sites {
		switch {
		case s.ends:
		case s.flag >= 0:
			s.config.Callback = fmt.Sprint("infeed_", s.flag)
		case s.config.Form == contract.Call:
			for taken[infeeds] {
				infeeds++
			}
			s.config.Callback = fmt.Sprint("infeed_", infeeds)
			infeeds++
		case s.config.Callback == "":
			s.config.Callback = fmt.Sprint("outfeed_", outfeeds)
			outfeeds++
		}
	}
}
