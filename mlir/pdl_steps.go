package mlir

import (
	"fmt"
	"slices"

	"github.com/calliope-mlir/calliope/experimental/capi"
)

// This file has the functions that replace the steps of a PDL rewrite.

// carry returns an operation that holds values and types, because Go functions cannot be
// called with ranges. The operation has no meaning, and unload erases it.
func (w *pdlRewrite) carry(before Operation, values, types []Value) (Value, error) {
	made, err := Create(before.Block(), OperationState{
		Name: "pdl.operation", Location: before.Location(), Operands: slices.Concat(values, types),
		Results: []Type{w.typ("!pdl.operation")},
		Attributes: []NamedAttribute{
			{"opName", w.c.StringAttribute(carrier)},
			{"attributeValueNames", w.c.ArrayAttribute()},
			{"operandSegmentSizes", NewDenseArray(w.c, int32(len(values)), 0, int32(len(types)))},
		},
	})
	if err != nil {
		return Value{}, err
	}
	made.MoveBefore(before)
	return made.Result(0), nil
}

// carrier is an operation with any number of operands and results of any type. It can also
// have regions while it is not verified.
const carrier = "builtin.unrealized_conversion_cast"

func unload(r *Rewriter, carried Operation) ([]Value, []Type) {
	values, types := carried.OperandValues(), TypesOf(carried.ResultValues())
	r.remove(capi.OperationKind, carried.raw.Ptr, "its step")
	return values, types
}

// step replaces one step by a call.
func (w *pdlRewrite) step(o Operation) error {
	switch o.Name() {
	case "pdl.erase":
		return w.instead(o, pdlCall{step: func(r *Rewriter, a []any) ([]any, error) {
			return nil, r.Erase(a[0].(Operation))
		}}, o.Operand(0))
	case "pdl.apply_native_rewrite":
		name, _ := o.Attribute("name")
		text, _ := name.Text()
		arguments := o.OperandValues()
		return w.instead(o, pdlCall{of: text, step: w.o.Rewrites[text]}, arguments...)
	case "pdl.result":
		index, _ := o.Attribute("index")
		n, _ := index.Int()
		return w.instead(o, pdlCall{step: func(_ *Rewriter, a []any) ([]any, error) {
			of := a[0].(Operation)
			if n >= int64(of.NumResults()) {
				return nil, fmt.Errorf("mlir: pdl.result %d of %s, which has %d results", n, of.Name(), of.NumResults())
			}
			return []any{of.Result(int(n))}, nil
		}}, o.Operand(0))
	case "pdl.results":
		if _, one := o.Attribute("index"); one {
			return fmt.Errorf("a rewrite cannot take one group of results: use pdl.result, or pdl.results without an index")
		}
	case "pdl.replace":
		return w.replace(o)
	case "pdl.operation":
		return w.create(o)
	}
	return nil
}

func (w *pdlRewrite) replace(o Operation) error {
	lists := groups(o) // the operation, and its replacement: an operation or values
	if len(lists[1]) == 1 {
		return w.instead(o, pdlCall{step: func(r *Rewriter, a []any) ([]any, error) {
			r.ReplaceWith(a[0].(Operation), a[1].(Operation))
			return nil, nil
		}}, o.Operand(0), lists[1][0])
	}
	values, err := w.carry(o, lists[2], nil)
	if err != nil {
		return err
	}
	return w.instead(o, pdlCall{carried: true, step: func(r *Rewriter, a []any) ([]any, error) {
		values, _ := unload(r, a[0].(Operation))
		r.Replace(a[1].(Operation), values...)
		return nil, nil
	}}, values, o.Operand(0))
}

func (w *pdlRewrite) create(o Operation) error {
	opName, _ := o.Attribute("opName")
	name, ok := opName.Text()
	if !ok {
		return fmt.Errorf("the operation to be created needs a name")
	}
	lists := groups(o) // operands, attributes, types
	_, known := inference.Load(name)
	infers := len(lists[2]) == 0 && w.c.InfersTypes(name)
	var replaced []Value // its result types are used if there are none
	for use := range o.Result(0).Uses() {
		if use.Owner.Name() == "pdl.replace" && use.Operand == 1 && len(groups(use.Owner)[1]) == 1 {
			replaced = []Value{use.Owner.Operand(0)}
		}
	}
	switch {
	case len(lists[2]) > 0 || infers && known:
		replaced = nil
	case infers && replaced == nil:
		return fmt.Errorf("the result types of %q cannot be inferred, because AllowInference was not called for it: give them in the pattern", name)
	}
	var names []string
	namesOf, _ := o.Attribute("attributeValueNames")
	elements, _ := namesOf.Elements()
	for _, e := range elements {
		text, _ := e.Text()
		names = append(names, text)
	}
	carried, err := w.carry(o, lists[0], lists[2])
	if err != nil {
		return err
	}
	return w.instead(o, pdlCall{carried: true, step: func(r *Rewriter, a []any) ([]any, error) {
		s := OperationState{Name: name, InferResults: infers && known}
		s.Operands, s.Results = unload(r, a[0].(Operation))
		for i, name := range names {
			s.Attributes = append(s.Attributes, NamedAttribute{name, a[i+1].(Attribute)})
		}
		if replaced != nil {
			for _, v := range a[len(a)-1].(Operation).Results() {
				s.Results = append(s.Results, v.Type())
			}
		}
		if r.call.root.Ptr != nil {
			s.Location = r.c.location(capi.MlirOperationGetLocation(r.c.api, r.call.root))
		}
		op, err := Create(r, s)
		return []any{op}, err
	}}, slices.Concat([]Value{carried}, lists[1], replaced)...)
}
