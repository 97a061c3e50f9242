package raw

import (
	"strings"
	"sync"

	"github.com/calliope-mlir/calliope/experimental/capi"
	"github.com/calliope-mlir/calliope/mlir"
)

// kinds caches the kinds of TypeIDs. The C API has no predicate for many kinds, and
// comparing a TypeID is cheaper than printing. Only positive results are cached, so a
// TypeID of a dialect that is defined at run time cannot be mistaken for another one after
// its address is reused.
var kinds sync.Map // kindKey -> struct{}

type kindKey struct {
	id   capi.MlirTypeID
	name string
}

// IsType reports whether t is of the kind that prints with this name, for example
// "!llvm.array". It returns false for the zero Type.
func IsType(t mlir.Type, name string) bool {
	if t.IsNil() {
		return false
	}
	c, h := UnwrapType(t, "Type.Is")
	id := capi.MlirTypeGetTypeID(Table(c), h)
	return isKind(kindKey{id, name}, t.String)
}

// IsAttribute reports whether a is of the kind that prints with this name, for example
// "#llvm.di_file". It returns false for the zero Attribute.
func IsAttribute(a mlir.Attribute, name string) bool {
	if a.IsNil() {
		return false
	}
	c, h := UnwrapAttribute(a, "Attribute.Is")
	id := capi.MlirAttributeGetTypeID(Table(c), h)
	return isKind(kindKey{id, name}, a.String)
}

func isKind(key kindKey, text func() string) bool {
	if _, known := kinds.Load(key); known {
		return true
	}
	rest, ok := strings.CutPrefix(text(), key.name)
	if !ok || rest != "" && isNameByte(rest[0]) {
		return false
	}
	kinds.Store(key, struct{}{})
	return true
}

func isNameByte(b byte) bool {
	return b == '_' || b == '.' || b == '$' ||
		'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z' || '0' <= b && b <= '9'
}
