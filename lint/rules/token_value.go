package rules

import (
	"slices"

	"github.com/calliope-mlir/calliope/lint"
	"github.com/calliope-mlir/calliope/mlir"
)

// TokenValue reports tokens of other operations than those of the rules about feeds and tokens.
var TokenValue = &lint.Analyzer{
	Name:     "token-value",
	Doc:      "a token is in the signature of a function, or of a call other than an outfeed or infeed",
	Run:      tokenValue,
	Severity: mlir.SeverityNote,
	Details: `Severity: note.

Functions whose parameters or results are tokens, and custom calls, send and recv that take or return tokens, are
not hooks of the old kind. JAX orders its effects so, for example:

    func.func public @main(%arg0: !stablehlo.token {jax.token = true}) -> (!stablehlo.token {jax.token = true})

Each is a note: nothing is wrong, but only the runtime that the module was written for passes such tokens. In a
module for any runtime, order callbacks by values or by tokens of one byte, tensor<1xi8>.`,
}

func tokenValue(p *lint.Pass) error {
	if !p.Mentions("!stablehlo", "!mhlo", bytecode) {
		return nil // there are no types of tokens
	}
	f := tokensOnly()
	signatures := map[mlir.Attribute]bool{} // whether they have a token
	for op := range p.Operations("func.func") {
		a, _ := op.Attribute("function_type")
		has, known := signatures[a]
		if !known {
			of, _ := a.TypeValue()
			parameters, results, _ := of.Signature()
			has = slices.ContainsFunc(slices.Concat(parameters, results), f.isToken)
			signatures[a] = has
		}
		if has {
			name, _ := op.Symbol()
			p.Report(op, mlir.SeverityNote,
				"a token is in the signature of @%s: only the runtime that the module is for passes it", name)
		}
	}
	for op := range p.Operations(tokenMakers...) {
		values := slices.Concat(op.OperandValues(), op.ResultValues())
		if slices.ContainsFunc(values, func(v mlir.Value) bool { return f.isToken(v.Type()) }) {
			p.Report(op, mlir.SeverityNote, "%s is ordered by a token: its place among other calls depends on all that carries the token", op.Name())
		}
	}
	return nil
}
