package mlir

import (
	"github.com/calliope-mlir/calliope/internal/capi"
)

// IsResult reports whether the value is a result of an operation.
func (v Value) IsResult() bool {
	return capi.MlirValueIsAOpResult(v.use("Value.IsResult"), v.raw)
}

// IsArgument reports whether the value is an argument of a block.
func (v Value) IsArgument() bool {
	return capi.MlirValueIsABlockArgument(v.use("Value.IsArgument"), v.raw)
}

// SetType gives the value another type. What uses it is for Verify to judge.
func (v Value) SetType(t Type) {
	api := v.use("Value.SetType")
	v.touch()
	capi.MlirValueSetType(api, v.raw, t.in(v.life.ctx, "Value.SetType"))
}

// Location is where the value comes from: the location of the operation that it is a
// result of, or the argument's own. Only newer libraries can say the latter.
func (v Value) Location() (Location, error) {
	t := v.use("Value.Location")
	if owner := v.Owner(); !owner.IsNil() {
		return owner.Location(), nil
	}
	if err := v.life.ctx.lib.need("mlirValueGetLocation"); err != nil {
		return Location{}, err
	}
	return v.life.ctx.location(capi.MlirValueGetLocation(t, v.raw)), nil
}

// SetLocation changes where a block argument comes from. It panics for a result,
// whose location is its operation's.
func (v Value) SetLocation(l Location) error {
	t := v.use("Value.SetLocation")
	if !v.IsArgument() {
		panic("mlir: Value.SetLocation was called on a result: set its operation's location")
	}
	if err := v.life.ctx.lib.need("mlirBlockArgumentSetLocation"); err != nil {
		return err
	}
	capi.MlirBlockArgumentSetLocation(t, v.raw, l.in(v.life.ctx, "Value.SetLocation"))
	return nil
}

// HasUses reports whether the value is an operand anywhere.
func (v Value) HasUses() bool {
	t := v.use("Value.HasUses")
	return capi.MlirValueGetFirstUse(t, v.raw).Ptr != nil
}

// NumUses counts the uses.
func (v Value) NumUses() int {
	n := 0
	for range v.Uses() {
		n++
	}
	return n
}

// ReplaceAllUses makes every use of v a use of the other value.
func (v Value) ReplaceAllUses(with Value) {
	v.ReplaceAllUsesExcept(with)
}

// ReplaceAllUsesExcept makes every use of v a use of the other value, but for the
// operands of the given operations.
func (v Value) ReplaceAllUsesExcept(with Value, except ...Operation) {
	t := v.use("Value.ReplaceAllUses")
	c := v.life.ctx
	other := with.in(c, "Value.ReplaceAllUses")
	if v.raw == with.raw {
		return // the library would loop for ever
	}
	spared := make([]capi.MlirOperation, len(except))
	for i, o := range except {
		spared[i] = o.in(c, "Value.ReplaceAllUsesExcept")
	}
	if !c.single() && capi.Top(t, capi.ValueKind, v.raw.Ptr) != capi.Top(t, capi.ValueKind, with.raw.Ptr) {
		for use := range v.Uses() {
			c.sameTop(use.Owner, with, "Value.ReplaceAllUses")
		}
	}
	v.touchUsers()
	if len(spared) == 0 {
		capi.MlirValueReplaceAllUsesOfWith(t, v.raw, other)
		return
	}
	capi.MlirValueReplaceAllUsesExcept(t, v.raw, other, len(spared), first(spared))
}

// Name is the value as an operand of the printed text, for example %0 or %arg1. The
// numbering is that of the whole function; an AsmState saves making it each time.
func (v Value) Name(p PrintOptions) string {
	v.use("Value.Name")
	state, err := v.asmState(p)
	if err != nil {
		panic(err)
	}
	defer state.Close()
	return state.Name(v)
}
