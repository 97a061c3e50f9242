package callargs_test

import (
	"testing"

	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/internal/run/callargs"
	"github.com/calliope-mlir/calliope/internal/test/check"
)

func TestData(t *testing.T) {
	config := func(form contract.Form, ids, tokens int) contract.Config {
		return contract.Config{Form: form, Callback: "f", NumIDs: ids, NumTokens: tokens}
	}
	opaque := func(e contract.Encoding, form contract.Form, aliased int) contract.Config {
		return contract.Config{Form: form, Host: contract.Host{Encoding: e, Opaque: "a", Aliased: aliased}}
	}
	type parts struct{ Args, Filled string }
	for name, c := range map[string]struct {
		config            contract.Config
		operands, results string // a letter for each
		want              parts
		err               string
	}{
		"call":        {config(contract.Call, 1, 2), "abitt", "rtt", parts{"ab", "r"}, ""},
		"pure":        {config(contract.Pure, 0, 0), "a", "rs", parts{"a", "rs"}, ""},
		"observe":     {config(contract.Observe, 1, 1), "ait", "t", parts{"a", ""}, ""},
		"passthrough": {config(contract.Passthrough, 1, 1), "abit", "ABIT", parts{"ab", "AB"}, ""},
		"words": {opaque(contract.EncodingWords, contract.Call, 0), "ab", "r", parts{"ab", "r"},
			""},
		"id as operand": {opaque(contract.EncodingOperand, contract.Call, 0), "abi", "r", parts{"ab", "r"},
			""},
		"server as operand": {opaque(contract.EncodingServer, contract.Call, 0), "sab", "r", parts{"ab", "r"},
			""},
		"server, passed through": {opaque(contract.EncodingServer, contract.Passthrough, 2), "sab", "AB",
			parts{"ab", "AB"}, ""},
		"too few operands": {config(contract.Call, 1, 1), "a", "r", parts{}, "only 1 operands"},
		"too few tokens":   {config(contract.Call, 0, 1), "t", "", parts{}, "fewer than its 1 tokens"},
		"not one for each": {config(contract.Passthrough, 0, 0), "ab", "A", parts{},
			"2 operands and 1 results"},
		"passed through in part": {opaque(contract.EncodingServer, contract.Passthrough, 1), "sab", "AB", parts{},
			"one result for each"},
		"no operand names a server": {opaque(contract.EncodingServer, contract.Call, 0), "", "r", parts{},
			"lacks the operand"},
	} {
		t.Run(name, func(t *testing.T) {
			args, filled, err := callargs.Data(c.config, []byte(c.operands), []byte(c.results))
			if c.err != "" {
				check.Error(t, err, c.err)
			} else {
				check.NoError(t, err)
			}
			check.Diff(t, "parts", c.want, parts{string(args), string(filled)})
		})
	}
}
