package mlir

import "github.com/calliope-mlir/calliope/internal/capi"

// Infer creates an operation that has operands and nothing else, infers its result types,
// and inserts it. It is a short form of [Create], for the operations that programs have most.
func Infer(ip InsertionPoint, loc Location, name string, operands ...Value) (Operation, error) {
	if b, ok := ip.(Block); ok {
		return b.infer(loc, name, operands)
	}
	return Create(ip, OperationState{Name: name, Location: loc, Operands: operands, InferResults: true})
}

// Infer creates an operation at the insertion point, as the function Infer does.
func (b *Builder) Infer(name string, operands ...Value) Operation {
	op, err := b.infer(name, operands)
	if err != nil {
		b.Fail(err)
		return b.standIn()
	}
	return op
}

func (b *Builder) infer(name string, operands []Value) (op Operation, err error) {
	if b.kept.err != nil {
		return Operation{}, errEarlier
	}
	defer invalidArgument(&err)
	return Infer(b.at, b.location(), name, operands...)
}

// infer does what create does for an operation that has operands and nothing else, without
// the checks of what it does not have. It leaves the first operation of a kind to create.
func (b Block) infer(loc Location, name string, operands []Value) (Operation, error) {
	const method = "Block.Create"
	t := b.life.use(method, b.raw.Ptr)
	c := b.life.ctx
	kind := c.kind(name)
	if !kind.simple || len(operands) != kind.inference.Operands || c.calls.current != nil || c.placeholders > 0 {
		return b.create(&OperationState{Name: name, Location: loc, Operands: operands, InferResults: true})
	}
	raw := &c.creation
	raw.Operands = raw.Operands[:0]
	for i := range operands {
		raw.Operands = append(raw.Operands, operands[i].in(c, method))
	}
	made := capi.InferOperation(t, kind.name, raw.Operands, loc.in(c, method), b.raw, !c.single())
	switch {
	case made.Operation.Ptr != nil:
		op := c.operation(made.Operation)
		c.last = known{operation: op, result: made.First}
		return op, nil
	case made.Uses == capi.Several:
		return b.create(&OperationState{Name: name, Location: loc, Operands: operands, InferResults: true})
	}
	return Operation{}, c.notCreated(kind, made.Lacks)
}
