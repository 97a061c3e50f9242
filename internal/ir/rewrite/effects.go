package rewrite

import (
	"fmt"
	"slices"
	"strings"

	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/contract/callop"
	"github.com/calliope-mlir/calliope/mlir"
)

// An EffectKind is what an operation with a side effect calls, and of which effect it is.
type EffectKind struct {
	// Calls is what is called, for messages: a callback, a target, or the name of the
	// operation.
	Calls string
	// Effect is the effect that orders the call, if Ordered is set: that of a callback, and
	// otherwise the name of the operation or "@" and the target.
	Effect   string
	Ordered  bool
	Callback bool // Effect is that of a callback
}

// An EffectReader reads the kinds of operations. Equal attributes are read once.
type EffectReader struct {
	known  map[[4]mlir.Attribute]EffectKind
	Tokens TokenTypes
}

// NewEffectReader returns a reader that has read nothing.
func NewEffectReader() *EffectReader {
	return &EffectReader{known: map[[4]mlir.Attribute]EffectKind{}, Tokens: TokenTypes{}}
}

// EffectNames are the names of the operations that may have a side effect outside the program.
var EffectNames = []string{
	"stablehlo.custom_call", "stablehlo.outfeed", "stablehlo.infeed", "stablehlo.send", "stablehlo.recv",
	"mhlo.custom_call", "mhlo.outfeed", "mhlo.infeed", "mhlo.send", "mhlo.recv",
}

// Read returns the kind of an operation. It returns false if the operation has no side effect
// outside the program. Targets that XLA handles itself have none.
func (r *EffectReader) Read(op mlir.Operation) (EffectKind, bool) {
	name := op.Name()
	if !slices.Contains(EffectNames, name) {
		return EffectKind{}, false
	}
	switch _, short, _ := strings.Cut(name, "."); short {
	case "outfeed", "infeed":
		return EffectKind{Calls: name, Effect: name, Ordered: true}, true
	case "send", "recv": // their channels order them
		return EffectKind{Calls: name}, true
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
	if kind.Calls != "" && !kind.Callback && r.Tokens.Uses(op) {
		kind.Ordered = true
	}
	return kind, kind.Calls != ""
}

// readKind returns the kind of a custom call. It is zero if the call has no side effect.
func readKind(op mlir.Operation, target, sideEffect mlir.Attribute) EffectKind {
	if call, ours := callop.AsCall(op); ours && call.Err == nil {
		c := call.Config
		if c.Form == contract.Pure || c.Callback == callop.OverlapCallback {
			return EffectKind{}
		}
		kind := EffectKind{Calls: fmt.Sprintf("callback %q", c.Name())}
		if c.NumTokens > 0 || c.Effect != "" {
			kind.Effect, kind.Ordered, kind.Callback = c.Effect, true, true
		}
		return kind
	}
	if target.IsNil() || sideEffect.IsNil() {
		return EffectKind{}
	}
	text, _ := target.Text()
	if has, _ := sideEffect.Bool(); !has || contract.XLATargetOf(text) != contract.NotXLA {
		return EffectKind{}
	}
	return EffectKind{Calls: "@" + text, Effect: "@" + text}
}
