package llvm

import (
	"fmt"

	"github.com/calliope-mlir/calliope/experimental/capi"
	"github.com/calliope-mlir/calliope/internal/ir/raw"
	"github.com/calliope-mlir/calliope/mlir"
)

// A DIExpressionElem is one operation of an expression.
type DIExpressionElem struct {
	Opcode    int // DW_OP_…
	Arguments []uint64
}

// DIExpression returns #llvm.di_expression<[…]>.
func DIExpression(c *mlir.Context, elements ...DIExpressionElem) (mlir.Attribute, error) {
	m := newMaker(c, "DIExpression", "mlirLLVMDIExpressionAttrGet")
	if m.err == nil {
		m.err = raw.Need(c.Library(), "mlirLLVMDIExpressionElemAttrGet")
	}
	list := make([]capi.MlirAttribute, len(elements))
	for i, e := range elements {
		opcode := m.number("Opcode", e.Opcode)
		if m.err != nil {
			break
		}
		list[i] = capi.MlirLLVMDIExpressionElemAttrGet(m.api, raw.Context(c), opcode, len(e.Arguments),
			raw.First(e.Arguments))
	}
	return m.make(func(ctx capi.MlirContext) capi.MlirAttribute {
		return capi.MlirLLVMDIExpressionAttrGet(m.api, ctx, len(list), raw.First(list))
	})
}

// DILocalVariable is #llvm.di_local_variable<…>.
type DILocalVariable struct {
	Scope       mlir.Attribute // required
	Name        string
	File        mlir.Attribute
	Line        int
	Arg         int // number of a parameter from 1, or 0 for a variable
	AlignInBits int
	Type        mlir.Attribute
	Flags       int64 // since LLVM 22
}

// Attribute returns the attribute. The library must state its release of LLVM.
func (d DILocalVariable) Attribute(c *mlir.Context) (mlir.Attribute, error) {
	m := newMaker(c, "DILocalVariable", "mlirLLVMDILocalVariableAttrGet")
	scope, file := m.required("Scope", d.Scope, scopeKinds), m.field("File", d.File, fileKind)
	name, typ := m.text(d.Name), m.field("Type", d.Type, typeKinds)
	line, arg, align := m.number("Line", d.Line), m.number("Arg", d.Arg), m.number("AlignInBits", d.AlignInBits)
	old := isRelease19(c)
	if m.err == nil && old && d.Flags != 0 {
		m.err = fmt.Errorf("llvm: %s is older than DILocalVariable.Flags: %w", c.Library().Path(), mlir.ErrUnsupported)
	}
	return m.make(func(ctx capi.MlirContext) capi.MlirAttribute {
		if old {
			return capi.MlirLLVMDILocalVariableAttrGet_19(m.api, ctx, scope, name, file, line, arg, align, typ)
		}
		return capi.MlirLLVMDILocalVariableAttrGet_22(m.api, ctx, scope, name, file, line, arg, align, typ, d.Flags)
	})
}

// DIAnnotation is #llvm.di_annotation<name = "Name", value = "Value">.
type DIAnnotation struct{ Name, Value string }

// Attribute returns the attribute.
func (d DIAnnotation) Attribute(c *mlir.Context) (mlir.Attribute, error) {
	m := newMaker(c, "DIAnnotation", "mlirLLVMDIAnnotationAttrGet")
	return m.make(func(ctx capi.MlirContext) capi.MlirAttribute {
		return capi.MlirLLVMDIAnnotationAttrGet(m.api, ctx, raw.Attribute(c.StringAttribute(d.Name)),
			raw.Attribute(c.StringAttribute(d.Value)))
	})
}

// DIFlags returns LLVM's debug info flags as an attribute.
func DIFlags(c *mlir.Context, flags uint32) (mlir.Attribute, error) {
	m := newMaker(c, "DIFlags", "mlirLLVMDIFlagsAttrGet")
	return m.make(func(ctx capi.MlirContext) capi.MlirAttribute {
		return capi.MlirLLVMDIFlagsAttrGet(m.api, ctx, uint64(flags))
	})
}
