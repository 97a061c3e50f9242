package raw

import (
	"strings"
	"sync"

	"github.com/calliope-mlir/calliope/internal/capi"
	"github.com/calliope-mlir/calliope/mlir"
)

// kinds remembers which TypeID stands for which kind: the C API has no predicate for
// many of them, and comparing a TypeID is cheaper than printing. Only kinds that were
// asked for and found are kept, so an address that a dialect defined at run time has
// left behind cannot pass for another one.
var kinds sync.Map // kindKey -> struct{}

type kindKey struct {
	id   capi.MlirTypeID
	name string
}

// IsType reports whether t is of the kind that is printed under this name, for
// example "!llvm.array". A zero type is of no kind.
func IsType(t mlir.Type, name string) bool {
	if t.IsNil() {
		return false
	}
	c, h := UnwrapType(t, "Type.Is")
	id := capi.MlirTypeGetTypeID(Table(c), h)
	return isKind(kindKey{id, name}, t.String)
}

// IsAttribute reports whether a is of the kind that is printed under this name, for
// example "#llvm.di_file". A zero attribute is of no kind.
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
