package llvm

import (
	"fmt"

	"github.com/calliope-mlir/calliope/experimental/capi"
	"github.com/calliope-mlir/calliope/internal/ir/raw"
	"github.com/calliope-mlir/calliope/mlir"
)

// DIFile is #llvm.di_file<"Name" in "Directory">.
type DIFile struct{ Name, Directory string }

// Attribute returns the attribute.
func (d DIFile) Attribute(c *mlir.Context) (mlir.Attribute, error) {
	m := newMaker(c, "DIFile", "mlirLLVMDIFileAttrGet")
	return m.make(func(ctx capi.MlirContext) capi.MlirAttribute {
		return capi.MlirLLVMDIFileAttrGet(m.api, ctx, raw.Attribute(c.StringAttribute(d.Name)),
			raw.Attribute(c.StringAttribute(d.Directory)))
	})
}

// EmissionKind is the amount of debug information of a compile unit.
type EmissionKind int

const (
	EmitNone EmissionKind = iota
	EmitFull
	EmitLineTablesOnly
	EmitDebugDirectivesOnly
)

// NameTable is the kind of accelerator tables of names of a compile unit.
type NameTable int

const (
	NameTableDefault NameTable = iota
	NameTableGNU
	NameTableNone
	NameTableApple
)

// DICompileUnit is #llvm.di_compile_unit<…>.
type DICompileUnit struct {
	ID                 mlir.Attribute // required: distinct[…]<>
	SourceLanguage     int            // DW_LANG_…
	File               mlir.Attribute // required
	Producer           string
	IsOptimized        bool
	Emission           EmissionKind
	NameTable          NameTable
	SplitDebugFilename string // since LLVM 22
}

// Attribute returns the attribute. The library must state its release of LLVM.
func (d DICompileUnit) Attribute(c *mlir.Context) (mlir.Attribute, error) {
	m := newMaker(c, "DICompileUnit", "mlirLLVMDICompileUnitAttrGet")
	id, file := m.required("ID", d.ID, distinctKind), m.required("File", d.File, fileKind)
	language, producer, split := m.number("SourceLanguage", d.SourceLanguage), m.text(d.Producer),
		m.text(d.SplitDebugFilename)
	if m.err == nil && (d.Emission < EmitNone || d.Emission > EmitDebugDirectivesOnly ||
		d.NameTable < NameTableDefault || d.NameTable > NameTableApple) {
		m.err = fmt.Errorf("llvm: a compile unit cannot have emission kind %d and name table %d: use the constants",
			d.Emission, d.NameTable)
	}
	old := isRelease19(c)
	if m.err == nil && old && d.SplitDebugFilename != "" {
		m.err = fmt.Errorf("llvm: %s is older than DICompileUnit.SplitDebugFilename: %w", c.Library().Path(),
			mlir.ErrUnsupported)
	}
	emission, names := capi.MlirLLVMDIEmissionKind(d.Emission), capi.MlirLLVMDINameTableKind(d.NameTable)
	return m.make(func(ctx capi.MlirContext) capi.MlirAttribute {
		if old {
			return capi.MlirLLVMDICompileUnitAttrGet_19(m.api, ctx, id, language, file, producer, d.IsOptimized,
				emission, names)
		}
		if m.since(23) {
			return capi.MlirLLVMDICompileUnitAttrGet_23(m.api, ctx, capi.MlirAttribute{}, false, id, language, file,
				producer, d.IsOptimized, emission, false, names, split, 0, nil)
		}
		return capi.MlirLLVMDICompileUnitAttrGet_22(m.api, ctx, id, language, file, producer, d.IsOptimized, emission,
			names, split)
	})
}

// DILexicalBlock is #llvm.di_lexical_block<…>.
type DILexicalBlock struct {
	Scope        mlir.Attribute // required
	File         mlir.Attribute
	Line, Column int
}

// Attribute returns the attribute.
func (d DILexicalBlock) Attribute(c *mlir.Context) (mlir.Attribute, error) {
	m := newMaker(c, "DILexicalBlock", "mlirLLVMDILexicalBlockAttrGet")
	scope, file := m.required("Scope", d.Scope, scopeKinds), m.field("File", d.File, fileKind)
	line, column := m.number("Line", d.Line), m.number("Column", d.Column)
	return m.make(func(ctx capi.MlirContext) capi.MlirAttribute {
		return capi.MlirLLVMDILexicalBlockAttrGet(m.api, ctx, scope, file, line, column)
	})
}

// DILexicalBlockFile is #llvm.di_lexical_block_file<…>.
type DILexicalBlockFile struct {
	Scope         mlir.Attribute // required
	File          mlir.Attribute
	Discriminator int
}

// Attribute returns the attribute.
func (d DILexicalBlockFile) Attribute(c *mlir.Context) (mlir.Attribute, error) {
	m := newMaker(c, "DILexicalBlockFile", "mlirLLVMDILexicalBlockFileAttrGet")
	scope, file := m.required("Scope", d.Scope, scopeKinds), m.field("File", d.File, fileKind)
	discriminator := m.number("Discriminator", d.Discriminator)
	return m.make(func(ctx capi.MlirContext) capi.MlirAttribute {
		return capi.MlirLLVMDILexicalBlockFileAttrGet(m.api, ctx, scope, file, discriminator)
	})
}

// DISubprogram is #llvm.di_subprogram<…>.
type DISubprogram struct {
	RecID         mlir.Attribute // distinct[…]<>, if nodes refer back to the subprogram; since LLVM 22
	IsRecSelf     bool           // since LLVM 22
	ID            mlir.Attribute // distinct[…]<>, if it is a definition
	CompileUnit   mlir.Attribute
	Scope         mlir.Attribute
	Name          string
	LinkageName   string
	File          mlir.Attribute
	Line          int
	ScopeLine     int
	Flags         uint64           // DISPFlag…
	Type          mlir.Attribute   // a subroutine type
	RetainedNodes []mlir.Attribute // since LLVM 22
	Annotations   []mlir.Attribute // since LLVM 22
}

// Attribute returns the attribute. The library must state its release of LLVM.
func (d DISubprogram) Attribute(c *mlir.Context) (mlir.Attribute, error) {
	m := newMaker(c, "DISubprogram", "mlirLLVMDISubprogramAttrGet")
	recID, id := m.recursion(d.RecID, d.IsRecSelf), m.field("ID", d.ID, distinctKind)
	unit, scope := m.field("CompileUnit", d.CompileUnit, unitKind), m.field("Scope", d.Scope, scopeKinds)
	name, linkage, file := m.text(d.Name), m.text(d.LinkageName), m.field("File", d.File, fileKind)
	line, scopeLine := m.number("Line", d.Line), m.number("ScopeLine", d.ScopeLine)
	typ := m.field("Type", d.Type, []string{"#llvm.di_subroutine_type"})
	retained := m.fields("RetainedNodes", d.RetainedNodes, nodeKinds)
	annotations := m.fields("Annotations", d.Annotations, []string{"#llvm.di_annotation"})
	old := isRelease19(c)
	if m.err == nil && old && (!d.RecID.IsNil() || len(retained)+len(annotations) > 0) {
		m.err = fmt.Errorf("llvm: %s is older than RecID, RetainedNodes and Annotations of DISubprogram: %w",
			c.Library().Path(), mlir.ErrUnsupported)
	}
	return m.make(func(ctx capi.MlirContext) capi.MlirAttribute {
		if old {
			return capi.MlirLLVMDISubprogramAttrGet_19(m.api, ctx, id, unit, scope, name, linkage, file, line,
				scopeLine, d.Flags, typ)
		}
		return capi.MlirLLVMDISubprogramAttrGet_22(m.api, ctx, recID, d.IsRecSelf, id, unit, scope, name, linkage, file,
			line, scopeLine,
			d.Flags, typ, len(retained), raw.First(retained), len(annotations), raw.First(annotations))
	})
}

// DISubprogramSelf returns the attribute that refers to the subprogram with this RecID
// from inside its nodes.
func DISubprogramSelf(recID mlir.Attribute) (mlir.Attribute, error) {
	return recSelf(recID, "DISubprogramSelf", "mlirLLVMDISubprogramAttrGetRecSelf",
		capi.MlirLLVMDISubprogramAttrGetRecSelf)
}

// ReadDISubprogram returns the fields of a subprogram that the C API can read:
// CompileUnit, Scope, File, Line, ScopeLine and Type.
func ReadDISubprogram(a mlir.Attribute) (DISubprogram, error) {
	const method, kind = "llvm.ReadDISubprogram", "#llvm.di_subprogram"
	var d DISubprogram
	var err error
	read := func(to *mlir.Attribute, function string, get func(*capi.Table, capi.MlirAttribute) capi.MlirAttribute) {
		if err == nil {
			*to, err = part(a, method, kind, function, get)
		}
	}
	read(&d.CompileUnit, "mlirLLVMDISubprogramAttrGetCompileUnit", capi.MlirLLVMDISubprogramAttrGetCompileUnit)
	read(&d.Scope, "mlirLLVMDISubprogramAttrGetScope", capi.MlirLLVMDISubprogramAttrGetScope)
	read(&d.File, "mlirLLVMDISubprogramAttrGetFile", capi.MlirLLVMDISubprogramAttrGetFile)
	read(&d.Type, "mlirLLVMDISubprogramAttrGetType", capi.MlirLLVMDISubprogramAttrGetType)
	if err != nil {
		return DISubprogram{}, err
	}
	c, h := raw.UnwrapAttribute(a, method)
	if err := raw.Need(c.Library(), "mlirLLVMDISubprogramAttrGetLine", "mlirLLVMDISubprogramAttrGetScopeLine"); err !=
		nil {
		return DISubprogram{}, err
	}
	d.Line = int(capi.MlirLLVMDISubprogramAttrGetLine(raw.Table(c), h))
	d.ScopeLine = int(capi.MlirLLVMDISubprogramAttrGetScopeLine(raw.Table(c), h))
	return d, nil
}

// DIModule is #llvm.di_module<…>.
type DIModule struct {
	File         mlir.Attribute
	Scope        mlir.Attribute
	Name         string
	ConfigMacros string
	IncludePath  string
	APINotes     string
	Line         int
	IsDecl       bool
}

// Attribute returns the attribute.
func (d DIModule) Attribute(c *mlir.Context) (mlir.Attribute, error) {
	m := newMaker(c, "DIModule", "mlirLLVMDIModuleAttrGet")
	file, scope, line := m.field("File", d.File, fileKind), m.field("Scope", d.Scope, scopeKinds),
		m.number("Line", d.Line)
	name, macros, include, notes := m.text(d.Name), m.text(d.ConfigMacros), m.text(d.IncludePath), m.text(d.APINotes)
	return m.make(func(ctx capi.MlirContext) capi.MlirAttribute {
		return capi.MlirLLVMDIModuleAttrGet(m.api, ctx, file, scope, name, macros, include, notes, line, d.IsDecl)
	})
}

// ModuleScope returns the scope of a module, or the zero Attribute if it has none.
func ModuleScope(a mlir.Attribute) (mlir.Attribute, error) {
	return part(a, "llvm.ModuleScope", "#llvm.di_module", "mlirLLVMDIModuleAttrGetScope",
		capi.MlirLLVMDIModuleAttrGetScope)
}

// DIImportedEntity is #llvm.di_imported_entity<…>.
type DIImportedEntity struct {
	Tag      int            // DW_TAG_imported_module is 0x3a, DW_TAG_imported_declaration 0x08
	Scope    mlir.Attribute // required
	Entity   mlir.Attribute // required
	File     mlir.Attribute
	Line     int
	Name     string
	Elements []mlir.Attribute
}

// Attribute returns the attribute.
func (d DIImportedEntity) Attribute(c *mlir.Context) (mlir.Attribute, error) {
	m := newMaker(c, "DIImportedEntity", "mlirLLVMDIImportedEntityAttrGet")
	tag, line, name := m.number("Tag", d.Tag), m.number("Line", d.Line), m.text(d.Name)
	scope, entity := m.required("Scope", d.Scope, scopeKinds), m.required("Entity", d.Entity, nodeKinds)
	file, elements := m.field("File", d.File, fileKind), m.fields("Elements", d.Elements, nodeKinds)
	return m.make(func(ctx capi.MlirContext) capi.MlirAttribute {
		return capi.MlirLLVMDIImportedEntityAttrGet(m.api, ctx, tag, scope, entity, file, line, name, len(elements),
			raw.First(elements))
	})
}
