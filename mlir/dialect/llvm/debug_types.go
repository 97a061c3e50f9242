package llvm

import (
	"fmt"

	"github.com/calliope-mlir/calliope/experimental/capi"
	"github.com/calliope-mlir/calliope/internal/ir/raw"
	"github.com/calliope-mlir/calliope/mlir"
)

// DINullType returns #llvm.di_null_type, the result type of a subroutine without a result.
func DINullType(c *mlir.Context) (mlir.Attribute, error) {
	m := newMaker(c, "DINullType", "mlirLLVMDINullTypeAttrGet")
	return m.make(func(ctx capi.MlirContext) capi.MlirAttribute { return capi.MlirLLVMDINullTypeAttrGet(m.api, ctx) })
}

// DIBasicType is #llvm.di_basic_type<…>.
type DIBasicType struct {
	Tag        int // DW_TAG_base_type is 0x24
	Name       string
	SizeInBits uint64
	Encoding   int // DW_ATE_…: 2 boolean, 4 float, 5 signed, 7 unsigned …
}

// Attribute returns the attribute.
func (d DIBasicType) Attribute(c *mlir.Context) (mlir.Attribute, error) {
	m := newMaker(c, "DIBasicType", "mlirLLVMDIBasicTypeAttrGet")
	tag, encoding := m.number("Tag", d.Tag), m.number("Encoding", d.Encoding)
	name := raw.Attribute(c.StringAttribute(d.Name))
	return m.make(func(ctx capi.MlirContext) capi.MlirAttribute {
		return capi.MlirLLVMDIBasicTypeAttrGet(m.api, ctx, tag, name, d.SizeInBits, capi.MlirLLVMTypeEncoding(encoding))
	})
}

// DICompositeType is #llvm.di_composite_type<…>: an array, a struct, a union …
type DICompositeType struct {
	RecID        mlir.Attribute // distinct[…]<>, if elements refer back to the type
	IsRecSelf    bool
	Tag          int
	Name         string
	File         mlir.Attribute
	Line         int
	Scope        mlir.Attribute
	BaseType     mlir.Attribute
	Flags        int64
	SizeInBits   uint64
	AlignInBits  uint64
	Elements     []mlir.Attribute
	DataLocation mlir.Attribute // an expression, like the next three
	Rank         mlir.Attribute
	Allocated    mlir.Attribute
	Associated   mlir.Attribute
}

// Attribute returns the attribute. The library must state its release of LLVM, and that must be later than 19 if
// IsRecSelf is true.
func (d DICompositeType) Attribute(c *mlir.Context) (mlir.Attribute, error) {
	m := newMaker(c, "DICompositeType", "mlirLLVMDICompositeTypeAttrGet")
	recID := m.recursion(d.RecID, d.IsRecSelf)
	tag, line, name := m.number("Tag", d.Tag), m.number("Line", d.Line), m.text(d.Name)
	file, scope := m.field("File", d.File, fileKind), m.field("Scope", d.Scope, scopeKinds)
	base, elements := m.field("BaseType", d.BaseType, typeKinds), m.fields("Elements", d.Elements, nodeKinds)
	data, rank := m.field("DataLocation", d.DataLocation, expressionKind), m.field("Rank", d.Rank, expressionKind)
	allocated, associated := m.field("Allocated", d.Allocated, expressionKind),
		m.field("Associated", d.Associated, expressionKind)
	old := isRelease19(c)
	if m.err == nil && old && d.IsRecSelf {
		m.err = &mlir.UnsupportedError{Library: c.Library().Path(), Function: "mlirLLVMDICompositeTypeAttrGetRecSelf"}
	}
	return m.make(func(ctx capi.MlirContext) capi.MlirAttribute {
		if old {
			return capi.MlirLLVMDICompositeTypeAttrGet_19(m.api, ctx, tag, recID, name, file, line, scope, base,
				d.Flags,
				d.SizeInBits, d.AlignInBits, len(elements), raw.First(elements), data, rank, allocated, associated)
		}
		if m.since(23) {
			return capi.MlirLLVMDICompositeTypeAttrGet_23(m.api, ctx, recID, d.IsRecSelf, tag, name, file, line, scope,
				base, d.Flags, d.SizeInBits, d.AlignInBits, len(elements), raw.First(elements), data, rank, allocated,
				associated, capi.MlirAttribute{}, capi.MlirAttribute{})
		}
		return capi.MlirLLVMDICompositeTypeAttrGet_22(m.api, ctx, recID, d.IsRecSelf, tag, name, file, line, scope,
			base, d.Flags,
			d.SizeInBits, d.AlignInBits, len(elements), raw.First(elements), data, rank, allocated, associated)
	})
}

// DICompositeTypeSelf returns the attribute that refers to the composite type with this
// RecID from inside its elements.
func DICompositeTypeSelf(recID mlir.Attribute) (mlir.Attribute, error) {
	return recSelf(recID, "DICompositeTypeSelf", "mlirLLVMDICompositeTypeAttrGetRecSelf",
		capi.MlirLLVMDICompositeTypeAttrGetRecSelf)
}

func recSelf(
	recID mlir.Attribute, what, function string, get func(*capi.Table, capi.MlirAttribute) capi.MlirAttribute,
) (mlir.Attribute, error) {
	c, _ := raw.UnwrapAttribute(recID, "llvm."+what)
	m := newMaker(c, what, function)
	id := m.recursion(recID, true)
	return m.make(func(capi.MlirContext) capi.MlirAttribute { return get(m.api, id) })
}

// DIDerivedType is #llvm.di_derived_type<…>: a pointer, a member, a typedef …
type DIDerivedType struct {
	Tag          int
	Name         string
	BaseType     mlir.Attribute
	SizeInBits   uint64
	AlignInBits  int
	OffsetInBits uint64
	// AddressSpace is the DWARF address space of a pointer, or nil for none.
	AddressSpace *int
	ExtraData    mlir.Attribute
}

// Attribute returns the attribute.
func (d DIDerivedType) Attribute(c *mlir.Context) (mlir.Attribute, error) {
	m := newMaker(c, "DIDerivedType", "mlirLLVMDIDerivedTypeAttrGet")
	tag, align, name := m.number("Tag", d.Tag), m.number("AlignInBits", d.AlignInBits), m.text(d.Name)
	base, extra := m.field("BaseType", d.BaseType, typeKinds), m.field("ExtraData", d.ExtraData, nodeKinds)
	space := int64(-1) // the C API's value for none
	if d.AddressSpace != nil {
		space = int64(m.number("AddressSpace", *d.AddressSpace))
	}
	return m.make(func(ctx capi.MlirContext) capi.MlirAttribute {
		if m.since(23) {
			return capi.MlirLLVMDIDerivedTypeAttrGet_23(m.api, ctx, tag, name, capi.MlirAttribute{}, 0,
				capi.MlirAttribute{}, base, d.SizeInBits, align, d.OffsetInBits, space, 0, extra)
		}
		return capi.MlirLLVMDIDerivedTypeAttrGet(m.api, ctx, tag, name, base, d.SizeInBits, align, d.OffsetInBits,
			space, extra)
	})
}

// DerivedBaseType returns the base type of a derived type, or the zero Attribute if it has
// none.
func DerivedBaseType(a mlir.Attribute) (mlir.Attribute, error) {
	return part(a, "llvm.DerivedBaseType", "#llvm.di_derived_type", "mlirLLVMDIDerivedTypeAttrGetBaseType",
		capi.MlirLLVMDIDerivedTypeAttrGetBaseType)
}

// part reads an attribute that is part of another one of the given kind.
func part(
	a mlir.Attribute, method, kind, function string, get func(*capi.Table, capi.MlirAttribute) capi.MlirAttribute,
) (mlir.Attribute, error) {
	c, h := raw.UnwrapAttribute(a, method)
	if !raw.IsAttribute(a, kind) {
		return mlir.Attribute{}, fmt.Errorf("llvm: %s is not %s", a, kind)
	}
	if err := raw.Need(c.Library(), function); err != nil {
		return mlir.Attribute{}, err
	}
	inner := get(raw.Table(c), h)
	if inner.Ptr == nil {
		return mlir.Attribute{}, nil
	}
	return raw.WrapAttribute(c, inner), nil
}

// DIStringType is #llvm.di_string_type<…>: a string with a length, as in Fortran.
type DIStringType struct {
	Tag               int
	Name              string
	SizeInBits        uint64
	AlignInBits       int
	StringLength      mlir.Attribute // a variable
	StringLengthExp   mlir.Attribute // expressions
	StringLocationExp mlir.Attribute
	Encoding          int
}

// Attribute returns the attribute.
func (d DIStringType) Attribute(c *mlir.Context) (mlir.Attribute, error) {
	m := newMaker(c, "DIStringType", "mlirLLVMDIStringTypeAttrGet")
	tag, align, encoding := m.number("Tag", d.Tag), m.number("AlignInBits", d.AlignInBits),
		m.number("Encoding", d.Encoding)
	name, length := raw.Attribute(c.StringAttribute(d.Name)), m.field("StringLength", d.StringLength, variableKinds)
	lengthExp := m.field("StringLengthExp", d.StringLengthExp, expressionKind)
	locationExp := m.field("StringLocationExp", d.StringLocationExp, expressionKind)
	return m.make(func(ctx capi.MlirContext) capi.MlirAttribute {
		if m.since(24) {
			return capi.MlirLLVMDIStringTypeAttrGet_24(m.api, ctx, tag, name, d.SizeInBits, align, length, lengthExp,
				locationExp, capi.MlirLLVMTypeEncoding(encoding), capi.MlirAttribute{})
		}
		return capi.MlirLLVMDIStringTypeAttrGet(m.api, ctx, tag, name, d.SizeInBits, align, length, lengthExp,
			locationExp, capi.MlirLLVMTypeEncoding(encoding))
	})
}

// DISubroutineType is #llvm.di_subroutine_type<…>: the result, then the parameters.
type DISubroutineType struct {
	CallingConvention int // DW_CC_…
	Types             []mlir.Attribute
}

// Attribute returns the attribute.
func (d DISubroutineType) Attribute(c *mlir.Context) (mlir.Attribute, error) {
	m := newMaker(c, "DISubroutineType", "mlirLLVMDISubroutineTypeAttrGet")
	convention, types := m.number("CallingConvention", d.CallingConvention), m.fields("Types", d.Types, typeKinds)
	return m.make(func(ctx capi.MlirContext) capi.MlirAttribute {
		return capi.MlirLLVMDISubroutineTypeAttrGet(m.api, ctx, convention, len(types), raw.First(types))
	})
}

// isRelease19 reports whether the library is of LLVM 19, not later. It decides between two C
// functions of the same name. The table has them only if the library reports its release,
// and the …GetName functions are newer than 19.
func isRelease19(c *mlir.Context) bool {
	return c.Library().Has("mlirLLVMDISubprogramAttrGet") && !c.Library().Has("mlirLLVMDISubprogramAttrGetName")
}
