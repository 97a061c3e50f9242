package mlir

import (
	"iter"

	"github.com/calliope-mlir/calliope/experimental/capi"
)

// A Value is a result of an operation or an argument of a block. Two valid handles to the
// same value are ==.
type Value struct {
	life *lifetime
	raw  capi.MlirValue
}

// Equal reports whether v and other are the same value, as == does.
func (v Value) Equal(other Value) bool { return v == other }

func (v Value) use(method string) *capi.Table {
	return v.life.use(method, v.raw.Ptr)
}

// IsNil reports whether v is the zero Value.
func (v Value) IsNil() bool { return v.raw.Ptr == nil }

// Type returns the value's type.
func (v Value) Type() Type {
	t := v.use("Value.Type")
	return Type{v.life.ctx.life, capi.MlirValueGetType(t, v.raw)}
}

// TypesOf returns the types of values.
func TypesOf(values []Value) (types []Type) {
	for _, v := range values {
		types = append(types, v.Type())
	}
	return types
}

// Owner returns the operation that the value is a result of, or the nil Operation if the
// value is a block argument.
func (v Value) Owner() Operation {
	t := v.use("Value.Owner")
	if !capi.MlirValueIsAOpResult(t, v.raw) {
		return Operation{}
	}
	return v.life.ctx.operation(capi.MlirOpResultGetOwner(t, v.raw))
}

// Block returns the block that the value is an argument of, or the nil Block if the value
// is a result.
func (v Value) Block() Block {
	t := v.use("Value.Block")
	if !capi.MlirValueIsABlockArgument(t, v.raw) {
		return Block{}
	}
	return v.life.ctx.block(capi.MlirBlockArgumentGetOwner(t, v.raw))
}

// Index returns the value's index among the results of its owner or the arguments of its
// block.
func (v Value) Index() int {
	t := v.use("Value.Index")
	if capi.MlirValueIsABlockArgument(t, v.raw) {
		return capi.MlirBlockArgumentGetArgNumber(t, v.raw)
	}
	return capi.MlirOpResultGetResultNumber(t, v.raw)
}

// A Use is one use of a value: the operand of Owner with the index Operand.
type Use struct {
	Owner   Operation
	Operand int
}

// Uses returns an iterator over the uses of the value, in no particular order.
func (v Value) Uses() iter.Seq[Use] {
	return func(yield func(Use) bool) {
		t := v.use("Value.Uses")
		for raw := capi.MlirValueGetFirstUse(t, v.raw); raw.Ptr != nil; {
			next := capi.MlirOpOperandGetNextUse(t, raw)
			use := Use{
				Owner:   v.life.ctx.operation(capi.MlirOpOperandGetOwner(t, raw)),
				Operand: int(capi.MlirOpOperandGetOperandNumber(t, raw)),
			}
			if !yield(use) {
				return
			}
			raw = next
		}
	}
}

// String returns the value as MLIR prints it: its operation, or its position in the block.
func (v Value) String() string {
	if v.IsNil() {
		return "<nil value>"
	}
	t := v.use("Value.String")
	if owner := v.Owner(); owner.orphan() {
		return owner.String()
	}
	return string(capi.Collect(func(cb capi.MlirStringCallback, ud pointer) {
		capi.MlirValuePrint(t, v.raw, cb, ud)
	}))
}
