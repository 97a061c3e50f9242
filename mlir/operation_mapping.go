package mlir

// A Mapping maps values and blocks of an original to those of its copy. The zero value is
// empty and ready to use.
type Mapping struct {
	values map[Value]Value
	blocks map[Block]Block
}

// Map maps a value to another one.
func (m *Mapping) Map(from, to Value) {
	from.use("Mapping.Map")
	to.in(from.life.ctx, "Mapping.Map")
	if m.values == nil {
		m.values = map[Value]Value{}
	}
	m.values[from] = to
}

// MapBlock maps a block to another one, for the operations that branch to it.
func (m *Mapping) MapBlock(from, to Block) {
	from.life.use("Mapping.MapBlock", from.raw.Ptr)
	to.in(from.life.ctx, "Mapping.MapBlock")
	if m.blocks == nil {
		m.blocks = map[Block]Block{}
	}
	m.blocks[from] = to
}

// Value returns the value that from is mapped to, and whether it is mapped.
func (m *Mapping) Value(from Value) (Value, bool) {
	to, ok := m.values[from]
	return to, ok
}

// Block returns the block that from is mapped to, and whether it is mapped.
func (m *Mapping) Block(from Block) (Block, bool) {
	to, ok := m.blocks[from]
	return to, ok
}

// CloneWith returns a detached copy of the operation and everything in it, with operands
// and successors replaced according to the mapping. It adds the values and blocks that the
// copy defines to the mapping, so that several operations can be copied one after the
// other.
func (o Operation) CloneWith(m *Mapping) Operation {
	copied := o.Clone()
	m.pair(o, copied)
	// A value may be used before it is defined, so operands are replaced at the end.
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

// pair maps the values and blocks of the original to those of the copy, which has the same
// structure.
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
