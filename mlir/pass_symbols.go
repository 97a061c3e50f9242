package mlir

import (
	"slices"
	"strings"
)

// symbolPasses are the passes that crash on an operation of an unknown dialect with one
// region. The library does not know whether such an operation is a symbol table, and
// cannot find the uses of symbols in it. The passes do not check for that. (Found by
// running the general passes on such operations.)
var symbolPasses = []string{"inline", "duplicate-function-elimination", "remove-dead-values"}

// symbolsKnown returns an error if one of the passes would crash on the operation.
func (p *PassManager) symbolsKnown(o Operation) error {
	names := passNames(p.String())
	i := slices.IndexFunc(symbolPasses, func(pass string) bool { return slices.Contains(names, pass) })
	if i < 0 {
		return nil
	}
	for inner := range o.All() {
		if inner.NumRegions() == 1 && !inner.IsRegistered() {
			return inner.refused("running the passes",
				"has a region and is of a dialect that the library does not know, and the pass "+
					symbolPasses[i]+" would crash on it: leave the pass out, or run it on operations without this one")
		}
	}
	return nil
}

// passNames returns the words of a pipeline, which include the names of its passes.
func passNames(pipeline string) []string {
	return strings.FieldsFunc(pipeline, func(r rune) bool { return strings.ContainsRune("(),{} =\"\n\t", r) })
}
