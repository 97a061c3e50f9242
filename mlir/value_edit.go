package mlir

import (
	"slices"

	"github.com/calliope-mlir/calliope/experimental/capi"
)

// IsResult reports whether the value is a result of an operation.
func (v Value) IsResult() bool {
	return capi.MlirValueIsAOpResult(v.use("Value.IsResult"), v.raw)
}

// IsArgument reports whether the value is an argument of a block.
func (v Value) IsArgument() bool {
	return capi.MlirValueIsABlockArgument(v.use("Value.IsArgument"), v.raw)
}

// SetType changes the value's type. It does not check the uses of the value: call Verify
// for that.
func (v Value) SetType(t Type) {
	api := v.use("Value.SetType")
	v.touch()
	capi.MlirValueSetType(api, v.raw, t.in(v.life.ctx, "Value.SetType"))
}

// Location returns the source location of the value: that of its operation, or the
// argument's own. For an argument, it returns an UnsupportedError if the library is too
// old.
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

// SetLocation sets the source location of a block argument. It panics if v is a result,
// whose location is that of its operation. It returns an UnsupportedError if the library is
// too old.
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

// HasUses reports whether the value is an operand of any operation.
func (v Value) HasUses() bool {
	t := v.use("Value.HasUses")
	return capi.MlirValueGetFirstUse(t, v.raw).Ptr != nil
}

// NumUses returns the number of uses.
func (v Value) NumUses() int {
	n := 0
	for range v.Uses() {
		n++
	}
	return n
}

// ReplaceAllUses replaces all uses of v by uses of with.
func (v Value) ReplaceAllUses(with Value) { v.replaceAllUses("Value.ReplaceAllUses", with, nil) }

// ReplaceUsesIf replaces the uses of v for which replace returns true by uses of with.
// replace is called once for each use, in no particular order, before anything is replaced,
// and must not change anything.
func (v Value) ReplaceUsesIf(with Value, replace func(Use) bool) {
	v.use("Value.ReplaceUsesIf")
	with.in(v.life.ctx, "Value.ReplaceUsesIf")
	var uses []Use
	for use := range v.Uses() {
		if replace(use) {
			uses = append(uses, use)
		}
	}
	for _, use := range uses {
		use.Owner.SetOperand(use.Operand, with)
	}
}

// ReplaceAllUsesExcept replaces all uses of v by uses of with, except those by the given
// operations.
func (v Value) ReplaceAllUsesExcept(with Value, except ...Operation) {
	v.replaceAllUses("Value.ReplaceAllUsesExcept", with, except)
}

func (v Value) replaceAllUses(method string, with Value, except []Operation) {
	t := v.use(method)
	c := v.life.ctx
	other := with.in(c, method)
	if v.raw == with.raw {
		return // the library would loop forever
	}
	spared := make([]capi.MlirOperation, len(except))
	for i, o := range except {
		spared[i] = o.in(c, method)
	}
	if !c.single() && capi.Top(t, capi.ValueKind, v.raw.Ptr) != capi.Top(t, capi.ValueKind, with.raw.Ptr) {
		for use := range v.Uses() {
			c.sameTop(use.Owner, with, method)
		}
	}
	v.touchUsers()
	if len(spared) == 0 {
		capi.MlirValueReplaceAllUsesOfWith(t, v.raw, other)
		return
	}
	if !c.lib.Has("mlirValueReplaceAllUsesExcept") { // before LLVM 20
		v.ReplaceUsesIf(with, func(u Use) bool { return !slices.Contains(except, u.Owner) })
		return
	}
	capi.MlirValueReplaceAllUsesExcept(t, v.raw, other, len(spared), first(spared))
}

// Name returns the value's name as an operand in the text, for example %0 or %arg1. It
// numbers the whole function each time; an AsmState does so only once.
func (v Value) Name(p PrintOptions) string {
	v.use("Value.Name")
	state, err := v.asmState(p)
	if err != nil {
		panic(err)
	}
	defer state.Close()
	return state.Name(v)
}
