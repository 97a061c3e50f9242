package mlir

import (
	"maps"
	"slices"

	"github.com/calliope-mlir/calliope/internal/ir/bytecode"
	"github.com/calliope-mlir/calliope/internal/ir/lex"
)

// DialectsOf returns the namespaces of the dialects that a module names, sorted: text, or
// bytecode, which lists them. The list of a text may have too many, because only a parser
// knows what a word is, and has none that merely occur in strings, comments, symbols and
// names of attributes. DialectsOf does not check the module and loads no library.
func DialectsOf(source []byte) []string {
	if !IsBytecode(source) {
		return slices.Sorted(maps.Keys(lex.Dialects(source)))
	}
	names := bytecode.Open(source).Dialects
	slices.Sort(names)
	return slices.Compact(names)
}
