package llvm

import (
	"fmt"

	"github.com/calliope-mlir/calliope/experimental/capi"
	"github.com/calliope-mlir/calliope/internal/ir/raw"
	"github.com/calliope-mlir/calliope/mlir"
)

// Debug information. Tags, languages, encodings, operations and flags are the numbers
// of the DWARF standard and of LLVM's DIFlags and DISPFlags. In the structs that follow
// an attribute is optional unless its comment says that it is required. A zero attribute is
// left out.

// The kinds that fields may have, by the names that MLIR prints.
var (
	fileKind       = []string{"#llvm.di_file"}
	unitKind       = []string{"#llvm.di_compile_unit"}
	expressionKind = []string{"#llvm.di_expression"}
	variableKinds  = []string{"#llvm.di_local_variable", "#llvm.di_global_variable"}
	typeKinds      = []string{"#llvm.di_null_type", "#llvm.di_basic_type", "#llvm.di_composite_type",
		"#llvm.di_derived_type", "#llvm.di_string_type", "#llvm.di_subroutine_type"}
	scopeKinds = []string{"#llvm.di_compile_unit", "#llvm.di_file", "#llvm.di_subprogram", "#llvm.di_lexical_block",
		"#llvm.di_lexical_block_file", "#llvm.di_module", "#llvm.di_namespace", "#llvm.di_composite_type",
		"#llvm.di_common_block"}
	nodeKinds = append(
		append(append([]string{"#llvm.di_annotation", "#llvm.di_generic_subrange", "#llvm.di_imported_entity",
			"#llvm.di_label", "#llvm.di_subrange"}, variableKinds...), typeKinds...), scopeKinds...)
	distinctKind = []string{"distinct"}
)

// maker checks the fields of one attribute, because its C function casts them without
// checks. It keeps the first error.
type maker struct {
	c    *mlir.Context
	api  *capi.Table
	what string // the Go type, for errors
	err  error

	function string
}

// since reports whether the C function has the prototype that it has since a release of LLVM.
func (m *maker) since(release int) bool { return m.api.HasOf(m.function, release) }

func newMaker(c *mlir.Context, what, function string) *maker {
	m := &maker{c: c, what: what, function: function}
	m.api, m.err = raw.Load(c, dialect, function)
	return m
}

// field returns the C handle of an optional attribute.
func (m *maker) field(name string, a mlir.Attribute, kinds []string) capi.MlirAttribute {
	if a.IsNil() {
		return capi.MlirAttribute{}
	}
	h := raw.AttributeIn(a, m.c, "llvm."+m.what+".Attribute")
	if m.err == nil && !oneOf(a, kinds) {
		m.err = fmt.Errorf("llvm: %s.%s cannot be %s", m.what, name, a)
	}
	return h
}

// required returns the C handle of a required attribute.
func (m *maker) required(name string, a mlir.Attribute, kinds []string) capi.MlirAttribute {
	if a.IsNil() && m.err == nil {
		m.err = fmt.Errorf("llvm: %s.%s is missing", m.what, name)
	}
	return m.field(name, a, kinds)
}

func (m *maker) fields(name string, list []mlir.Attribute, kinds []string) []capi.MlirAttribute {
	out := make([]capi.MlirAttribute, len(list))
	for i, a := range list {
		out[i] = m.required(name, a, kinds)
	}
	return out
}

// text returns a string attribute, or null if the string is empty.
func (m *maker) text(s string) capi.MlirAttribute {
	if s == "" {
		return capi.MlirAttribute{}
	}
	return raw.Attribute(m.c.StringAttribute(s))
}

// recursion returns the RecID of a node. It is required if the node is a RecSelf.
func (m *maker) recursion(id mlir.Attribute, self bool) capi.MlirAttribute {
	if self {
		return m.required("RecID", id, distinctKind)
	}
	return m.field("RecID", id, distinctKind)
}

func (m *maker) number(name string, v int) uint32 {
	if m.err == nil && (v < 0 || int(uint32(v)) != v) {
		m.err = fmt.Errorf("llvm: %s.%s cannot be %d: it must fit into a uint32", m.what, name, v)
	}
	return uint32(v)
}

// make calls the C function if there was no error.
func (m *maker) make(call func(ctx capi.MlirContext) capi.MlirAttribute) (mlir.Attribute, error) {
	if m.err != nil {
		return mlir.Attribute{}, m.err
	}
	a := raw.WrapAttribute(m.c, call(raw.Context(m.c)))
	if a.IsNil() {
		return a, raw.Failure(m.c, "making llvm."+m.what)
	}
	return a, nil
}

func oneOf(a mlir.Attribute, kinds []string) bool {
	for _, k := range kinds {
		if raw.IsAttribute(a, k) {
			return true
		}
	}
	return false
}
