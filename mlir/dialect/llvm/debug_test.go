package llvm_test

import (
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/mlir/dialect/llvm"
)

// maker is the method of every struct of debug information.
type maker interface {
	Attribute(*mlir.Context) (mlir.Attribute, error)
}

// changed reports whether the C function has another prototype in libraries after LLVM 22.
func changed(m maker) bool {
	switch m.(type) {
	case llvm.DIDerivedType, llvm.DIStringType:
		return true
	}
	return false
}

func TestDebugAttributes(t *testing.T) {
	mlirtest.EachContext(t, func(t *testing.T, c *mlir.Context) {
		file := check.Must(llvm.DIFile{Name: "a.go", Directory: "/src"}.Attribute(c))
		i32 := check.Must(llvm.DIBasicType{Tag: 0x24, Name: "int", SizeInBits: 32, Encoding: 5}.Attribute(c))
		null := check.Must(llvm.DINullType(c))
		const fileText, intText = `#llvm.di_file<"a.go" in "/src">`,
			`#llvm.di_basic_type<tag = DW_TAG_base_type, name = "int", sizeInBits = 32, encoding = DW_ATE_signed>`
		space := 3
		tests := []struct {
			make maker
			want string
		}{
			{llvm.DIFile{Name: "a.go", Directory: "/src"}, fileText},
			{llvm.DIBasicType{Tag: 0x24, Name: "int", SizeInBits: 32, Encoding: 5}, intText},
			{llvm.DISubroutineType{}, "#llvm.di_subroutine_type<>"},
			{llvm.DISubroutineType{CallingConvention: 1, Types: []mlir.Attribute{null, i32}},
				"#llvm.di_subroutine_type<callingConvention = DW_CC_normal, types = #llvm.di_null_type, " + intText + ">"},
			{llvm.DIStringType{Tag: 0x12, Name: "s", SizeInBits: 8, AlignInBits: 8, Encoding: 8},
				`#llvm.di_string_type<tag = DW_TAG_string_type, name = "s", sizeInBits = 8, alignInBits = 8, encoding = DW_ATE_unsigned_char>`},
			{llvm.DILexicalBlock{Scope: file, File: file, Line: 1, Column: 2},
				"#llvm.di_lexical_block<scope = " + fileText + ", file = " + fileText + ", line = 1, column = 2>"},
			{llvm.DILexicalBlockFile{Scope: file, Discriminator: 7},
				"#llvm.di_lexical_block_file<scope = " + fileText + ", discriminator = 7>"},
			{llvm.DIModule{Name: "m", Scope: file, IncludePath: "/i", ConfigMacros: "-D", APINotes: "n", Line: 3,
				IsDecl: true},
				"#llvm.di_module<scope = " + fileText + `, name = "m", configMacros = "-D", includePath = "/i", apinotes = "n", line = 3, isDecl = true>`},
			{llvm.DIImportedEntity{Tag: 8, Scope: file, Entity: i32, Line: 4, Name: "e",
				Elements: []mlir.Attribute{file}},
				"#llvm.di_imported_entity<tag = DW_TAG_imported_declaration, scope = " + fileText + ", entity = " +
					intText +
					`, line = 4, name = "e", elements = ` + fileText + ">"},
			{llvm.DIAnnotation{Name: "n", Value: "v"}, `#llvm.di_annotation<name = "n", value = "v">`},
			{llvm.DIDerivedType{Tag: 0xf, Name: "p", BaseType: i32, SizeInBits: 64, AlignInBits: 64,
				AddressSpace: &space},
				`#llvm.di_derived_type<tag = DW_TAG_pointer_type, name = "p", baseType = ` + intText +
					", sizeInBits = 64, alignInBits = 64, dwarfAddressSpace = 3>"},
			{llvm.DIDerivedType{Tag: 0xd, OffsetInBits: 8, ExtraData: i32},
				"#llvm.di_derived_type<tag = DW_TAG_member, offsetInBits = 8, extraData = " + intText + ">"},
		}
		for _, test := range tests {
			a, err := test.make.Attribute(c)
			if changed(test.make) && strings.Contains(t.Name(), "IREE") { // it states no release
				mlirtest.Unsupported(t, err)
				check.Error(t, err, "does not state its release of LLVM")
				continue
			}
			if err != nil {
				t.Errorf("%#v: %v", test.make, err)
				continue
			}
			// MLIR omits the attribute's name in a field of type file.
			check.Diff(t, "the text", mlirtest.Attribute(c, test.want).String(), a.String())
		}
		check.Diff(t, "the null type", "#llvm.di_null_type", null.String())
		check.Diff(t, "an expression", "#llvm.di_expression<[DW_OP_plus_uconst(8), DW_OP_deref]>",
			check.Must(llvm.DIExpression(c, llvm.DIExpressionElem{Opcode: 0x23, Arguments: []uint64{8}},
				llvm.DIExpressionElem{Opcode: 6})).String())
		check.Diff(t, "no expression", "#llvm.di_expression<>", check.Must(llvm.DIExpression(c)).String())
		check.Diff(t, "flags", "32768 : i32", check.Must(llvm.DIFlags(c, 1<<15)).String())

		module := check.Must(llvm.DIModule{Scope: file}.Attribute(c))
		check.Diff(t, "the scope", true, check.Must(llvm.ModuleScope(module)).Equal(file))
		alone := check.Must(llvm.DIModule{}.Attribute(c))
		check.Diff(t, "no scope", true, check.Must(llvm.ModuleScope(alone)).IsNil())
		derived := mlirtest.Attribute(c, "#llvm.di_derived_type<tag = DW_TAG_pointer_type, baseType = "+intText+">")
		check.Diff(t, "the base type", true, check.Must(llvm.DerivedBaseType(derived)).Equal(i32))
		bare := mlirtest.Attribute(c, "#llvm.di_derived_type<tag = DW_TAG_pointer_type>")
		check.Diff(t, "no base type", true, check.Must(llvm.DerivedBaseType(bare)).IsNil())
	})
}

// TestVersionedDebugAttributes checks that attributes whose C functions changed can be made
// if the release is known, and are an error otherwise.
func TestVersionedDebugAttributes(t *testing.T) {
	mlirtest.EachContext(t, func(t *testing.T, c *mlir.Context) {
		file := check.Must(llvm.DIFile{Name: "a.go", Directory: "/src"}.Attribute(c))
		fileText, in := file.String(), `<"a.go" in "/src">` // MLIR omits the name in a field of this type
		id := mlirtest.Attribute(c, "distinct[0]<>")
		rec := mlirtest.Attribute(c, "distinct[1]<>")
		tests := []struct {
			function, want string
			make           maker
		}{
			{"mlirLLVMDICompileUnitAttrGet",
				"#llvm.di_compile_unit<id = distinct[0]<>, sourceLanguage = DW_LANG_Go, file = " + in +
					`, producer = "p", isOptimized = true, emissionKind = Full, nameTableKind = GNU, splitDebugFilename = "s">`,
				llvm.DICompileUnit{ID: id, SourceLanguage: 0x16, File: file, Producer: "p", IsOptimized: true,
					Emission: llvm.EmitFull, NameTable: llvm.NameTableGNU, SplitDebugFilename: "s"}},
			{"mlirLLVMDILocalVariableAttrGet", "#llvm.di_local_variable<scope = " + fileText +
				`, name = "v", file = ` + in + ", line = 2, arg = 1, alignInBits = 8, flags = Artificial>",
				llvm.DILocalVariable{Scope: file, Name: "v", File: file, Line: 2, Arg: 1, AlignInBits: 8, Flags: 64}},
			{"mlirLLVMDISubprogramAttrGet", "#llvm.di_subprogram<recId = distinct[0]<>, scope = " + fileText +
				`, name = "f", linkageName = "_f", file = ` + in +
				`, line = 3, scopeLine = 4, subprogramFlags = Definition, retainedNodes = ` + fileText +
				`, annotations = #llvm.di_annotation<name = "k", value = "w">>`,
				llvm.DISubprogram{RecID: rec, Scope: file, Name: "f", LinkageName: "_f", File: file, Line: 3,
					ScopeLine: 4, Flags: 8,
					RetainedNodes: []mlir.Attribute{file},
					Annotations: []mlir.Attribute{
						mlirtest.Attribute(c, `#llvm.di_annotation<name = "k", value = "w">`)}}},
			{"mlirLLVMDICompositeTypeAttrGet", "#llvm.di_composite_type<recId = distinct[0]<>, tag = DW_TAG_structure_type, name = \"n\", file = " + in +
				", line = 5, scope = " + fileText + ", flags = Vector, sizeInBits = 64, alignInBits = 32, elements = #llvm.di_composite_type<recId = distinct[0]<>, isRecSelf = true>>",
				llvm.DICompositeType{RecID: rec, Tag: 0x13, Name: "n", File: file, Line: 5, Scope: file, Flags: 1 << 11,
					SizeInBits: 64, AlignInBits: 32,
					Elements: []mlir.Attribute{self(t, c, rec)}}},
		}
		for _, test := range tests {
			a, err := test.make.Attribute(c)
			if mlirtest.Supported(t, c.Library(), err, test.function) {
				// Later libraries have brackets.
				check.Diff(t, "the text", test.want, strings.ReplaceAll(a.String(), "["+fileText+"]", fileText))
			}
		}
		s, err := llvm.DISubprogramSelf(rec)
		if mlirtest.Supported(t, c.Library(), err, "mlirLLVMDISubprogramAttrGetRecSelf") {
			check.Diff(t, "the subprogram itself", "#llvm.di_subprogram<recId = distinct[0]<>, isRecSelf = true>",
				s.String())
		}
	})
}

// self returns a composite type's reference to itself, or the file if the library lacks it.
func self(t *testing.T, c *mlir.Context, rec mlir.Attribute) mlir.Attribute {
	a, err := llvm.DICompositeTypeSelf(rec)
	if !mlirtest.Supported(t, c.Library(), err, "mlirLLVMDICompositeTypeAttrGetRecSelf") {
		return check.Must(llvm.DIFile{}.Attribute(c))
	}
	return a
}

func TestReadSubprogram(t *testing.T) {
	mlirtest.EachContext(t, func(t *testing.T, c *mlir.Context) {
		got := check.Must(llvm.ReadDISubprogram(mlirtest.Attribute(c,
			`#llvm.di_subprogram<scope = #llvm.di_file<"a" in "b">, name = "f", file = #llvm.di_file<"c" in "d">, line = 3, scopeLine = 4, subprogramFlags = Definition, type = #llvm.di_subroutine_type<>>`)))
		check.Diff(t, "the lines", [2]int{3, 4}, [2]int{got.Line, got.ScopeLine})
		check.Diff(t, "the parts", []string{"<nil attribute>", `#llvm.di_file<"a" in "b">`, `#llvm.di_file<"c" in "d">`,
			"#llvm.di_subroutine_type<>"},
			[]string{got.CompileUnit.String(), got.Scope.String(), got.File.String(), got.Type.String()})
		_, err := llvm.ReadDISubprogram(c.UnitAttribute())
		check.Error(t, err, "unit is not #llvm.di_subprogram")
		_, err = llvm.ModuleScope(c.UnitAttribute())
		check.Error(t, err, "unit is not #llvm.di_module")
		check.Panics(t, "called on a zero value", func() { llvm.DerivedBaseType(mlir.Attribute{}) })
	})
}

// TestWrongFields sets fields to attributes of wrong kinds, which the C functions accept.
func TestWrongFields(t *testing.T) {
	mlirtest.EachContext(t, func(t *testing.T, c *mlir.Context) {
		unit := c.UnitAttribute()
		file := check.Must(llvm.DIFile{}.Attribute(c))
		list := []mlir.Attribute{unit}
		tests := []struct {
			make maker
			want string
		}{
			{llvm.DICompositeType{RecID: file}, "RecID cannot be #llvm.di_file"},
			{llvm.DICompositeType{IsRecSelf: true}, ".RecID is missing"},
			{llvm.DICompositeType{File: unit}, "File cannot be unit"},
			{llvm.DICompositeType{Scope: unit}, "Scope cannot be unit"},
			{llvm.DICompositeType{BaseType: file}, "BaseType cannot be #llvm.di_file"},
			{llvm.DICompositeType{Elements: list}, "Elements cannot be unit"},
			{llvm.DICompositeType{Elements: []mlir.Attribute{{}}}, ".Elements is missing"},
			{llvm.DICompositeType{Rank: file}, "Rank cannot be"},
			{llvm.DICompositeType{DataLocation: file}, "DataLocation cannot be"},
			{llvm.DICompositeType{Allocated: file}, "Allocated cannot be"},
			{llvm.DICompositeType{Associated: file}, "Associated cannot be"},
			{llvm.DICompositeType{Tag: -1}, "Tag cannot be -1"},
			{llvm.DIBasicType{Tag: 1 << 32}, "Tag cannot be 4294967296"},
			{llvm.DIDerivedType{BaseType: unit}, "BaseType cannot be unit"},
			{llvm.DIDerivedType{ExtraData: unit}, "ExtraData cannot be unit"},
			{llvm.DIStringType{StringLength: file}, "StringLength cannot be"},
			{llvm.DIStringType{StringLengthExp: file}, "StringLengthExp cannot be"},
			{llvm.DIStringType{StringLocationExp: file}, "StringLocationExp cannot be"},
			{llvm.DISubroutineType{Types: []mlir.Attribute{file}}, "Types cannot be"},
			{llvm.DICompileUnit{File: file}, ".ID is missing"},
			{llvm.DICompileUnit{ID: mlirtest.Attribute(c, "distinct[0]<>")}, ".File is missing"},
			{llvm.DICompileUnit{ID: mlirtest.Attribute(c, "distinct[0]<>"), File: file, Emission: 9},
				"cannot have emission kind 9"},
			{llvm.DILexicalBlock{}, ".Scope is missing"},
			{llvm.DILexicalBlock{Scope: unit}, "Scope cannot be unit"},
			{llvm.DILexicalBlock{Scope: file, Line: -3}, "Line cannot be -3"},
			{llvm.DILexicalBlockFile{}, ".Scope is missing"},
			{llvm.DILocalVariable{}, ".Scope is missing"},
			{llvm.DILocalVariable{Scope: file, Type: file}, "Type cannot be"},
			{llvm.DISubprogram{ID: file}, "ID cannot be"},
			{llvm.DISubprogram{CompileUnit: file}, "CompileUnit cannot be"},
			{llvm.DISubprogram{Type: file}, "Type cannot be"},
			{llvm.DISubprogram{RetainedNodes: list}, "RetainedNodes cannot be unit"},
			{llvm.DISubprogram{Annotations: list}, "Annotations cannot be unit"},
			{llvm.DIModule{File: unit}, "File cannot be unit"},
			{llvm.DIModule{Scope: unit}, "Scope cannot be unit"},
			{llvm.DIImportedEntity{}, ".Scope is missing"},
			{llvm.DIImportedEntity{Scope: file}, ".Entity is missing"},
			{llvm.DIImportedEntity{Scope: file, Entity: unit}, "Entity cannot be unit"},
		}
		for _, test := range tests {
			_, err := test.make.Attribute(c)
			switch test.make.(type) {
			case llvm.DICompositeType, llvm.DICompileUnit, llvm.DILocalVariable, llvm.DISubprogram, llvm.DIDerivedType,
				llvm.DIStringType:
				if !c.Library().Has("mlirLLVMDISubprogramAttrGet") && err != nil &&
					!strings.Contains(err.Error(), test.want) {
					mlirtest.Unsupported(t, err)
					continue
				}
			}
			check.Error(t, err, test.want)
		}
		_, err := llvm.DIExpression(c, llvm.DIExpressionElem{Opcode: -1})
		check.Error(t, err, "Opcode cannot be -1")
		_, err = llvm.DISubprogramSelf(unit)
		if c.Library().Has("mlirLLVMDISubprogramAttrGetRecSelf") {
			check.Error(t, err, "RecID cannot be unit")
		} else {
			mlirtest.Unsupported(t, err)
		}
		other := mlirtest.ContextOf(t, c.Library())
		check.Panics(t, "an attribute of another context", func() { llvm.DILexicalBlock{Scope: file}.Attribute(other) })
	})
}
