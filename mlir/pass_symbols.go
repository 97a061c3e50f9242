package mlir

import (
	"slices"
	"strings"
)

// An operation of an unknown dialect with one region may be a symbol table for all that
// the library knows. Asked for the uses of a symbol it then has no answer, which these
// passes take for one, and crash. (Seen with a sweep over the general passes.)
var symbolPasses = []string{"inline", "duplicate-function-elimination", "remove-dead-values"}

// symbolsKnown is an error where one of the passes would crash on the operation.
func (p *PassManager) symbolsKnown(o Operation) error {
	names := passNames(p.String())
	i := slices.IndexFunc(symbolPasses, func(pass string) bool { return slices.Contains(names, pass) })
	if i < 0 {
		return nil
	}
	for inner := range o.All() {
		if inner.NumRegions() == 1 && !inner.IsRegistered() {
			return inner.refused("running the passes", "has a region and belongs to no dialect that the library knows, on which its pass "+
				symbolPasses[i]+" would crash: leave the pass out, or run it on what has no such operation")
		}
	}
	return nil
}

// passNames returns the words of a pipeline's text, among which are the names of its passes.
func passNames(pipeline string) []string {
	return strings.FieldsFunc(pipeline, func(r rune) bool { return strings.ContainsRune("(),{} =\"\n\t", r) })
}
