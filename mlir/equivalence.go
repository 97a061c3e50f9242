package mlir

import "github.com/calliope-mlir/calliope/experimental/capi"

// EquivalenceOptions are differences that Operation.Equivalent ignores.
type EquivalenceOptions struct {
	IgnoreLocations     bool
	IgnoreDiscardable   bool // attributes that are not part of the operation's definition
	IgnoreProperties    bool // attributes that are
	IgnoreCommutativity bool // the order of operands counts, even if the operation is commutative
}

func (o EquivalenceOptions) flags() (flags uint32) {
	// The library's bits are in this order.
	for i, ignore := range []bool{o.IgnoreLocations, o.IgnoreDiscardable, o.IgnoreProperties, o.IgnoreCommutativity} {
		if ignore {
			flags |= 1 << i
		}
	}
	return flags
}

// Equivalent reports whether two operations have the same name, attributes, types, locations
// and regions, and the same operands, where values that are defined in the regions
// correspond. It returns an UnsupportedError if the library cannot compare operations.
func (o Operation) Equivalent(other Operation, options EquivalenceOptions) (bool, error) {
	t := o.life.use("Operation.Equivalent", o.raw.Ptr)
	raw := other.in(o.life.ctx, "Operation.Equivalent")
	if err := o.life.ctx.lib.need("mlirOperationIsStructurallyEquivalent"); err != nil {
		return false, err
	}
	return capi.MlirOperationIsStructurallyEquivalent(t, o.raw, raw, options.flags()), nil
}

// EquivalenceHash returns a hash that is the same for operations that are Equivalent with
// the same options. Regions do not contribute to it. It may differ from one run of the
// program to the next.
func (o Operation) EquivalenceHash(options EquivalenceOptions) (uint64, error) {
	t := o.life.use("Operation.EquivalenceHash", o.raw.Ptr)
	if err := o.life.ctx.lib.need("mlirOperationStructuralHashValue"); err != nil {
		return 0, err
	}
	return uint64(capi.MlirOperationStructuralHashValue(t, o.raw, options.flags())), nil
}
