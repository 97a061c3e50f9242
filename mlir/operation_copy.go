package mlir

import (
	"fmt"

	"github.com/calliope-mlir/calliope/experimental/capi"
)

// CreateLike creates a copy of an operation at the end of the block, with other operands.
// There must be as many operands as o has. Location, attributes and result types are those
// of o. The operation must have neither regions nor successors. CreateLike is for
// operations that are created many times, because the library need not look up their parts
// again: an operation with many attributes takes half the time.
func (b Block) CreateLike(o Operation, operands ...Value) (Operation, error) {
	const method = "Block.CreateLike"
	t := b.life.use(method, b.raw.Ptr)
	b.notPlaceholder(method)
	c := b.life.ctx
	raw := &c.creation
	raw.Operands = raw.Operands[:0]
	for _, v := range operands {
		raw.Operands = append(raw.Operands, v.in(c, method))
	}
	from := o.in(c, method)
	c.calls.mayChange(c, capi.BlockKind, b.raw.Ptr)
	if op, result := capi.CopyOperation(t, from, raw.Operands, b.raw, !c.single()); op.Ptr != nil {
		c.last = known{operation: c.operation(op), result: result}
		c.last.operation.touch()
		return c.last.operation, nil
	}
	if n := o.NumOperands(); n != len(operands) {
		return Operation{},
			fmt.Errorf("mlir: Block.CreateLike: %s has %d operands, but %d are given", o.Name(), n, len(operands))
	}
	if o.NumRegions() > 0 || o.NumSuccessors() > 0 {
		return Operation{}, fmt.Errorf("mlir: Block.CreateLike: %s has regions or successors: use Clone", o.Name())
	}
	op := o.Clone()
	for i, v := range operands {
		op.SetOperand(i, v)
	}
	return b.Append(op), nil
}
