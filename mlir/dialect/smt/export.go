package smt

import (
	"unsafe"

	"github.com/calliope-mlir/calliope/experimental/capi"
	"github.com/calliope-mlir/calliope/internal/ir/raw"
	"github.com/calliope-mlir/calliope/mlir"
)

// ExportOptions are the options of Export.
type ExportOptions struct {
	InlineSingleUse bool // inline values that are used once
	IndentLet       bool // indent the bodies of let expressions
	// NoReset leaves out the command that ends each solver, (reset). Libraries of LLVM 22 and
	// earlier always write it.
	NoReset bool
}

// Export returns the solvers of a module as SMT-LIB. It verifies the module first.
func Export(module mlir.Operation, o ExportOptions) (string, error) {
	c, h := raw.UnwrapOperation(module, "smt.Export")
	if err := raw.Need(c.Library(), "mlirTranslateOperationToSMTLIB"); err != nil {
		return "", err
	}
	if err := module.Verify(); err != nil {
		return "", err
	}
	var failed bool
	text := capi.Collect(func(cb capi.MlirStringCallback, ud unsafe.Pointer) {
		failed = capi.MlirTranslateOperationToSMTLIB(raw.Table(c), h, cb, ud, o.InlineSingleUse, o.IndentLet,
			!o.NoReset).Value == 0
	})
	if failed {
		return "", raw.Failure(c, "writing SMT-LIB")
	}
	return string(text), nil
}
