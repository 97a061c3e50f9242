package bytecode

// An Op is an operation.
type Op struct {
	Name       string // "" if it has none of those in the table
	Location   uint64 // the number of an attribute
	Attributes int    // the number of its dictionary, or -1
	Properties []byte
	Results    uint64 // how many

	change *Change
}

// A Visitor is called by Walk.
type Visitor struct {
	Op          func(Op) bool // called with each operation, before those in it; false ends the walk
	Open, Close func()        // if they are not nil, called before and after the regions of an operation
}

// What an operation has, as a set of bits.
const (
	hasAttributes byte = 1 << iota
	hasResults
	hasOperands
	hasSuccessors
	hasRegions
	hasUseLists
	hasProperties
)

// A level is the regions of an operation that are being read.
type level struct {
	r       *Reader
	ops     uint64 // that the current block still has
	blocks  uint64 // that follow the current one
	regions uint64 // that follow the current one
	lazy    bool   // they are a section
	more    bool   // the copy has one region more
	less    bool   // or less
}

// HasTopArguments reports whether the outermost block has arguments, which would have no place.
func (m *Module) HasTopArguments() bool {
	r := m.sections[irSection]
	_, has := r.Flagged()
	return has
}

// Walk visits the operations. Read must have been called for their properties. Regions may be nested deeply, so it does
// not recurse.
func (m *Module) Walk(v Visitor) { m.walk(v, nil) }

func (m *Module) walk(v Visitor, c *copier) {
	r := m.sections[irSection]
	stack := []level{{r: &r, ops: m.block(&r, c)}}
	for len(stack) > 0 {
		top := &stack[len(stack)-1]
		switch {
		case top.r.Wrong():
			m.check(top.r, "a region is too short")
			return
		case top.ops > 0:
			top.ops--
			op, has := m.operation(top.r, c)
			if !v.Op(op) {
				return
			}
			if has&hasRegions == 0 {
				break
			}
			inner, ok := m.regions(top.r, op, c)
			if !ok {
				return
			}
			stack = append(stack, inner)
			if v.Open != nil {
				v.Open()
			}
		case top.blocks > 0:
			top.blocks--
			top.ops = m.block(top.r, c)
		case top.regions > 0:
			top.regions--
			top.blocks = top.r.Count()
			if top.less && top.regions == 0 {
				break // it has no blocks
			}
			c.Number(top.blocks)
			if top.blocks > 0 {
				c.Number(top.r.Count()) // of values
			}
		default:
			c.leave(*top)
			if stack = stack[:len(stack)-1]; v.Close != nil && len(stack) > 0 {
				v.Close()
			}
		}
	}
}

// block reads what precedes the operations of a block and returns their number.
func (m *Module) block(r *Reader, c *copier) uint64 {
	start := r.at
	ops, hasArguments := r.Flagged()
	if hasArguments {
		arguments := r.Count()
		for i := uint64(0); i < arguments && !r.Ended(); i++ {
			if typ := r.Number(); m.Version < optionalLocations || typ&1 != 0 {
				r.Number() // the location
			}
		}
		if m.Version >= useListOrders && r.Byte() != 0 {
			r.useLists(arguments)
		}
	}
	c.add(r.data[start:r.at])
	return r.counted(ops)
}

// useLists skips the orders of the uses of some values.
func (r *Reader) useLists(values uint64) {
	orders := uint64(1)
	if values > 1 {
		orders = r.Count()
	}
	for ; orders > 0 && !r.Ended(); orders-- {
		if values > 1 {
			r.Number() // which value
		}
		uses, _ := r.Flagged()
		r.numbers(r.counted(uses))
	}
}

// operation reads an operation up to its regions.
func (m *Module) operation(r *Reader, c *copier) (op Op, has byte) {
	start := r.at
	op = Op{Name: at(m.Names, r.Number()), Attributes: -1}
	mask := r.at
	has = r.Byte()
	op.Location = r.Number()
	dictionary := r.at
	if has&hasAttributes != 0 {
		op.Attributes = int(r.Number())
	}
	if has&hasProperties != 0 {
		op.Properties = at(m.properties, r.Number())
	}
	lists := r.at
	if has&hasResults != 0 {
		op.Results = r.Numbers()
	}
	if has&hasOperands != 0 {
		r.Numbers()
	}
	if has&hasSuccessors != 0 {
		r.Numbers()
	}
	if m.Version >= useListOrders && has&hasUseLists != 0 {
		r.useLists(op.Results)
	}
	if c == nil || r.Wrong() {
		return op, has
	}
	if op.change = c.change(op); op.change == nil {
		c.add(r.data[start:r.at])
		return op, has
	}
	kept := has &^ (hasProperties | hasAttributes)
	if op.change.Attributes >= 0 {
		kept |= hasAttributes
	}
	c.add(r.data[start:mask], []byte{kept}, r.data[mask+1:dictionary])
	if op.change.Attributes >= 0 {
		c.Number(uint64(op.change.Attributes))
	}
	c.add(r.data[lists:r.at])
	return op, has
}

// regions begins the regions of an operation. It reports whether they can be read.
func (m *Module) regions(r *Reader, op Op, c *copier) (level, bool) {
	n, isolated := r.Flagged()
	l := level{r: r, lazy: isolated && m.Version >= lazyRegions}
	if op.change != nil {
		l.more, l.less = op.change.More && n == 1, op.change.Less && n == 2
	}
	id := byte(irSection)
	if l.lazy {
		var content Reader
		id, _, content = r.section()
		l.r = &content
	}
	c.enter(l, n, isolated)
	l.regions = l.r.counted(n)
	if id != irSection {
		m.check(l.r, "a region is too short")
		m.damaged("a region is in a section of another kind")
	}
	return l, id == irSection
}
