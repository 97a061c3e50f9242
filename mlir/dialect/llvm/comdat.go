package llvm

import (
	"github.com/calliope-mlir/calliope/internal/ir/ods"
	"github.com/calliope-mlir/calliope/mlir"
)

// Comdat is how the linker merges several sections of the same name. The zero value is no case.
type Comdat int

const (
	ComdatAny Comdat = iota + 1
	ComdatExactMatch
	ComdatLargest
	ComdatNoDeduplicate
	ComdatSameSize
)

var comdatCases = ods.Enum{What: "Comdat",
	Text:  "#llvm<comdat %>",
	Cases: []string{"any", "exactmatch", "largest", "nodeduplicate", "samesize"},
}

// String returns the keyword of v.
func (v Comdat) String() string { return comdatCases.String(uint64(v)) }

// Attribute returns #llvm<comdat …>. If v is no case, the error lists the cases.
func (v Comdat) Attribute(c *mlir.Context) (mlir.Attribute, error) {
	return comdatCases.Attribute(c, uint64(v))
}

// ReadComdat returns a as a Comdat. It returns false if a is another attribute. AsComdat is for operations.
func ReadComdat(a mlir.Attribute) (Comdat, bool) {
	v, ok := comdatCases.Read(a)
	return Comdat(v), ok
}
