package stages

import (
	"slices"

	"github.com/calliope-mlir/calliope/contract/callop"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
	"github.com/calliope-mlir/calliope/stages/internal/set"
)

// A node is an operation of a block that is cut.
type node struct {
	op       mlir.Operation
	boundary bool         // a callback that is cut, or what contains one
	free     bool         // has no operands: it is in each stage that uses it
	live     bool         // something needs it
	uses     []mlir.Value // its operands, and what its regions use from around it
	after    set.Set      // the boundaries that it waits for
	stage    int          // the index of its group, -1 for none
}

// A blockCutter cuts one block.
type blockCutter struct {
	*cutter
	block   mlir.Block
	nodes   []*node
	maker   map[mlir.Value]*node // of the values of the block
	body    *body
	numbers map[mlir.Value]int // of the values that cross
	groups  []*group
}

// A group is the nodes of one stage.
type group struct {
	nodes []*node
	in    []mlir.Value
	out   []mlir.Value
}

// body cuts a block. captured are the values from around it that it may refer to, which become
// the first values of the body.
func (c *cutter) body(block mlir.Block, captured []mlir.Value) (*body, error) {
	b := &blockCutter{
		cutter: c, block: block, maker: map[mlir.Value]*node{}, numbers: map[mlir.Value]int{},
		body: &body{captures: len(captured), args: block.NumArguments()},
	}
	for _, v := range captured {
		if err := b.number(v); err != nil {
			return nil, err
		}
	}
	for _, v := range block.Arguments() {
		if err := b.number(v); err != nil {
			return nil, err
		}
	}
	b.read()
	b.keepLive()
	b.wait()
	if err := b.group(); err != nil {
		return nil, err
	}
	if err := b.steps(); err != nil {
		return nil, err
	}
	b.body.link()
	b.donations()
	return b.body, nil
}

// number gives a value that crosses a number.
func (b *blockCutter) number(v mlir.Value) error {
	if _, ok := b.numbers[v]; ok {
		return nil
	}
	s, err := shapeOf(v)
	if err != nil {
		return err
	}
	b.numbers[v] = len(b.body.shapes)
	b.body.shapes = append(b.body.shapes, s)
	return nil
}

func (b *blockCutter) numbersOf(values []mlir.Value) ([]int, error) {
	list := make([]int, len(values))
	for i, v := range values {
		if err := b.number(v); err != nil {
			return nil, err
		}
		list[i] = b.numbers[v]
	}
	return list, nil
}

// read makes the nodes.
func (b *blockCutter) read() {
	for op := range b.block.Operations() {
		if op == b.block.Terminator() {
			continue
		}
		n := &node{op: op, stage: -1, uses: usesOf(op)}
		_, callback := b.boundaries[op]
		n.boundary = callback || b.holds[op]
		n.free = !n.boundary && isFree(op)
		for _, v := range op.Results() {
			b.maker[v] = n
		}
		b.nodes = append(b.nodes, n)
	}
}

// usesOf returns the operands of an operation, and the values from around it that its regions
// use, each once.
func usesOf(op mlir.Operation) []mlir.Value {
	var list []mlir.Value
	add := func(v mlir.Value) {
		if !slices.Contains(list, v) {
			list = append(list, v)
		}
	}
	op.Walk(func(inner mlir.Operation) mlir.WalkAction {
		for _, v := range inner.Operands() {
			if inner == op || !op.Encloses(v) {
				add(v)
			}
		}
		return mlir.WalkContinue
	})
	return list
}

// hasEffect reports whether an operation must be kept although nothing uses its results.
func (b *blockCutter) hasEffect(n *node) bool {
	if n.boundary {
		if callback, ok := b.boundaries[n.op]; ok {
			return callback.Config.Form.Target() != "" && callop.HasSideEffect(n.op)
		}
		return true
	}
	effect := false
	n.op.Walk(func(inner mlir.Operation) mlir.WalkAction {
		switch inner.Name() {
		case "stablehlo.outfeed", "stablehlo.send", "stablehlo.recv", "stablehlo.infeed":
			effect = true
		default:
			effect = effect || callop.HasSideEffect(inner)
		}
		if effect {
			return mlir.WalkStop
		}
		return mlir.WalkContinue
	})
	return effect
}

// keepLive marks the nodes that something needs.
func (b *blockCutter) keepLive() {
	var mark func(v mlir.Value)
	visit := func(n *node) {
		if n.live {
			return
		}
		n.live = true
		for _, v := range n.uses {
			mark(v)
		}
	}
	mark = func(v mlir.Value) {
		if n, ok := b.maker[v]; ok {
			visit(n)
		}
	}
	for _, v := range b.block.Terminator().Operands() {
		mark(v)
	}
	for _, n := range b.nodes {
		if b.hasEffect(n) {
			visit(n)
		}
	}
	b.nodes = slices.DeleteFunc(b.nodes, func(n *node) bool { return !n.live })
}

// wait sets the boundaries that each node waits for. The nodes are in the order of the text, so
// those that a node uses come before it.
func (b *blockCutter) wait() {
	boundaries := 0
	number := map[*node]int{}
	for _, n := range b.nodes {
		for _, v := range n.uses {
			if from, ok := b.maker[v]; ok {
				n.after = n.after.Union(from.after)
				if from.boundary {
					n.after = n.after.With(number[from])
				}
			}
		}
		if n.boundary {
			number[n] = boundaries
			boundaries++
		}
	}
}

// group divides the nodes into stages: those that wait for the same boundaries. A path from one
// to another of them leads only through such nodes, so no two groups wait for each other.
func (b *blockCutter) group() error {
	byKey := map[string]int{}
	join := func(n *node) {
		key := n.after.Key()
		i, ok := byKey[key]
		if !ok {
			i = len(b.groups)
			byKey[key] = i
			b.groups = append(b.groups, new(group))
		}
		n.stage = i
		b.groups[i].nodes = append(b.groups[i].nodes, n)
	}
	for _, n := range b.nodes {
		if !n.boundary && !n.free {
			join(n)
		}
	}
	// A free value that a boundary or the terminator needs is a constant of the body, or crosses
	// from a stage.
	need := func(v mlir.Value) error {
		if _, done := b.numbers[v]; done {
			return nil
		}
		n, ok := b.maker[v]
		if !ok && comesFree(v) { // from around the block
			n, ok = &node{op: v.Owner(), free: true, live: true, stage: -1}, true
			for _, result := range n.op.Results() {
				b.maker[result] = n
			}
		}
		if !ok || !n.free || n.stage >= 0 {
			return nil
		}
		if data, ok := stablehlo.AsConstant(n.op); ok {
			if err := b.number(v); err != nil {
				return err
			}
			b.body.consts = append(b.body.consts, constant{b.numbers[v], data.Value})
			return nil
		}
		join(n)
		return nil
	}
	for _, n := range b.nodes {
		if !n.boundary {
			continue
		}
		for _, v := range n.uses {
			if err := need(v); err != nil {
				return err
			}
		}
	}
	for _, v := range b.block.Terminator().Operands() {
		if err := need(v); err != nil {
			return err
		}
	}
	b.joinSmall()
	b.flow()
	return nil
}

// flow finds the values that go into each group and that come out.
func (b *blockCutter) flow() {
	leaves := func(v mlir.Value) {
		n, ok := b.maker[v]
		if !ok || n.stage < 0 {
			return
		}
		if g := b.groups[n.stage]; !slices.Contains(g.out, v) {
			g.out = append(g.out, v)
		}
	}
	for i, g := range b.groups {
		for _, n := range g.nodes {
			for _, v := range n.uses {
				from, inside := b.maker[v]
				if inside && (from.stage == i || from.free) || !inside && comesFree(v) {
					continue
				}
				if !slices.Contains(g.in, v) {
					g.in = append(g.in, v)
				}
				leaves(v)
			}
		}
	}
	for _, n := range b.nodes {
		if n.boundary {
			for _, v := range n.uses {
				leaves(v)
			}
		}
	}
	for _, v := range b.block.Terminator().Operands() {
		leaves(v)
	}
}

// comesFree reports whether a value from around the block is one that a stage computes for itself.
func comesFree(v mlir.Value) bool { return v.IsResult() && isFree(v.Owner()) }

// isFree reports whether an operation needs nothing and always computes the same.
func isFree(op mlir.Operation) bool {
	return op.NumOperands() == 0 && op.NumRegions() == 0 && op.Name() != "stablehlo.custom_call" &&
		!callop.HasSideEffect(op)
}

// steps makes the steps of the body, and cuts the blocks in it.
func (b *blockCutter) steps() error {
	for _, g := range b.groups {
		s, err := b.stage(g)
		if err != nil {
			return err
		}
		b.body.steps = append(b.body.steps, s)
	}
	for _, n := range b.nodes {
		if !n.boundary {
			continue
		}
		s, err := b.step(n)
		if err != nil {
			return err
		}
		b.body.steps = append(b.body.steps, s)
	}
	results, err := b.numbersOf(b.block.Terminator().OperandValues())
	b.body.results = results
	return err
}

// step makes the step of a boundary.
func (b *blockCutter) step(n *node) (step, error) {
	op := n.op
	out, err := b.numbersOf(op.ResultValues())
	if err != nil {
		return nil, err
	}
	in, err := b.numbersOf(op.OperandValues())
	if err != nil {
		return nil, err
	}
	if callback, ok := b.boundaries[op]; ok {
		s := &callStep{flow: flow{in, out}, callback: callback, index: b.indexes[callback]}
		for _, v := range out {
			s.shapes = append(s.shapes, b.body.shapes[v])
		}
		return s, nil
	}
	name := op.Name()[len("stablehlo."):]
	if name == "while" {
		s := &loopStep{init: in}
		if s.cond, s.condCaptures, err = b.region(n, op.Region(0)); err != nil {
			return nil, err
		}
		s.body, s.bodyCaptures, err = b.region(n, op.Region(1))
		s.flow = flow{slices.Concat(in, s.condCaptures, s.bodyCaptures), out}
		return s, err
	}
	s := &branchStep{flow: flow{in, out}, name: name, selector: in[0]}
	for _, r := range op.Regions() {
		inner, captures, err := b.region(n, r)
		if err != nil {
			return nil, err
		}
		s.bodies, s.captures = append(s.bodies, inner), append(s.captures, captures)
		s.in = append(s.in, captures...)
	}
	return s, nil
}

// region cuts the block of a region of a node. captures are the values of this body that it uses.
func (b *blockCutter) region(n *node, r mlir.Region) (inner *body, captures []int, err error) {
	var captured []mlir.Value
	block := r.First()
	for op := range block.Operations() {
		for _, v := range usesOf(op) {
			if !within(v, r) && !comesFree(v) && !slices.Contains(captured, v) {
				captured = append(captured, v)
			}
		}
	}
	if captures, err = b.numbersOf(captured); err != nil {
		return nil, nil, err
	}
	around := b.before
	b.before = b.after(n)
	inner, err = b.cutter.body(block, captured)
	b.before = around
	return inner, captures, err
}

// after returns the names of the callbacks that are called before a node.
func (b *blockCutter) after(n *node) []string {
	names := slices.Clone(b.before)
	i := 0
	for _, other := range b.nodes {
		if !other.boundary {
			continue
		}
		if n.after.Has(i) {
			names = append(names, b.called[other.op]...)
		}
		i++
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// within reports whether a value is defined in a region.
func within(v mlir.Value, r mlir.Region) bool {
	block := v.Block()
	if v.IsResult() {
		block = v.Owner().Block()
	}
	return block == r.First()
}
