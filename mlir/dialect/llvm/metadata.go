package llvm

import (
	"fmt"

	"github.com/calliope-mlir/calliope/experimental/capi"
	"github.com/calliope-mlir/calliope/internal/ir/raw"
	"github.com/calliope-mlir/calliope/mlir"
)

// Metadata of LLVM IR, which operations have in attributes. Libraries of LLVM 22 and older do not
// have it: their error is an *mlir.UnsupportedError.

// MDString is a text.
type MDString struct{ Text string }

// Attribute returns the attribute.
func (d MDString) Attribute(c *mlir.Context) (mlir.Attribute, error) {
	m := newMaker(c, "MDString", "mlirLLVMMDStringAttrGet")
	return m.make(func(ctx capi.MlirContext) capi.MlirAttribute {
		return capi.MlirLLVMMDStringAttrGet(m.api, ctx, d.Text)
	})
}

// MDConstant is a number, an IntegerAttribute or a FloatAttribute.
type MDConstant struct{ Value mlir.Attribute }

// Attribute returns the attribute.
func (d MDConstant) Attribute(c *mlir.Context) (mlir.Attribute, error) {
	m := newMaker(c, "MDConstant", "mlirLLVMMDConstantAttrGet")
	h := m.operand("Value", d.Value)
	if m.err == nil {
		_, number := d.Value.BigInt()
		if _, float := d.Value.Float(); !number && !float {
			m.err = fmt.Errorf("llvm: MDConstant.Value cannot be %s: it must be an integer or a floating-point number",
				d.Value)
		}
	}
	return m.make(func(ctx capi.MlirContext) capi.MlirAttribute {
		return capi.MlirLLVMMDConstantAttrGet(m.api, ctx, h)
	})
}

// MDGlobal is a global variable or function, by its name.
type MDGlobal struct{ Name string }

// Attribute returns the attribute.
func (d MDGlobal) Attribute(c *mlir.Context) (mlir.Attribute, error) {
	g := globalsOf(c)
	m := newMaker(c, "MDGlobal", g.function)
	name := raw.Attribute(c.SymbolAttribute(d.Name))
	return m.make(func(ctx capi.MlirContext) capi.MlirAttribute { return g.get(m.api, ctx, name) })
}

// globals are the functions for MDGlobal.
type globals struct {
	function string // the name of get
	get      func(*capi.Table, capi.MlirContext, capi.MlirAttribute) capi.MlirAttribute
	is       func(*capi.Table, capi.MlirAttribute) bool
	name     func(*capi.Table, capi.MlirAttribute) capi.MlirAttribute
}

// globalsOf returns those of the library, which have another name in LLVM 23.
func globalsOf(c *mlir.Context) globals {
	if of23 := "mlirLLVMMDFuncAttrGet"; c.Library().Has(of23) {
		return globals{of23, capi.MlirLLVMMDFuncAttrGet, capi.MlirLLVMAttrIsAMDFuncAttr, capi.MlirLLVMMDFuncAttrGetName}
	}
	return globals{"mlirLLVMMDGlobalValueAttrGet", capi.MlirLLVMMDGlobalValueAttrGet,
		capi.MlirLLVMAttrIsAMDGlobalValueAttr, capi.MlirLLVMMDGlobalValueAttrGetName}
}

// MDNode is a list of metadata.
type MDNode struct{ Operands []mlir.Attribute }

// Attribute returns the attribute.
func (d MDNode) Attribute(c *mlir.Context) (mlir.Attribute, error) {
	m := newMaker(c, "MDNode", "mlirLLVMMDNodeAttrGet")
	list := make([]capi.MlirAttribute, len(d.Operands))
	for i, a := range d.Operands {
		list[i] = m.operand("Operands", a)
		if m.err != nil {
			break
		}
		if _, ok := ReadMetadata(a); !ok {
			m.err = fmt.Errorf("llvm: MDNode.Operands cannot have %s: it must be metadata", a)
		}
	}
	return m.make(func(ctx capi.MlirContext) capi.MlirAttribute {
		return capi.MlirLLVMMDNodeAttrGet(m.api, ctx, len(list), raw.First(list))
	})
}

// operand returns the C handle of a required attribute of any kind.
func (m *maker) operand(name string, a mlir.Attribute) capi.MlirAttribute {
	if a.IsNil() {
		if m.err == nil {
			m.err = fmt.Errorf("llvm: %s.%s is missing", m.what, name)
		}
		return capi.MlirAttribute{}
	}
	return raw.AttributeIn(a, m.c, "llvm."+m.what+".Attribute")
}

// ReadMetadata returns the MDString, MDConstant, MDGlobal or MDNode that an attribute is. ok is
// false for other attributes.
func ReadMetadata(a mlir.Attribute) (metadata any, ok bool) {
	c := a.Context()
	if !c.Library().Has("mlirLLVMMDNodeAttrGet") {
		return nil, false
	}
	t, h, g := raw.Table(c), raw.Attribute(a), globalsOf(c)
	switch {
	case capi.MlirLLVMAttrIsAMDStringAttr(t, h):
		return MDString{capi.MlirLLVMMDStringAttrGetValue(t, h)}, true
	case capi.MlirLLVMAttrIsAMDConstantAttr(t, h):
		return MDConstant{raw.WrapAttribute(c, capi.MlirLLVMMDConstantAttrGetValue(t, h))}, true
	case c.Library().Has(g.function) && g.is(t, h):
		name, _ := raw.WrapAttribute(c, g.name(t, h)).Symbol()
		return MDGlobal{name}, true
	case capi.MlirLLVMAttrIsAMDNodeAttr(t, h):
		var d MDNode
		for i := range capi.MlirLLVMMDNodeAttrGetNumOperands(t, h) {
			d.Operands = append(d.Operands, raw.WrapAttribute(c, capi.MlirLLVMMDNodeAttrGetOperand(t, h, i)))
		}
		return d, true
	}
	return nil, false
}
