package mlir

import (
	"bytes"
	"maps"
	"slices"

	"github.com/calliope-mlir/calliope/experimental/capi"
	"github.com/calliope-mlir/calliope/internal/ir/lex"
)

// hiddenDialects are the dialects that torch-mlir's library contains but does not register
// in a new context, each with a pass that depends on it: running the pass loads the dialect.
// The dialects without a pass have functions that register them.
//
// A context loads such a dialect when it is first named, because this takes 0.2 ms (chlo),
// 0.5 ms (vhlo), 1 ms (torch) and 6 ms (torch_c and tm_tensor, which bring all dialects).
var hiddenDialects = map[string]string{
	"chlo":      "stablehlo-compatibility-expander{target=1.0.0}",
	"vhlo":      "stablehlo-legalize-to-vhlo",
	"tm_tensor": "",
	"torch":     "",
	"torch_c":   "",
}

// hidden returns the namespaces of the hidden dialects of the library, sorted.
func (l *Library) hidden() []string {
	if !l.torch {
		return nil
	}
	return slices.Sorted(maps.Keys(hiddenDialects))
}

// loadNamed loads the hidden dialects that a text or bytecode to parse may name.
func (c *Context) loadNamed(source []byte) {
	hidden := slices.DeleteFunc(c.lib.hidden(), func(namespace string) bool { return c.dialects[namespace] })
	switch {
	case len(hidden) == 0:
	case IsBytecode(source): // it lists its dialects, and a NUL byte ends each name
		hidden = slices.DeleteFunc(hidden,
			func(namespace string) bool { return !bytes.Contains(source, []byte(namespace+"\x00")) })
	default:
		hidden = lex.Mentioned(source, hidden)
	}
	for _, namespace := range hidden {
		_ = c.LoadDialect(namespace) // the parser reports what it does not know
	}
}

// registerHidden registers a hidden dialect. It reports whether the library has it.
func (c *Context) registerHidden(namespace string) bool {
	if !c.lib.torch {
		return false
	}
	pass, ok := hiddenDialects[namespace]
	switch {
	case !ok:
		return false
	case pass == "":
		c.api.RegisterTorch(c.raw, namespace != "torch")
	default:
		c.runOnNothing(pass)
	}
	return true
}

// runOnNothing runs a pass on an empty module, which loads the dialects that the pass
// depends on.
func (c *Context) runOnNothing(pass string) {
	c.api.RegisterPasses()
	m := capi.MlirModuleCreateEmpty(c.api, capi.MlirLocationUnknownGet(c.api, c.raw))
	defer capi.MlirModuleDestroy(c.api, m)
	passes := capi.MlirPassManagerCreateOnOperation(c.api, c.raw, "builtin.module")
	defer capi.MlirPassManagerDestroy(c.api, passes)
	var ok bool
	capi.Collect(func(cb capi.MlirStringCallback, ud pointer) {
		list := capi.MlirPassManagerGetAsOpPassManager(c.api, passes)
		ok = capi.MlirOpPassManagerAddPipeline(c.api, list, pass, cb, ud).Value != 0
	})
	if ok {
		capi.MlirPassManagerRunOnOp(c.api, passes, capi.MlirModuleGetOperation(c.api, m))
	}
}
