package mlir

// Mapping says which values and blocks of a copy stand for which of the original. The
// zero value is ready for use.
type Mapping struct {
	values map[Value]Value
	blocks map[Block]Block
}

// Map makes one value stand for another one.
func (m *Mapping) Map(from, to Value) {
	from.use("Mapping.Map")
	to.in(from.life.ctx, "Mapping.Map")
	if m.values == nil {
		m.values = map[Value]Value{}
	}
	m.values[from] = to
}

// MapBlock makes one block stand for another one, where operations branch to it.
func (m *Mapping) MapBlock(from, to Block) {
	from.life.use("Mapping.MapBlock", from.raw.Ptr)
	to.in(from.life.ctx, "Mapping.MapBlock")
	if m.blocks == nil {
		m.blocks = map[Block]Block{}
	}
	m.blocks[from] = to
}

// Value is what stands for a value.
func (m *Mapping) Value(from Value) (Value, bool) {
	to, ok := m.values[from]
	return to, ok
}

// Block is what stands for a block.
func (m *Mapping) Block(from Block) (Block, bool) {
	to, ok := m.blocks[from]
	return to, ok
}

// CloneWith makes a detached copy of the operation and everything in it, with operands
// and successors replaced as the mapping says. What the copy defines is added to the
// mapping, so that several operations can be copied one after the other.
func (o Operation) CloneWith(m *Mapping) Operation {
	copied := o.Clone()
	m.pair(o, copied)
	// Operands may be mapped only after what they refer to was seen.
	for op := range copied.All() {
		for i, v := range op.Operands() {
			if to, ok := m.values[v]; ok {
				op.SetOperand(i, to)
			}
		}
		for i, b := range op.Successors() {
			if to, ok := m.blocks[b]; ok {
				op.SetSuccessor(i, to)
			}
		}
	}
	return copied
}

// pair notes the values and blocks of a copy, which has the shape of the original.
func (m *Mapping) pair(from, to Operation) {
	type operations struct{ from, to Operation }
	stack := []operations{{from, to}}
	for len(stack) > 0 {
		p := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		for i, v := range p.from.Results() {
			m.Map(v, p.to.Result(i))
		}
		for i, r := range p.from.Regions() {
			b := p.to.Region(i).First()
			for original := range r.Blocks() {
				m.MapBlock(original, b)
				for j, a := range original.Arguments() {
					m.Map(a, b.Argument(j))
				}
				inner := b.First()
				for op := range original.Operations() {
					stack = append(stack, operations{op, inner})
					inner = inner.Next()
				}
				b = b.Next()
			}
		}
	}
}
