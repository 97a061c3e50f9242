package mlir

import "github.com/calliope-mlir/calliope/experimental/capi"

// infer does what create does for an operation that has operands and nothing else. It
// returns nil if it is the first operation of its kind, or if anything is wrong or unusual, and
// leaves that to create.
func (b Block) infer(loc Location, name string, operands []Value) Operation {
	if b.life == nil {
		return Operation{}
	}
	c := b.life.ctx
	if b.life != c.era || c.listed(b.raw.Ptr) || c.calls.current != nil || c.placeholders > 0 || loc.life != c.life ||
		loc.raw.Ptr == nil {
		return Operation{}
	}
	kind := c.kind(name)
	if !kind.simple || len(operands) != kind.inference.Operands {
		return Operation{}
	}
	raw := &c.creation
	raw.Operands = raw.Operands[:0]
	for i := range operands {
		v := &operands[i]
		if v.life != c.era || c.listed(v.raw.Ptr) {
			return Operation{}
		}
		raw.Operands = append(raw.Operands, v.raw)
	}
	op, result := capi.InferOperation(c.api, kind.name, raw.Operands, loc.raw, b.raw, !c.single())
	if op.Ptr == nil {
		c.sink.Take() // create makes these diagnostics again
		return Operation{}
	}
	c.last = known{operation: c.operation(op), result: result}
	return c.last.operation
}
