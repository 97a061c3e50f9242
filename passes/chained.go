package passes

import (
	"slices"

	"github.com/calliope-mlir/calliope/aliasing"
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/contract/callop"
	"github.com/calliope-mlir/calliope/internal/ir/rewrite"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// DropChainedTokens removes the tokens of callbacks that their values order already: of callbacks
// of one effect each of which takes a value that the one before returns, at the end of what the
// effect's token passes through. It returns the number of callbacks that lost their token. The
// callbacks keep their effect, and the module what it computes.
//
// The values that one device returns do not order the calls of another one: in a module that several
// devices run, use ApplyPolicies before DropChainedTokens.
func DropChainedTokens(m *mlir.Module) (int, error) {
	var calls []callop.Call
	for call := range callop.Calls(m) {
		c := call.Config
		if call.Err == nil && c.NumTokens == 1 && c.NumIDs == 0 && c.Host.Encoding == contract.EncodingDictionary &&
			c.Effect != contract.AllEffects && (c.Form == contract.Passthrough || c.Form == contract.Call) {
			calls = append(calls, call)
		}
	}
	ordered := map[mlir.Operation]contract.Config{}
	for _, call := range calls {
		ordered[call.Op] = call.Config
	}
	chained := map[mlir.Operation]bool{}
	for _, call := range slices.Backward(calls) {
		op := call.Op
		token := op.Result(op.NumResults() - 1)
		uses, only := 0, true
		for use := range token.Uses() {
			uses++
			only = only && chained[use.Owner] && use.Operand == use.Owner.NumOperands()-1
		}
		source := op.Operand(op.NumOperands() - 1).Owner()
		switch {
		case !only || source.IsNil():
		case source.Name() == "stablehlo.constant":
			chained[op] = uses > 0 // the first one
		default:
			before, ok := ordered[source]
			chained[op] = ok && before.Effect == call.Config.Effect && source.Block().Equal(op.Block()) &&
				takesValueOf(op, source)
		}
	}
	n := 0
	for _, call := range calls {
		if !chained[call.Op] {
			continue
		}
		n++
		if err := dropToken(call); err != nil {
			return n, err
		}
	}
	return n, nil
}

// takesValueOf reports whether a callback takes a result of another one, other than its token and
// arrays without elements, which order nothing: XLA replaces them by constants.
func takesValueOf(op, source mlir.Operation) bool {
	for i, v := range op.Operands() {
		if i < op.NumOperands()-1 && v.IsResult() && v.Owner().Equal(source) && !rewrite.IsZeroSized(v.Type()) {
			return true
		}
	}
	return false
}

// dropToken remakes a callback without its token, which is not used any more, except by callbacks
// that are remade next.
func dropToken(call callop.Call) error {
	op := call.Op
	made, _ := stablehlo.AsCustomCall(op)
	n, last := len(made.Operands)-1, len(made.Results)-1
	made.Operands, made.Results, made.Aliases = made.Operands[:n], made.Results[:last], nil
	if call.Config.Form == contract.Passthrough {
		made.Aliases = aliasing.Passthrough(n)
	}
	config := call.Config
	config.NumTokens = 0
	c := op.Context()
	var err error
	if made.BackendConfig, err = callop.ConfigAttribute(c, config); err != nil {
		return err
	}
	e := rewrite.Before(op)
	replacement := made.Create(e.Builder)
	if e.Cause() != nil {
		return e.Cause()
	}
	for i := range last {
		op.Result(i).ReplaceAllUses(replacement.Result(i))
	}
	token := op.Operand(n)
	op.Result(last).ReplaceAllUses(token) // in the next one, which drops it
	if err := op.Erase(); err != nil {
		return err
	}
	if first := token.Owner(); !token.HasUses() && !first.IsNil() && first.Name() == "stablehlo.constant" {
		return first.Erase()
	}
	return nil
}
