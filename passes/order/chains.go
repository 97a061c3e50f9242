package order

import "strconv"

// Calls with tokens of one target need not be of one effect: JAX passes a token for each of its
// effects to main, and calls one target for all. So the calls on a chain of tokens that begins
// at a parameter are an effect of their own. Any other chain may be the rest of one that was
// cut, so its calls are ordered against all calls of the target.

// nameChains finds the effects of calls with tokens of the library.
func (g *graphMaker) nameChains() {
	for _, f := range g.order {
		g.joinRegion(&f.body)
	}
	entered := map[int32]bool{}
	for _, f := range g.order {
		if !f.root {
			continue
		}
		for _, v := range f.body.args {
			if g.chains[v] >= 0 {
				entered[g.chain(v)] = true
			}
		}
	}
	for _, f := range g.order {
		g.nameRegion(&f.body, entered)
	}
}

func (g *graphMaker) nameRegion(r *orderRegion, entered map[int32]bool) {
	for i := range r.nodes {
		n := &r.nodes[i]
		if n.kind == siteNode && g.effects[n.effect].all && g.effects[n.effect].group != "callback" {
			for _, v := range n.operands {
				if g.chains[v] >= 0 && entered[g.chain(v)] {
					n.effect = g.effect(g.effects[n.effect].group, strconv.Itoa(int(g.chain(v))), false)
					break
				}
			}
		}
		for j := range n.regions {
			g.nameRegion(&n.regions[j], entered)
		}
	}
}

// chain returns the root of a token.
func (g *graphMaker) chain(v int32) int32 {
	for g.chains[v] != v {
		g.chains[v] = g.chains[g.chains[v]]
		v = g.chains[v]
	}
	return v
}

func (g *graphMaker) join(a, b int32) {
	if g.chains[a] >= 0 && g.chains[b] >= 0 {
		g.chains[g.chain(a)] = g.chain(b)
	}
}

func (g *graphMaker) joinLists(a, b []int32) {
	for i := range min(len(a), len(b)) {
		g.join(a[i], b[i])
	}
}

// joinRegion joins the tokens that the operations of a region pass on.
func (g *graphMaker) joinRegion(r *orderRegion) {
	for i := range r.nodes {
		n := &r.nodes[i]
		for j := range n.regions {
			g.joinRegion(&n.regions[j])
		}
		switch n.kind {
		case alongNode:
			g.joinLists(n.operands, n.results)
		case branchNode, inlineNode:
			for _, region := range n.regions {
				g.joinLists(region.args, n.operands)
				g.joinLists(region.yields, n.results)
			}
		case whileNode:
			g.joinLists(n.operands, n.results)
			for _, region := range n.regions {
				g.joinLists(region.args, n.operands)
			}
			g.joinLists(n.regions[1].yields, n.results)
		case calleeNode:
			g.joinLists(n.operands, n.callee.body.args)
			g.joinLists(n.callee.body.yields, n.results)
		default:
			first := int32(-1)
			for _, list := range [][]int32{n.operands, n.results} {
				for _, v := range list {
					if g.chains[v] < 0 {
						continue
					}
					if first >= 0 {
						g.join(v, first)
					}
					first = v
				}
			}
		}
	}
}
