package mlir

import (
	"errors"
	"fmt"

	"github.com/calliope-mlir/calliope/experimental/capi"
	"github.com/calliope-mlir/calliope/internal/ir/shardyform"
)

// PrintOptions specify how an operation is printed. The zero value gives the same text as
// String.
type PrintOptions struct {
	Generic    bool // the generic form, which all operations have
	DebugInfo  bool // locations, in a form that can be parsed again
	PrettyInfo bool // locations, in a form for reading only
	LocalScope bool // no aliases, and numbers as if nothing were outside: faster for a small part of a large module
	// SkipRegions prints … instead of regions.
	SkipRegions bool
	// NameLocations names values by their locations if these have a name.
	NameLocations  bool
	ElideAbove     int // omit the values of constants with more elements (0: print all)
	ElideResources int // omit resources with more characters (0: print all)
	// AssumeVerified skips the verification before printing. Verify must have accepted the
	// operation, because an invalid operation may crash the library's printer.
	AssumeVerified bool
}

// flags returns the C form of p. The caller must destroy it.
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

// Print returns the operation's text. The text can be parsed again if nothing was omitted.
// Print panics with an *UnsupportedError if the library lacks an option.
func (o Operation) Print(p PrintOptions) string {
	t := o.life.use("Operation.Print", o.raw.Ptr)
	if err := o.life.ctx.lib.printable(p); err != nil {
		panic(err)
	}
	p.Generic = p.Generic || o.orphan()
	flags := p.flags(t)
	defer capi.MlirOpPrintingFlagsDestroy(t, flags)
	text := capi.Collect(func(cb capi.MlirStringCallback, ud pointer) {
		o.life.ctx.asks(func() { capi.MlirOperationPrintWithFlags(t, o.raw, flags, cb, ud) })
	})
	return string(o.life.ctx.printed(text, p))
}

// printable returns an UnsupportedError if the library lacks an option.
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

// String returns the operation's text.
func (o Operation) String() string {
	if o.IsNil() {
		return "<nil operation>"
	}
	return o.Print(PrintOptions{})
}

// alone returns an operation of whose values nothing outside knows: o itself, or a copy, which
// done destroys. The library crashes if it writes others as bytecode. It returns an error if o
// uses values from outside.
func (o Operation) alone() (raw capi.MlirOperation, done func(), err error) {
	c, t := o.life.ctx, o.life.ctx.api
	own := capi.Top(t, capi.OperationKind, o.raw.Ptr)
	detached := false // there are operations that may use values of o
	for raw, top := range c.tops {
		detached = detached || raw != own && top.module == nil
	}
	if own == o.raw.Ptr && !detached {
		return o.raw, func() {}, nil
	}
	raw = capi.MlirOperationClone(t, o.raw)
	if user := capi.UserOfOutside(t, capi.OperationKind, raw.Ptr, raw.Ptr); user.Ptr != nil {
		name := capi.MlirIdentifierStr(t, capi.MlirOperationGetName(t, user))
		capi.MlirOperationDestroy(t, raw)
		return raw, nil, fmt.Errorf("mlir: %s cannot be written as bytecode alone, because %s in it uses something outside: write an operation around it", o.Name(), name)
	}
	return raw, func() { capi.MlirOperationDestroy(t, raw) }, nil
}

// Bytecode returns the operation as MLIR bytecode of the library's own version. It verifies
// the operation first. If the operation is not valid, the error is a *DiagnosticError.
func (o Operation) Bytecode() ([]byte, error) {
	return o.BytecodeVersion(-1)
}

// BytecodeVersion returns the operation as MLIR bytecode of the given version, for older
// readers; -1 means the library's own version. It returns an error if the operation is not
// valid, or cannot be written in that version.
func (o Operation) BytecodeVersion(version int) ([]byte, error) {
	if err := o.Verify(); err != nil {
		return nil, err // the library relies on what verifiers check
	}
	return o.bytecode(version)
}

// BytecodeAssumingVerified is Bytecode without the verification, which takes about half of its time.
// Verify must have accepted the operation, because writing an invalid one may crash the library.
func (o Operation) BytecodeAssumingVerified() ([]byte, error) { return o.bytecode(-1) }

func (o Operation) bytecode(version int) ([]byte, error) {
	t := o.life.use("Operation.Bytecode", o.raw.Ptr)
	c := o.life.ctx
	raw, done, err := o.alone()
	if err != nil {
		return nil, err
	}
	defer done()
	if len(c.smallResources(raw)) > 0 {
		copied := c.operation(raw).Clone()
		defer copied.Erase()
		if err := c.inlineResources(copied.raw); err != nil {
			return nil, err
		}
		raw = copied.raw
	}
	var failed bool
	data := capi.Collect(func(cb capi.MlirStringCallback, ud pointer) {
		if version < 0 {
			capi.MlirOperationWriteBytecode(t, raw, cb, ud)
			return
		}
		config := capi.MlirBytecodeWriterConfigCreate(t)
		defer capi.MlirBytecodeWriterConfigDestroy(t, config)
		capi.MlirBytecodeWriterConfigDesiredEmitVersion(t, config, int64(version))
		failed = capi.MlirOperationWriteBytecodeWithConfig(t, raw, config, cb, ud).Value == 0
	})
	if failed {
		diagnostics := c.takeDiagnostics("")
		if len(diagnostics) == 0 {
			return nil, fmt.Errorf("mlir: %s cannot write bytecode of version %d", c.lib.path, version)
		}
		return nil,
			&DiagnosticError{Op: fmt.Sprintf("writing bytecode of version %d", version), Diagnostics: diagnostics}
	}
	if len(data) == 0 {
		return nil, errors.New("mlir: writing bytecode produced nothing")
	}
	if c.shardy {
		data = shardyform.Written(data)
	}
	return data, nil
}
