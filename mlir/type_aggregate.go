package mlir

import (
	"errors"
	"fmt"

	"github.com/calliope-mlir/calliope/internal/capi"
)

// FunctionType is (inputs) -> (results).
func (c *Context) FunctionType(inputs, results []Type) Type {
	t := c.life.check("Context.FunctionType")
	in, out := c.rawTypes(inputs, "Context.FunctionType"), c.rawTypes(results, "Context.FunctionType")
	return c.composedType(capi.MlirFunctionTypeGet(t, c.raw, len(in), first(in), len(out), first(out)))
}

// TupleType is tuple<elements>.
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

// IsTuple reports whether t is tuple<…>.
func (t Type) IsTuple() bool { return capi.MlirTypeIsATuple(t.check("Type.IsTuple"), t.raw) }

// IsFunction reports whether t is a function type.
func (t Type) IsFunction() bool {
	return capi.MlirTypeIsAFunction(t.check("Type.IsFunction"), t.raw)
}

// Elements are the types in a tuple; false for any other type.
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

// Signature is what a function type takes and gives; false for any other type.
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

// OpaqueType is a type of a dialect that the library does not know, kept as text:
// !namespace<data>. The context must allow unregistered dialects, or the library must
// have the dialect.
func (c *Context) OpaqueType(namespace, data string) (Type, error) {
	t := c.life.check("Context.OpaqueType")
	if err := c.checkNamespace(namespace); err != nil {
		return Type{}, err
	}
	return c.typ(capi.MlirOpaqueTypeGet(t, c.raw, namespace, data)), nil
}

// Opaque is the namespace and the text of an opaque type; false for any other type.
func (t Type) Opaque() (namespace, data string, ok bool) {
	api := t.check("Type.Opaque")
	if !capi.MlirTypeIsAOpaque(api, t.raw) {
		return "", "", false
	}
	return capi.MlirOpaqueTypeGetDialectNamespace(api, t.raw), capi.MlirOpaqueTypeGetData(api, t.raw), true
}

// checkNamespace says whether something opaque may name that dialect.
func (c *Context) checkNamespace(namespace string) error {
	for i, r := range []byte(namespace) {
		letter := 'a' <= r|0x20 && r|0x20 <= 'z' || r == '_'
		if !letter && (i == 0 || !('0' <= r && r <= '9' || r == '$')) {
			return fmt.Errorf("mlir: %q is no dialect's name: it may hold letters, digits, _ and $, and starts with a letter or _", namespace)
		}
	}
	if namespace == "" {
		return errors.New("mlir: an opaque type or attribute needs the name of its dialect")
	}
	if !capi.MlirContextGetAllowUnregisteredDialects(c.api, c.raw) {
		return c.LoadDialect(namespace)
	}
	return nil
}
