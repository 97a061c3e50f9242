package mlir

import (
	"errors"

	"github.com/calliope-mlir/calliope/internal/capi"
)

// PrintOptions say how an operation is printed. The zero value gives the form that
// String has.
type PrintOptions struct {
	Generic    bool // the generic form, which every dialect has
	DebugInfo  bool // locations, in a form that can be parsed again
	ElideAbove int  // leave out the values of constants with more elements (0: print all)
}

// Print is the operation's text. It can be parsed again unless constants were elided.
func (o Operation) Print(p PrintOptions) string {
	t := o.life.check("Operation.Print")
	flags := capi.MlirOpPrintingFlagsCreate(t)
	defer capi.MlirOpPrintingFlagsDestroy(t, flags)
	if p.Generic {
		capi.MlirOpPrintingFlagsPrintGenericOpForm(t, flags)
	}
	if p.DebugInfo {
		capi.MlirOpPrintingFlagsEnableDebugInfo(t, flags, true, false)
	}
	if p.ElideAbove > 0 {
		capi.MlirOpPrintingFlagsElideLargeElementsAttrs(t, flags, p.ElideAbove)
	}
	return string(collect(func(cb capi.MlirStringCallback, ud pointer) {
		capi.MlirOperationPrintWithFlags(t, o.raw, flags, cb, ud)
	}))
}

// String is the operation's text.
func (o Operation) String() string {
	if o.IsNil() {
		return "<nil operation>"
	}
	return o.Print(PrintOptions{})
}

// Bytecode is the operation as MLIR bytecode of the library's own version.
func (o Operation) Bytecode() ([]byte, error) {
	t := o.life.check("Operation.Bytecode")
	data := collect(func(cb capi.MlirStringCallback, ud pointer) {
		capi.MlirOperationWriteBytecode(t, o.raw, cb, ud)
	})
	if len(data) == 0 {
		return nil, errors.New("mlir: writing bytecode produced nothing")
	}
	return data, nil
}
