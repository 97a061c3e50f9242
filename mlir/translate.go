package mlir

import "github.com/calliope-mlir/calliope/internal/capi"

// LLVMIR translates a module whose operations are all of dialects that can be, in the
// main the LLVM dialect, to the text of LLVM IR. What cannot be translated is a
// *DiagnosticError.
func (m *Module) LLVMIR() (string, error) {
	t := m.life.check("Module.LLVMIR")
	if err := m.Verify(); err != nil {
		return "", err
	}
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

// registerTranslations makes the dialects' ways to LLVM IR known, where that is not
// part of registering the dialects.
func (c *Context) registerTranslations() {
	if !c.translates && c.lib.Has("mlirRegisterAllLLVMTranslations") {
		capi.MlirRegisterAllLLVMTranslations(c.lib.api, c.raw)
	}
	c.translates = true
}
