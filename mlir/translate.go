package mlir

import "github.com/calliope-mlir/calliope/experimental/capi"

// LLVMIR translates a module to the text of LLVM IR. All operations must be of dialects
// that the library can translate, mainly the LLVM dialect. Otherwise the error is a
// *DiagnosticError.
func (m *Module) LLVMIR() (string, error) {
	t := m.life.check("Module.LLVMIR")
	if err := m.Verify(); err != nil {
		return "", err
	}
	m, done, err := m.withoutSmallResources()
	if err != nil {
		return "", err
	}
	defer done()
	m.ctx.registerTranslations()
	m.ctx.takeDiagnostics("")
	text, missing, ok := capi.LLVMText(t, m.Operation().raw)
	diagnostics := m.ctx.takeDiagnostics("")
	switch {
	case missing != "":
		return "", &UnsupportedError{Library: m.ctx.lib.path, Function: missing}
	case !ok:
		return "", &DiagnosticError{Op: "translating to LLVM IR", Diagnostics: diagnostics}
	}
	return text, nil
}

// registerTranslations registers the dialects' translations to LLVM IR, if the library
// does not do so with the dialects.
func (c *Context) registerTranslations() {
	if !c.translates && c.lib.Has("mlirRegisterAllLLVMTranslations") {
		capi.MlirRegisterAllLLVMTranslations(c.lib.api, c.raw)
	}
	c.translates = true
}
