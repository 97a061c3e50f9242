package mlir

import "github.com/calliope-mlir/calliope/experimental/capi"

// A TypeKind identifies one of the builtin types.
type TypeKind int

const (
	KindOther TypeKind = iota // a type of another dialect
	KindInteger
	KindIndex
	KindFloat // Type.FloatKind returns the format
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

// Kind returns the kind of the type.
func (t Type) Kind() TypeKind {
	api := t.check("Type.Kind")
	for k, kind := range typeKinds {
		if kind.is != nil && kind.is(api, t.raw) {
			return TypeKind(k)
		}
	}
	return KindOther
}
