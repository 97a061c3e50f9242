package guard

import (
	_ "embed"
	"slices"
	"strings"
	"sync"

	"github.com/calliope-mlir/calliope/internal/ir/bytecode"
)

// Each line of vhloText has an operation of VHLO and its attributes in the order in which bytecode has its properties.
// Each has a name and a kind, or is - if the library looks at its kind itself.
//
//go:embed vhlo.txt
var vhloText string

// vhloKinds are the codes of the kinds of attributes.
var vhloKinds = map[string][]uint64{
	"array": {1}, "boolean": {2}, "direction": {3}, "comparison": {4}, "api": {5}, "dictionary": {6}, "fft": {7},
	"float": {8}, "integer": {9}, "algorithm": {12}, "distribution": {13}, "string": {14}, "tensor": {15},
	"transpose": {16}, "type": {17}, "accuracy": {20}, "groups": {15, 23},
}

const otherKind = "the bytecode is damaged: an attribute is of another kind than its operation takes"

// vhlo looks at every operation: most artifacts have some that it knows.
var vhlo = dialect{op: func(m *module, op bytecode.Op) string {
	if m.hasOtherKind(op) {
		return otherKind
	}
	return ""
}}

var vhloOperations = sync.OnceValue(func() map[string][]string {
	all := map[string][]string{}
	for line := range strings.Lines(vhloText) {
		words := strings.Fields(line)
		all[words[0]] = words[1:]
	}
	return all
})

// hasOtherKind reports whether an operation of VHLO has an attribute of a kind that the one of StableHLO does not take.
// VHLO's verifiers allow any, and the library calls a null pointer for the error when it converts the operation.
func (m *module) hasOtherKind(op bytecode.Op) bool {
	for i, attribute := range vhloOperations()[op.Name] {
		name, kind, checked := strings.Cut(attribute, ":")
		if !checked {
			continue
		}
		if position, ok := m.attribute(op, name, i, false); ok {
			part := at(m.Attributes, position)
			r := bytecode.NewReader(part.Data)
			if part.Dialect != "vhlo" || !slices.Contains(vhloKinds[kind], r.Number()) {
				return true
			}
		}
	}
	return false
}
