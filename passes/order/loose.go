package order

import (
	"strings"

	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/contract/callop"
	"github.com/calliope-mlir/calliope/internal/ir/rewrite"
	"github.com/calliope-mlir/calliope/mlir"
)

// Loose returns a pair for each call that is in no order, though another call of the same callback or target is: Second
// has neither a token nor an effect, and First, which may be before or after it, has one. Calls of JAX's callbacks,
// which share a target, are not compared. index is that of the module's operation, or nil.
//
// Such calls are as valid as those that Unordered leaves out. But if one call of a function needs an order, the others
// often do, too.
func Loose(m *mlir.Module, index *mlir.Index) (pairs []Pair) {
	if index == nil {
		index = m.Operation().Index()
	}
	r := rewrite.NewEffectReader()
	var reader callop.Reader
	ordered, loose := map[string]Call{}, map[string][]Call{}
	var keys []string
	for op := range index.Named(rewrite.EffectNames...) {
		kind, ok := r.Read(op)
		target, _ := strings.CutPrefix(kind.Calls, "@")
		if !ok || contract.PythonTargetOf(target) != contract.NotPython {
			continue
		}
		key := kind.Calls
		if call, ours := reader.AsCall(op); ours {
			key += " of " + call.Config.Registry
		}
		c := Call{op, kind.Calls, kind.Effect}
		switch _, known := ordered[key]; {
		case !kind.Ordered:
			if loose[key] == nil {
				keys = append(keys, key)
			}
			loose[key] = append(loose[key], c)
		case !known:
			ordered[key] = c
		}
	}
	for _, key := range keys {
		if first, ok := ordered[key]; ok {
			for _, second := range loose[key] {
				pairs = append(pairs, Pair{First: first, Second: second})
			}
		}
	}
	return pairs
}
