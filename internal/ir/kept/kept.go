// Package kept recognizes the copies that internal/ir/xlafix makes of values which XLA would overwrite.
package kept

import "github.com/calliope-mlir/calliope/mlir"

// Is reports whether v is a copy that xlafix.KeepValues made: a select by a predicate that IsCertain.
func Is(v mlir.Value) bool {
	return v.IsResult() && v.Owner().Name() == "stablehlo.select" && IsCertain(v.Owner().Operand(0))
}

// IsCertain reports whether v is a predicate that package xlafix made to be true without XLA knowing:
// convert(…) | … != ….
func IsCertain(v mlir.Value) bool {
	for _, name := range []string{"stablehlo.compare", "stablehlo.or", "stablehlo.convert"} {
		if !v.IsResult() || v.Owner().Name() != name {
			return false
		}
		v = v.Owner().Operand(0)
	}
	return true
}
