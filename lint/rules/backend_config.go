package rules

import (
	"fmt"
	"slices"

	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/contract/callop"
	"github.com/calliope-mlir/calliope/lint"
	"github.com/calliope-mlir/calliope/lint/finding"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/tensor"
)

// BackendConfig checks the configurations of custom calls.
var BackendConfig = &lint.Analyzer{
	Name: "backend-config",
	Doc:  "the backend_config of a custom call is of the wrong kind, or not a valid configuration of a callback",
	Run:  backendConfig,
	Details: `Severity: error for callbacks; otherwise a note.

A call of the typed FFI has a dictionary as its configuration, and any other call a string. The library itself
refuses the wrong kind in backend_config.

For callbacks, the rule checks the keys and the types of their values, and the operands and results that they
describe: the counts of ids and tokens, one result of the same type for each operand of a passthrough, and the
signature. A mistake is an error, because the module does not compile.

    backend_config = {callback = "log", form = "observe", n_tokens = 1 : i32, v = 1 : i64}   // n_tokens is an i64

For other targets it is a note if mhlo.backend_config is there and has no effect: it belongs to version 1, with no
other backend_config than an empty string. docs/contract.md has all keys. There is no safe repair.`,
}

func backendConfig(p *lint.Pass) error {
	for _, c := range callsOf(p) {
		if c.ours {
			if !c.typed && contract.IsTarget(c.Target) {
				continue // the rule api-version
			}
			if err := c.checkConfig(); err != nil {
				p.Report(c.op, finding.Error, "the call of @%s: %v", c.Target, err)
			}
			continue
		}
		other, has := c.op.Attribute("mhlo.backend_config")
		if !has {
			continue
		}
		text := ""
		if !c.BackendConfig.IsNil() {
			text, _ = c.BackendConfig.Text()
		}
		switch {
		case c.typed && c.APIVersion == 1 && !other.IsDictionary():
			p.Report(c.op, finding.Note, "mhlo.backend_config of the call of @%s is %s, "+
				"and not a dictionary, so the call is typed and has no attributes", c.Target, other)
		case !other.IsDictionary():
			p.Report(c.op, finding.Note, "mhlo.backend_config of the call of @%s is %s, and not a dictionary, so it has no effect", c.Target, other)
		case c.APIVersion != 1:
			p.Report(c.op, finding.Note, "the call of @%s has the API version %d and mhlo.backend_config, which belongs to version 1: write the dictionary in backend_config, with version 4", c.Target, c.APIVersion)
		case text != "":
			p.Report(c.op, finding.Note, "the call of @%s has both backend_config and mhlo.backend_config: "+
				"the string %q makes the call untyped, so the dictionary has no effect", c.Target, text)
		}
	}
	return nil
}

// checkConfig returns an error for what keeps a callback from being compiled, whatever is bound.
func (c *call) checkConfig() error {
	config, err := c.as.Config, c.as.Err
	if err != nil {
		return err
	}
	in, out, arrays, err := callop.DataShapes(config, mlir.TypesOf(c.Operands), c.Results)
	isDynamic := func(s tensor.Shape) bool { return s.Check() != nil }
	if err != nil || !arrays || slices.ContainsFunc(slices.Concat(in, out), isDynamic) {
		return err
	}
	signature, err := config.SignatureOf(in, out)
	if err != nil || config.Signature == "" {
		return err
	}
	if hash := contract.SignatureHash(signature); hash != config.Signature {
		return fmt.Errorf("callback %q is called with %s, whose hash is %s, but its signature is %s", config.Name(),
			signature, hash, config.Signature)
	}
	return nil
}
