package mlir

import (
	"fmt"
	"math"

	"github.com/calliope-mlir/calliope/internal/capi"
)

// Type is an MLIR type. Types are uniqued by their context: equal types are equal
// values.
type Type struct {
	life *lifetime
	raw  capi.MlirType
}

// Dynamic stands for a dimension whose size is not known at compile time.
const Dynamic = math.MinInt64

// IsNil reports whether t is the zero Type.
func (t Type) IsNil() bool { return t.raw.Ptr == nil }

func (c *Context) typ(raw capi.MlirType) Type { return Type{c.life, raw} }

// ParseType reads a type from its text, for example "tensor<2x?xf32>".
func (c *Context) ParseType(text string) (Type, error) {
	t := c.life.check("Context.ParseType")
	source := text + "\x00" // some libraries read up to a NUL
	raw := capi.MlirTypeParseGet(t, c.raw, source[:len(text)])
	diagnostics := c.takeDiagnostics(text)
	if raw.Ptr == nil {
		return Type{}, &DiagnosticError{Op: fmt.Sprintf("parsing the type %q", text), Diagnostics: diagnostics}
	}
	return c.typ(raw), nil
}

// Signedness says how an integer type is spelled: i32, si32 or ui32.
type Signedness int

const (
	Signless Signedness = iota
	Signed
	Unsigned
)

// IntegerType is iN, siN or uiN.
func (c *Context) IntegerType(bits int, s Signedness) Type {
	t := c.life.check("Context.IntegerType")
	if bits < 0 || bits >= 1<<24 { // the limit of MLIR's IntegerType
		panic(fmt.Sprintf("mlir: Context.IntegerType: no integer type has %d bits", bits))
	}
	switch s {
	case Signed:
		return c.typ(capi.MlirIntegerTypeSignedGet(t, c.raw, uint32(bits)))
	case Unsigned:
		return c.typ(capi.MlirIntegerTypeUnsignedGet(t, c.raw, uint32(bits)))
	}
	return c.typ(capi.MlirIntegerTypeGet(t, c.raw, uint32(bits)))
}

// F32Type is f32.
func (c *Context) F32Type() Type {
	return c.typ(capi.MlirF32TypeGet(c.life.check("Context.F32Type"), c.raw))
}

// F64Type is f64.
func (c *Context) F64Type() Type {
	return c.typ(capi.MlirF64TypeGet(c.life.check("Context.F64Type"), c.raw))
}

// IndexType is index.
func (c *Context) IndexType() Type {
	return c.typ(capi.MlirIndexTypeGet(c.life.check("Context.IndexType"), c.raw))
}

// TensorType is a ranked tensor of the given dimensions, Dynamic where one is not
// known, in which elements of type elem stand.
func (c *Context) TensorType(elem Type, dims ...int64) (Type, error) {
	t := c.life.check("Context.TensorType")
	for _, d := range dims {
		if d < 0 && d != Dynamic {
			return Type{}, fmt.Errorf("mlir: a tensor cannot have the dimensions %v: use mlir.Dynamic for one that is unknown", dims)
		}
	}
	raw := capi.MlirRankedTensorTypeGetChecked(t, capi.MlirLocationUnknownGet(t, c.raw), len(dims), first(dims),
		elem.in(c, "Context.TensorType"), capi.MlirAttributeGetNull(t))
	diagnostics := c.takeDiagnostics("")
	if raw.Ptr == nil {
		return Type{}, &DiagnosticError{Op: "making a tensor type", Diagnostics: diagnostics}
	}
	return c.typ(raw), nil
}

// FunctionType is (inputs) -> (results).
func (c *Context) FunctionType(inputs, results []Type) Type {
	t := c.life.check("Context.FunctionType")
	in, out := c.rawTypes(inputs, "Context.FunctionType"), c.rawTypes(results, "Context.FunctionType")
	return c.typ(capi.MlirFunctionTypeGet(t, c.raw, len(in), first(in), len(out), first(out)))
}

// TupleType is tuple<elements>.
func (c *Context) TupleType(elements ...Type) Type {
	t := c.life.check("Context.TupleType")
	raw := c.rawTypes(elements, "Context.TupleType")
	return c.typ(capi.MlirTupleTypeGet(t, c.raw, len(raw), first(raw)))
}

func (c *Context) rawTypes(types []Type, method string) []capi.MlirType {
	raw := make([]capi.MlirType, len(types))
	for i, t := range types {
		raw[i] = t.in(c, method)
	}
	return raw
}

// Context is the context that the type belongs to.
func (t Type) Context() *Context {
	t.life.check("Type.Context")
	return t.life.ctx
}

// String is the type as MLIR prints it.
func (t Type) String() string {
	if t.IsNil() {
		return "<nil type>"
	}
	api := t.life.check("Type.String")
	return string(collect(func(cb capi.MlirStringCallback, ud pointer) {
		capi.MlirTypePrint(api, t.raw, cb, ud)
	}))
}

// Equal reports whether both are one type.
func (t Type) Equal(u Type) bool { return t.raw == u.raw }

// IsRankedTensor reports whether t is tensor<…> with known rank.
func (t Type) IsRankedTensor() bool {
	return capi.MlirTypeIsARankedTensor(t.life.check("Type.IsRankedTensor"), t.raw)
}

// IsTuple reports whether t is tuple<…>.
func (t Type) IsTuple() bool { return capi.MlirTypeIsATuple(t.life.check("Type.IsTuple"), t.raw) }

// IsFunction reports whether t is a function type.
func (t Type) IsFunction() bool {
	return capi.MlirTypeIsAFunction(t.life.check("Type.IsFunction"), t.raw)
}

// Dims are the dimensions of a ranked tensor, memref or vector type, Dynamic where
// one is not known; false for any other type.
func (t Type) Dims() ([]int64, bool) {
	api := t.life.check("Type.Dims")
	if !capi.MlirTypeIsAShaped(api, t.raw) || !capi.MlirShapedTypeHasRank(api, t.raw) {
		return nil, false
	}
	dims := make([]int64, capi.MlirShapedTypeGetRank(api, t.raw))
	for i := range dims {
		dims[i] = capi.MlirShapedTypeGetDimSize(api, t.raw, i)
		if capi.MlirShapedTypeIsDynamicDim(api, t.raw, i) {
			dims[i] = Dynamic
		}
	}
	return dims, true
}

// Element is the element type of a tensor, memref or vector type; false for any
// other type.
func (t Type) Element() (Type, bool) {
	api := t.life.check("Type.Element")
	if !capi.MlirTypeIsAShaped(api, t.raw) {
		return Type{}, false
	}
	return Type{t.life, capi.MlirShapedTypeGetElementType(api, t.raw)}, true
}

// Elements are the types in a tuple; false for any other type.
func (t Type) Elements() ([]Type, bool) {
	api := t.life.check("Type.Elements")
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
	api := t.life.check("Type.Signature")
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
