package rewrite

import (
	"slices"

	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// TokenTypes remembers which types have tokens of XLA in them.
type TokenTypes map[mlir.Type]bool

// Holds reports whether a type is a token or a tuple with one in it.
func (t TokenTypes) Holds(of mlir.Type) bool {
	is, known := t[of]
	if !known {
		if elements, isTuple := of.Elements(); isTuple {
			is = slices.ContainsFunc(elements, t.Holds)
		} else {
			is = isToken(of)
		}
		t[of] = is
	}
	return is
}

// Only reports whether nothing is left of a type without its tokens.
func (t TokenTypes) Only(of mlir.Type) bool {
	if elements, isTuple := of.Elements(); isTuple {
		return len(elements) > 0 && !slices.ContainsFunc(elements, func(e mlir.Type) bool { return !t.Only(e) })
	}
	return isToken(of)
}

// isToken reports whether a type is a token of StableHLO or of MHLO.
func isToken(t mlir.Type) bool { return stablehlo.IsToken(t) || t.String() == "!mhlo.token" }

// Without returns a type without its tokens.
func (t TokenTypes) Without(of mlir.Type) mlir.Type {
	elements, isTuple := of.Elements()
	if !isTuple {
		return of
	}
	var rest []mlir.Type
	for _, e := range elements {
		if !t.Only(e) {
			rest = append(rest, t.Without(e))
		}
	}
	return of.Context().TupleType(rest...)
}

// Uses reports whether an operand, a result or an argument of a region holds a token.
func (t TokenTypes) Uses(op mlir.Operation) bool {
	found := false
	t.Each(op, func(v mlir.Value) { found = found || t.Holds(v.Type()) })
	return found
}

// Each calls f for the operands and results of an operation and the arguments of its regions.
func (t TokenTypes) Each(op mlir.Operation, f func(mlir.Value)) {
	for _, v := range op.Operands() {
		f(v)
	}
	for _, v := range op.Results() {
		f(v)
	}
	for _, region := range op.Regions() {
		for block := range region.Blocks() {
			for _, v := range block.Arguments() {
				f(v)
			}
		}
	}
}
