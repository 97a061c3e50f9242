package mlir

import (
	"errors"
	"fmt"

	"github.com/calliope-mlir/calliope/internal/capi"
)

// PrintOptions say how an operation is printed. The zero value gives the form that
// String has.
type PrintOptions struct {
	Generic    bool // the generic form, which every dialect has
	DebugInfo  bool // locations, in a form that can be parsed again
	PrettyInfo bool // locations, in a form for reading only
	LocalScope bool // no aliases and no numbering from outside: faster for a small part of much
	// SkipRegions prints … where the regions are.
	SkipRegions bool
	// NameLocations gives values the names of their locations, where they have one.
	NameLocations  bool
	ElideAbove     int // leave out the values of constants with more elements (0: print all)
	ElideResources int // leave out resources of more characters (0: print all)
	// AssumeVerified saves the check that comes before printing. The operation must be
	// one that Verify has accepted: a broken one may crash the library's printer.
	AssumeVerified bool
}

// flags makes the C form. The caller destroys it.
func (p PrintOptions) flags(t *capi.Table) capi.MlirOpPrintingFlags {
	flags := capi.MlirOpPrintingFlagsCreate(t)
	if p.Generic {
		capi.MlirOpPrintingFlagsPrintGenericOpForm(t, flags)
	}
	if p.DebugInfo || p.PrettyInfo {
		capi.MlirOpPrintingFlagsEnableDebugInfo(t, flags, true, p.PrettyInfo)
	}
	if p.LocalScope {
		capi.MlirOpPrintingFlagsUseLocalScope(t, flags)
	}
	if p.SkipRegions {
		capi.MlirOpPrintingFlagsSkipRegions(t, flags)
	}
	if p.NameLocations {
		capi.MlirOpPrintingFlagsPrintNameLocAsPrefix(t, flags)
	}
	if p.ElideAbove > 0 {
		capi.MlirOpPrintingFlagsElideLargeElementsAttrs(t, flags, p.ElideAbove)
	}
	if p.ElideResources > 0 {
		capi.MlirOpPrintingFlagsElideLargeResourceString(t, flags, p.ElideResources)
	}
	if p.AssumeVerified {
		capi.MlirOpPrintingFlagsAssumeVerified(t, flags)
	}
	return flags
}

// Print is the operation's text. It can be parsed again unless something was elided.
// It panics with an *UnsupportedError where the library lacks what an option needs.
func (o Operation) Print(p PrintOptions) string {
	t := o.life.use("Operation.Print", o.raw.Ptr)
	if err := o.life.ctx.lib.printable(p); err != nil {
		panic(err)
	}
	flags := p.flags(t)
	defer capi.MlirOpPrintingFlagsDestroy(t, flags)
	return string(capi.Collect(func(cb capi.MlirStringCallback, ud pointer) {
		capi.MlirOperationPrintWithFlags(t, o.raw, flags, cb, ud)
	}))
}

// printable returns an UnsupportedError where an option is not to be had.
func (l *Library) printable(p PrintOptions) error {
	for name, wanted := range map[string]bool{
		"mlirOpPrintingFlagsUseLocalScope":            p.LocalScope,
		"mlirOpPrintingFlagsSkipRegions":              p.SkipRegions,
		"mlirOpPrintingFlagsPrintNameLocAsPrefix":     p.NameLocations,
		"mlirOpPrintingFlagsElideLargeResourceString": p.ElideResources > 0,
		"mlirOpPrintingFlagsAssumeVerified":           p.AssumeVerified,
	} {
		if wanted {
			if err := l.need(name); err != nil {
				return err
			}
		}
	}
	return nil
}

// String is the operation's text.
func (o Operation) String() string {
	if o.IsNil() {
		return "<nil operation>"
	}
	return o.Print(PrintOptions{})
}

// Bytecode is the operation as MLIR bytecode of the library's own version. The operation
// is verified before; what is wrong with it comes back as a *DiagnosticError.
func (o Operation) Bytecode() ([]byte, error) {
	return o.BytecodeVersion(-1)
}

// BytecodeVersion is the operation as MLIR bytecode of a given version, for an older
// reader; -1 is the library's own. The error says where the library or the operation
// cannot be written so.
func (o Operation) BytecodeVersion(version int) ([]byte, error) {
	t := o.life.use("Operation.Bytecode", o.raw.Ptr)
	c := o.life.ctx
	if err := o.Verify(); err != nil {
		return nil, err // the library takes for granted what verifiers check
	}
	var failed bool
	data := capi.Collect(func(cb capi.MlirStringCallback, ud pointer) {
		if version < 0 {
			capi.MlirOperationWriteBytecode(t, o.raw, cb, ud)
			return
		}
		config := capi.MlirBytecodeWriterConfigCreate(t)
		defer capi.MlirBytecodeWriterConfigDestroy(t, config)
		capi.MlirBytecodeWriterConfigDesiredEmitVersion(t, config, int64(version))
		failed = capi.MlirOperationWriteBytecodeWithConfig(t, o.raw, config, cb, ud).Value == 0
	})
	if failed {
		diagnostics := c.takeDiagnostics("")
		if len(diagnostics) == 0 {
			return nil, fmt.Errorf("mlir: %s cannot write bytecode of version %d", c.lib.path, version)
		}
		return nil, &DiagnosticError{Op: fmt.Sprintf("writing bytecode of version %d", version), Diagnostics: diagnostics}
	}
	if len(data) == 0 {
		return nil, errors.New("mlir: writing bytecode produced nothing")
	}
	return data, nil
}
