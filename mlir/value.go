package mlir

import (
	"iter"

	"github.com/calliope-mlir/calliope/internal/capi"
)

// Value is a result of an operation or an argument of a block.
type Value struct {
	life *lifetime
	raw  capi.MlirValue
}

// Equal reports whether both are the same one.
func (v Value) Equal(other Value) bool { return v.raw == other.raw }

// value is a handle of a value that the library has just returned: it exists.
func value(l *lifetime, raw capi.MlirValue) Value {
	if gone := l.ctx.gone; len(gone) > 0 {
		if latest, ok := gone[raw.Ptr]; ok {
			// The memory of an erased argument is in use again. Handles from now on are
			// told from those of before by a lifetime of their own.
			if latest == nil || latest.root() != l.root() {
				latest = &lifetime{ctx: l.ctx, joined: l.root()}
				gone[raw.Ptr] = latest
			}
			l = latest
		}
	}
	return Value{l, raw}
}

// use is lifetime.use for a value, which may also be an erased block argument.
func (v Value) use(method string) *capi.Table {
	t := v.life.use(method, v.raw.Ptr)
	v.present(method)
	return t
}

func (v Value) present(method string) {
	gone := v.life.ctx.gone
	if len(gone) == 0 {
		return
	}
	if latest, ok := gone[v.raw.Ptr]; ok && latest != v.life {
		panic("mlir: " + method + " was given a block argument that Block.EraseArgument has erased")
	}
}

// IsNil reports whether v is the zero Value.
func (v Value) IsNil() bool { return v.raw.Ptr == nil }

// Type is the value's type.
func (v Value) Type() Type {
	t := v.use("Value.Type")
	return Type{v.life.ctx.life, capi.MlirValueGetType(t, v.raw)}
}

// Owner is the operation that the value is a result of, nil for a block argument.
func (v Value) Owner() Operation {
	t := v.use("Value.Owner")
	if !capi.MlirValueIsAOpResult(t, v.raw) {
		return Operation{}
	}
	return Operation{v.life, capi.MlirOpResultGetOwner(t, v.raw)}
}

// Block is the block whose argument the value is, nil for a result.
func (v Value) Block() Block {
	t := v.use("Value.Block")
	if !capi.MlirValueIsABlockArgument(t, v.raw) {
		return Block{}
	}
	return Block{v.life, capi.MlirBlockArgumentGetOwner(t, v.raw)}
}

// Index is the value's place among its owner's results or its block's arguments.
func (v Value) Index() int {
	t := v.use("Value.Index")
	if capi.MlirValueIsABlockArgument(t, v.raw) {
		return capi.MlirBlockArgumentGetArgNumber(t, v.raw)
	}
	return capi.MlirOpResultGetResultNumber(t, v.raw)
}

// Use is one place where a value is an operand.
type Use struct {
	Owner   Operation
	Operand int
}

// Uses iterates over the places where the value is used, in no particular order.
func (v Value) Uses() iter.Seq[Use] {
	return func(yield func(Use) bool) {
		t := v.use("Value.Uses")
		for raw := capi.MlirValueGetFirstUse(t, v.raw); raw.Ptr != nil; {
			next := capi.MlirOpOperandGetNextUse(t, raw)
			use := Use{
				Owner:   Operation{v.life, capi.MlirOpOperandGetOwner(t, raw)},
				Operand: int(capi.MlirOpOperandGetOperandNumber(t, raw)),
			}
			if !yield(use) {
				return
			}
			raw = next
		}
	}
}

// String is the value as MLIR prints it: its operation, or its place in a block.
func (v Value) String() string {
	if v.IsNil() {
		return "<nil value>"
	}
	t := v.use("Value.String")
	return string(capi.Collect(func(cb capi.MlirStringCallback, ud pointer) {
		capi.MlirValuePrint(t, v.raw, cb, ud)
	}))
}
