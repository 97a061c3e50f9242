package mlir

import (
	"fmt"
	"slices"

	"github.com/calliope-mlir/calliope/experimental/capi"
	"github.com/calliope-mlir/calliope/internal/ir/guard"
)

// What guards look at are the values of this package with the methods that guards call.
type (
	guardedValue     struct{ Value }
	guardedType      struct{ Type }
	guardedAttribute struct{ Attribute }
	guardedRegion    struct{ Region }
	guardedBlock     struct{ Block }
)

func (v guardedValue) Type() guard.Type { return guardedType{v.Value.Type()} }

func (t guardedType) IsInteger() bool {
	_, _, ok := t.IntegerWidth()
	return ok
}

func (a guardedAttribute) Type() (guard.Type, bool) {
	t, ok := a.Attribute.Type()
	return guardedType{t}, ok
}

func (a guardedAttribute) IsSymbol() bool {
	_, ok := a.Symbol()
	return ok
}

func (a guardedAttribute) Elements() (list []guard.Attribute, ok bool) {
	elements, ok := a.Attribute.Elements()
	for _, e := range elements {
		list = append(list, guardedAttribute{e})
	}
	return list, ok
}

func (a guardedAttribute) Int32s() ([]int32, bool) { return DenseArrayOf[int32](a.Attribute) }

func (a guardedAttribute) Int64s() ([]int64, bool) { return DenseArrayOf[int64](a.Attribute) }

func (a guardedAttribute) Bools() ([]bool, bool) { return DenseArrayOf[bool](a.Attribute) }

func (a guardedAttribute) FunctionResults() (int, bool) {
	t, ok := a.TypeValue()
	if !ok {
		return 0, false
	}
	_, results, ok := t.Signature()
	return len(results), ok
}

func (a guardedAttribute) MapInputs() (int, bool) {
	if a.Kind() != AttrAffineMap {
		return 0, false
	}
	api := a.life.ctx.api
	return capi.MlirAffineMapGetNumInputs(api, capi.MlirAffineMapAttrGetValue(api, a.raw)), true
}

func (r guardedRegion) Blocks() (list []guard.Block) {
	for b := range r.Region.Blocks() {
		list = append(list, guardedBlock{b})
	}
	return list
}

func (b guardedBlock) End() (name string, operands int, ok bool) {
	if op := b.Terminator(); !op.IsNil() {
		return op.Name(), op.NumOperands(), true
	}
	return "", 0, false
}

func (b guardedBlock) Last() (name string) {
	var last Operation
	for op := range b.Operations() {
		last = op
	}
	if last.IsNil() {
		return ""
	}
	return last.Name()
}

// guarded returns what guards look at. It does not keep s, which may be on a caller's stack.
func (s *OperationState) guarded(name string) *guard.Operation {
	o := &guard.Operation{Name: name, Successors: len(s.Successors)}
	for _, v := range s.Operands {
		o.Operands = append(o.Operands, guardedValue{v})
	}
	for _, t := range s.Results {
		o.Results = append(o.Results, guardedType{t})
	}
	for _, a := range s.Attributes {
		if !a.Value.IsNil() {
			o.Attributes = append(o.Attributes, guard.NamedAttribute{Name: a.Name, Value: guardedAttribute{a.Value}})
		}
	}
	for _, r := range s.Regions {
		o.Regions = append(o.Regions, guardedRegion{r})
	}
	return o
}

// guarded returns an error if the library would crash on the operation to be created.
func (k *operationKind) guarded(s *OperationState) error {
	if k.guard == nil || !k.registered {
		return nil
	}
	if missing := k.guard(s.guarded(k.name)); missing != "" {
		return fmt.Errorf("mlir: %s needs %s: the library would crash on it", k.name, missing)
	}
	return nil
}

// guarded does so for an operation that was changed.
func (o Operation) guarded() error {
	kind := o.life.ctx.kind(o.Name())
	if kind.guard == nil {
		return nil
	}
	s := o.state()
	return kind.guarded(&s)
}

// state returns the parts of an operation that guards check.
func (o Operation) state() (s OperationState) {
	s.Operands, s.Results = o.OperandValues(), TypesOf(o.ResultValues())
	for name, a := range o.Attributes() {
		s.Attributes = append(s.Attributes, NamedAttribute{name, a})
	}
	for i := range o.NumRegions() {
		s.Regions = append(s.Regions, o.Region(i))
	}
	for _, b := range o.Successors() {
		s.Successors = append(s.Successors, b)
	}
	return s
}

// withDefaults returns the attributes of a state with those that its operation needs besides.
func (c *Context) withDefaults(kind *operationKind, s *OperationState) []NamedAttribute {
	all := slices.Clone(s.Attributes)
	for _, d := range guard.Defaults(s.guarded(kind.name)) {
		a := NamedAttribute{Name: d.Name}
		switch {
		case d.Numbers != nil:
			a.Value = NewDenseArray(c, d.Numbers...)
		case d.Flags != nil:
			a.Value = NewDenseArray(c, d.Flags...)
		default:
			a.Value = c.IntegerAttribute(c.IntegerType(64, Signless), d.Number)
		}
		all = append(all, a)
	}
	return all
}
