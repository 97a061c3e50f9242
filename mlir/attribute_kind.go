package mlir

import "github.com/calliope-mlir/calliope/experimental/capi"

// An AttributeKind identifies one of the builtin attributes.
type AttributeKind int

const (
	AttrOther AttributeKind = iota // an attribute of another dialect
	AttrUnit
	AttrBool // true or false: an integer attribute of type i1
	AttrInteger
	AttrFloat
	AttrString
	AttrType
	AttrArray
	AttrDictionary
	AttrSymbol       // @a
	AttrNestedSymbol // @a::@b
	AttrDenseElements
	AttrResource
	AttrSparseElements
	AttrDenseArray // array<i64: …> and similar
	AttrAffineMap
	AttrIntegerSet
	AttrStridedLayout
	AttrLocation
	AttrOpaque
)

var attributeKinds = [...]struct {
	name string
	is   func(*capi.Table, capi.MlirAttribute) bool
}{
	AttrOther:          {name: "other"},
	AttrUnit:           {"unit", capi.MlirAttributeIsAUnit},
	AttrBool:           {"bool", capi.MlirAttributeIsABool},
	AttrInteger:        {"integer", capi.MlirAttributeIsAInteger},
	AttrFloat:          {"float", capi.MlirAttributeIsAFloat},
	AttrString:         {"string", capi.MlirAttributeIsAString},
	AttrType:           {"type", capi.MlirAttributeIsAType},
	AttrArray:          {"array", capi.MlirAttributeIsAArray},
	AttrDictionary:     {"dictionary", capi.MlirAttributeIsADictionary},
	AttrSymbol:         {"symbol reference", capi.MlirAttributeIsAFlatSymbolRef},
	AttrNestedSymbol:   {"nested symbol reference", capi.MlirAttributeIsASymbolRef},
	AttrDenseElements:  {"dense elements", capi.MlirAttributeIsADenseElements},
	AttrResource:       {"dense resource elements", capi.MlirAttributeIsADenseResourceElements},
	AttrSparseElements: {"sparse elements", capi.MlirAttributeIsASparseElements},
	AttrDenseArray:     {"dense array", isDenseArray},
	AttrAffineMap:      {"affine map", capi.MlirAttributeIsAAffineMap},
	AttrIntegerSet:     {"integer set", capi.MlirAttributeIsAIntegerSet},
	AttrStridedLayout:  {"strided layout", capi.MlirAttributeIsAStridedLayout},
	AttrLocation:       {"location", capi.MlirAttributeIsALocation},
	AttrOpaque:         {"opaque", capi.MlirAttributeIsAOpaque},
}

func (k AttributeKind) String() string {
	if k < 0 || int(k) >= len(attributeKinds) {
		return "unknown attribute kind"
	}
	return attributeKinds[k].name
}

// Kind returns the kind of the attribute.
func (a Attribute) Kind() AttributeKind {
	api := a.check("Attribute.Kind")
	for k, kind := range attributeKinds {
		if kind.is != nil && kind.is(api, a.raw) {
			return AttributeKind(k)
		}
	}
	return AttrOther
}
