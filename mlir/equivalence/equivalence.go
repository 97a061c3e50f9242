// Package equivalence compares operations by what they are, not by which they are: two have the same name, attributes,
// types, locations and regions, and the same operands, where values that are defined in the regions correspond.
package equivalence

import (
	"github.com/calliope-mlir/calliope/experimental/capi"
	"github.com/calliope-mlir/calliope/internal/ir/raw"
	"github.com/calliope-mlir/calliope/mlir"
)

// Options are differences that do not count.
type Options struct {
	IgnoreLocations     bool
	IgnoreDiscardable   bool // attributes that are not part of the operation's definition
	IgnoreProperties    bool // attributes that are
	IgnoreCommutativity bool // the order of operands counts, even if the operation is commutative
}

func (o Options) flags() (flags uint32) {
	// The library's bits are in this order.
	for i, ignore := range []bool{o.IgnoreLocations, o.IgnoreDiscardable, o.IgnoreProperties, o.IgnoreCommutativity} {
		if ignore {
			flags |= 1 << i
		}
	}
	return flags
}

// Equal reports whether two operations of one context are equivalent. It returns an *mlir.UnsupportedError if the
// library cannot compare operations.
func Equal(a, b mlir.Operation, o Options) (bool, error) {
	const method = "equivalence.Equal"
	c, left := raw.UnwrapOperation(a, method)
	right := raw.OperationIn(b, c, method)
	if err := raw.Need(c.Library(), "mlirOperationIsStructurallyEquivalent"); err != nil {
		return false, err
	}
	return capi.MlirOperationIsStructurallyEquivalent(raw.Table(c), left, right, o.flags()), nil
}

// Hash returns a number that is the same for operations that are Equal with the same options. Regions do not contribute
// to it. It may differ from one run of the program to the next. Hash returns an *mlir.UnsupportedError if the library
// cannot compare operations.
func Hash(a mlir.Operation, o Options) (uint64, error) {
	c, h := raw.UnwrapOperation(a, "equivalence.Hash")
	if err := raw.Need(c.Library(), "mlirOperationStructuralHashValue"); err != nil {
		return 0, err
	}
	return uint64(capi.MlirOperationStructuralHashValue(raw.Table(c), h, o.flags())), nil
}
