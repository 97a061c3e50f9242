package mlir

import "github.com/calliope-mlir/calliope/internal/capi"

// TypeKind is which of the builtin types a type is.
type TypeKind int

const (
	KindOther TypeKind = iota // a type of another dialect
	KindInteger
	KindIndex
	KindFloat // FloatKind says which
	KindNone
	KindComplex
	KindVector
	KindRankedTensor
	KindUnrankedTensor
	KindMemRef
	KindUnrankedMemRef
	KindTuple
	KindFunction
	KindOpaque
)

var typeKinds = [...]struct {
	name string
	is   func(*capi.Table, capi.MlirType) bool
}{
	KindOther:          {name: "other"},
	KindInteger:        {"integer", capi.MlirTypeIsAInteger},
	KindIndex:          {"index", capi.MlirTypeIsAIndex},
	KindFloat:          {"float", capi.MlirTypeIsAFloat},
	KindNone:           {"none", capi.MlirTypeIsANone},
	KindComplex:        {"complex", capi.MlirTypeIsAComplex},
	KindVector:         {"vector", capi.MlirTypeIsAVector},
	KindRankedTensor:   {"ranked tensor", capi.MlirTypeIsARankedTensor},
	KindUnrankedTensor: {"unranked tensor", capi.MlirTypeIsAUnrankedTensor},
	KindMemRef:         {"memref", capi.MlirTypeIsAMemRef},
	KindUnrankedMemRef: {"unranked memref", capi.MlirTypeIsAUnrankedMemRef},
	KindTuple:          {"tuple", capi.MlirTypeIsATuple},
	KindFunction:       {"function", capi.MlirTypeIsAFunction},
	KindOpaque:         {"opaque", capi.MlirTypeIsAOpaque},
}

func (k TypeKind) String() string {
	if k < 0 || int(k) >= len(typeKinds) {
		return "unknown type kind"
	}
	return typeKinds[k].name
}

// Kind is which of the builtin types t is.
func (t Type) Kind() TypeKind {
	api := t.check("Type.Kind")
	for k, kind := range typeKinds {
		if kind.is != nil && kind.is(api, t.raw) {
			return TypeKind(k)
		}
	}
	return KindOther
}
