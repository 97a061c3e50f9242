package rules

import (
	"slices"

	"github.com/calliope-mlir/calliope/lint"
	"github.com/calliope-mlir/calliope/lint/finding"
	"github.com/calliope-mlir/calliope/mlir"
)

// TokenValue reports tokens that a runtime passes to the module, or gets of it.
var TokenValue = &lint.Analyzer{
	Name:     "token-value",
	Doc:      "a token is in the signature of a public function, and only the runtime that it was written for passes it",
	Run:      tokenValue,
	Severity: finding.Note,
	Details: `Severity: note.

A parameter or result of a public function that is a token is no hook of the old kind. JAX orders the effects of
several runs so:

    func.func public @main(%arg0: !stablehlo.token {jax.token = true}) -> (!stablehlo.token {jax.token = true})

Nothing is wrong, but only the runtime that the module was written for passes such tokens. In a module for any runtime,
order callbacks by values or by tokens of one byte, tensor<1xi8>. Tokens within a module are not reported.`,
}

func tokenValue(p *lint.Pass) error {
	if !p.Mentions("!stablehlo", "!mhlo", bytecode) {
		return nil // there are no types of tokens
	}
	f := tokensOnly()
	signatures := map[mlir.Attribute]bool{} // whether they have a token
	for op := range p.Operations("func.func") {
		if op.Visibility() != mlir.Public || op.Parent() != p.Module.Operation() {
			continue // only the module calls it
		}
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
			p.Report(op, finding.Note, "a token is in the signature of @%s, and only the runtime that it was written for passes it: for any runtime, order calls by values, or by tokens of type tensor<1xi8>", name)
		}
	}
	return nil
}
