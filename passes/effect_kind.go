package passes

import (
	"fmt"
	"slices"
	"strings"

	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/contract/callop"
	"github.com/calliope-mlir/calliope/internal/rewrite"
	"github.com/calliope-mlir/calliope/mlir"
)

// An effectKind is what an operation with a side effect calls, and of which effect it is.
type effectKind struct {
	// calls is what is called, for messages: a callback, a target, or the name of the
	// operation.
	calls string
	// effect is the effect that orders the call, if ordered is set: that of a callback, and
	// otherwise the name of the operation or "@" and the target.
	effect   string
	ordered  bool
	callback bool // effect is that of a callback
}

// An effectReader reads the kinds of operations. Equal attributes are read once.
type effectReader struct {
	known  map[[4]mlir.Attribute]effectKind
	tokens tokenGraph // for holds
}

func newEffectReader() *effectReader {
	return &effectReader{known: map[[4]mlir.Attribute]effectKind{}, tokens: tokenGraph{has: map[mlir.Type]bool{}}}
}

// read returns the kind of an operation. It returns false if the operation has no side effect
// outside the program. Targets that XLA handles itself have none.
func (r *effectReader) read(op mlir.Operation) (effectKind, bool) {
	name := op.Name()
	if !slices.Contains(rewrite.EffectNames, name) {
		return effectKind{}, false
	}
	switch _, short, _ := strings.Cut(name, "."); short {
	case "outfeed", "infeed":
		return effectKind{calls: name, effect: name, ordered: true}, true
	case "send", "recv": // their channels order them
		return effectKind{calls: name}, true
	}
	var key [4]mlir.Attribute
	for i, attribute := range []string{"call_target_name", "backend_config", "mhlo.backend_config", "has_side_effect"} {
		key[i], _ = op.Attribute(attribute)
	}
	kind, known := r.known[key]
	if !known {
		kind = readKind(op, key[0], key[3])
		r.known[key] = kind
	}
	if kind.calls != "" && !kind.callback && r.tokens.uses(op) {
		kind.ordered = true
	}
	return kind, kind.calls != ""
}

// readKind returns the kind of a custom call. It is zero if the call has no side effect.
func readKind(op mlir.Operation, target, sideEffect mlir.Attribute) effectKind {
	if call, ours := callop.AsCall(op); ours && call.Err == nil {
		c := call.Config
		if c.Form == contract.Pure || c.Callback == callop.OverlapCallback {
			return effectKind{}
		}
		kind := effectKind{calls: fmt.Sprintf("callback %q", c.Name())}
		if c.NumTokens > 0 || c.Effect != "" {
			kind.effect, kind.ordered, kind.callback = c.Effect, true, true
		}
		return kind
	}
	if target.IsNil() || sideEffect.IsNil() {
		return effectKind{}
	}
	text, _ := target.Text()
	if has, _ := sideEffect.Bool(); !has || contract.XLATargetOf(text) != contract.NotXLA {
		return effectKind{}
	}
	return effectKind{calls: "@" + text, effect: "@" + text}
}

// isZeroSized reports whether a type is an array without elements.
func isZeroSized(t mlir.Type) bool {
	dims, ok := t.Dims()
	return ok && t.IsRankedTensor() && slices.Contains(dims, 0)
}
