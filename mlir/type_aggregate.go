package mlir

import (
	"errors"
	"fmt"

	"github.com/calliope-mlir/calliope/experimental/capi"
)

// FunctionType returns (inputs) -> (results).
func (c *Context) FunctionType(inputs, results []Type) Type {
	t := c.life.check("Context.FunctionType")
	in, out := c.rawTypes(inputs, "Context.FunctionType"), c.rawTypes(results, "Context.FunctionType")
	return c.composedType(capi.MlirFunctionTypeGet(t, c.raw, len(in), first(in), len(out), first(out)))
}

// TupleType returns tuple<elements>.
func (c *Context) TupleType(elements ...Type) Type {
	t := c.life.check("Context.TupleType")
	raw := c.rawTypes(elements, "Context.TupleType")
	return c.composedType(capi.MlirTupleTypeGet(t, c.raw, len(raw), first(raw)))
}

func (c *Context) rawTypes(types []Type, method string) []capi.MlirType {
	raw := make([]capi.MlirType, len(types))
	for i, t := range types {
		raw[i] = t.in(c, method)
	}
	return raw
}

// IsTuple reports whether t is a tuple type.
func (t Type) IsTuple() bool { return capi.MlirTypeIsATuple(t.check("Type.IsTuple"), t.raw) }

// IsFunction reports whether t is a function type.
func (t Type) IsFunction() bool {
	return capi.MlirTypeIsAFunction(t.check("Type.IsFunction"), t.raw)
}

// Elements returns the element types of a tuple type, and whether t is one.
func (t Type) Elements() ([]Type, bool) {
	api := t.check("Type.Elements")
	if !capi.MlirTypeIsATuple(api, t.raw) {
		return nil, false
	}
	out := make([]Type, capi.MlirTupleTypeGetNumTypes(api, t.raw))
	for i := range out {
		out[i] = Type{t.life, capi.MlirTupleTypeGetType(api, t.raw, i)}
	}
	return out, true
}

// Signature returns the input and result types of a function type. ok is false for any
// other type.
func (t Type) Signature() (inputs, results []Type, ok bool) {
	api := t.check("Type.Signature")
	if !capi.MlirTypeIsAFunction(api, t.raw) {
		return nil, nil, false
	}
	inputs = make([]Type, capi.MlirFunctionTypeGetNumInputs(api, t.raw))
	for i := range inputs {
		inputs[i] = Type{t.life, capi.MlirFunctionTypeGetInput(api, t.raw, i)}
	}
	results = make([]Type, capi.MlirFunctionTypeGetNumResults(api, t.raw))
	for i := range results {
		results[i] = Type{t.life, capi.MlirFunctionTypeGetResult(api, t.raw, i)}
	}
	return inputs, results, true
}

// OpaqueType returns a type of a dialect that the library does not know. It is kept as
// text: !namespace<data>. It returns an error unless the context allows unregistered
// dialects or the library has the dialect.
func (c *Context) OpaqueType(namespace, data string) (Type, error) {
	t := c.life.check("Context.OpaqueType")
	if err := c.checkNamespace(namespace); err != nil {
		return Type{}, err
	}
	return c.typ(capi.MlirOpaqueTypeGet(t, c.raw, namespace, data)), nil
}

// Opaque returns the namespace and the text of an opaque type. ok is false for any other
// type.
func (t Type) Opaque() (namespace, data string, ok bool) {
	api := t.check("Type.Opaque")
	if !capi.MlirTypeIsAOpaque(api, t.raw) {
		return "", "", false
	}
	return capi.MlirOpaqueTypeGetDialectNamespace(api, t.raw), capi.MlirOpaqueTypeGetData(api, t.raw), true
}

// checkNamespace returns an error if an opaque type or attribute cannot have the
// namespace.
func (c *Context) checkNamespace(namespace string) error {
	for i, r := range []byte(namespace) {
		letter := 'a' <= r|0x20 && r|0x20 <= 'z' || r == '_'
		if !letter && (i == 0 || !('0' <= r && r <= '9' || r == '$')) {
			return fmt.Errorf("mlir: %q is not a dialect name: use letters, digits, _ and $, and start with a letter or _", namespace)
		}
	}
	if namespace == "" {
		return errors.New("mlir: an opaque type or attribute needs the name of its dialect")
	}
	if !c.allows {
		return c.LoadDialect(namespace)
	}
	return nil
}
