package rules

import (
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/contract/callop"
	"github.com/calliope-mlir/calliope/lint"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// A call is a stablehlo.custom_call, which is read once for all rules.
type call struct {
	stablehlo.CustomCallOp
	op         mlir.Operation
	ours       bool        // it is of the contract or of its further encodings
	as         callop.Call // if ours
	typed      bool        // it is of the typed FFI, and dictionary has its attributes: see stablehlo.TypedConfig
	dictionary mlir.Attribute
}

// callsOf returns the custom calls of the module.
func callsOf(p *lint.Pass) []*call {
	type key struct{}
	return lint.Shared(p, key{}, func() []*call {
		var calls []*call
		var reader callop.Reader
		for op := range p.Operations("stablehlo.custom_call") {
			calls = append(calls, readCall(&reader, op))
		}
		return calls
	})
}

func readCall(reader *callop.Reader, op mlir.Operation) *call {
	c := &call{op: op}
	c.CustomCallOp, _ = stablehlo.AsCustomCall(op)
	c.as, c.ours = reader.AsCall(op)
	c.dictionary, c.typed = stablehlo.TypedConfig(op)
	if hidden, ok := op.Attribute(hiddenAliases); ok {
		elements, _ := hidden.Elements()
		for _, e := range elements {
			if alias, ok := stablehlo.AsOutputOperandAlias(e); ok {
				c.Aliases = append(c.Aliases, alias)
			}
		}
	}
	return c
}

// ofXLA reports whether the target is one of XLA's own.
func (c *call) ofXLA() bool { return contract.XLATargetOf(c.Target) != contract.NotXLA }

// callback returns what a call calls, for messages, if it calls a function of the host.
func (c *call) callback() (string, bool) {
	switch {
	case c.ours && c.as.Err == nil && c.as.Config.Host.Encoding == contract.EncodingDictionary:
		if c.as.Config.Callback == callop.OverlapCallback {
			return "", false // it does nothing
		}
		return "callback " + quote(c.as.Config.Name()), true
	case c.ours || contract.PythonTargetOf(c.Target) != contract.NotPython:
		return "the callback of @" + c.Target, true
	}
	return "", false
}
