package mlir

import (
	"strings"

	"github.com/calliope-mlir/calliope/experimental/capi"
)

// An AsmState holds the numbering of values and the aliases that printing needs, so that
// they are computed only once for several prints. It is for the operation that it was
// created for, and the operations and values in it. It is out of date once that operation
// has changed. The caller must close it.
type AsmState struct {
	life  *lifetime // of the operation
	of    pointer
	raw   capi.MlirAsmState
	flags capi.MlirOpPrintingFlags
}

// NewAsmState numbers the values in and around an operation.
func (o Operation) NewAsmState(p PrintOptions) (*AsmState, error) {
	t := o.life.use("Operation.NewAsmState", o.raw.Ptr)
	p.Generic = p.Generic || o.orphan()
	return o.life.newAsmState(o.raw.Ptr, p, func(flags capi.MlirOpPrintingFlags) capi.MlirAsmState {
		return capi.MlirAsmStateCreateForOperation(t, o.raw, flags)
	})
}

func (v Value) asmState(p PrintOptions) (*AsmState, error) {
	t := v.use("Value.Name")
	// The library looks for the containing operation, which an argument of a detached block
	// lacks.
	if b := v.Block(); !b.IsNil() && b.Parent().IsNil() {
		return &AsmState{life: v.life}, nil
	}
	p.Generic = p.Generic || v.Owner().orphan()
	return v.life.newAsmState(v.raw.Ptr, p, func(flags capi.MlirOpPrintingFlags) capi.MlirAsmState {
		return capi.MlirAsmStateCreateForValue(t, v.raw, flags)
	})
}

func (l *lifetime) newAsmState(
	of pointer, p PrintOptions, create func(capi.MlirOpPrintingFlags) capi.MlirAsmState,
) (*AsmState, error) {
	lib := l.ctx.lib
	if err := lib.printable(p); err != nil {
		return nil, err
	}
	flags := p.flags(lib.api)
	s := &AsmState{life: l, of: of, flags: flags}
	l.ctx.asks(func() { s.raw = create(flags) })
	return s, nil
}

// Close frees the state. Closing a closed state does nothing. The error is always nil.
func (s *AsmState) Close() error {
	if s.raw.Ptr == nil {
		return nil
	}
	t := s.life.ctx.api
	capi.MlirAsmStateDestroy(t, s.raw)
	capi.MlirOpPrintingFlagsDestroy(t, s.flags)
	s.raw.Ptr = nil
	return nil
}

func (s *AsmState) check(method string) *capi.Table {
	if s.raw.Ptr == nil {
		panic("mlir: " + method + " called after AsmState.Close")
	}
	return s.life.use(method, s.of)
}

// Print returns the operation's text.
func (s *AsmState) Print(o Operation) string {
	t := s.check("AsmState.Print")
	o.in(s.life.ctx, "AsmState.Print")
	var text string
	s.life.ctx.asks(func() { text = printWithState(t, o.raw, s.raw) })
	if s.life.ctx.printsTwice() {
		text = strings.TrimSuffix(text, string(capi.Collect(func(cb capi.MlirStringCallback, ud pointer) {
			capi.MlirOperationPrint(t, o.raw, cb, ud)
		})))
	}
	return string(s.life.ctx.printed([]byte(text), PrintOptions{}))
}

func printWithState(t *capi.Table, o capi.MlirOperation, s capi.MlirAsmState) string {
	return string(capi.Collect(func(cb capi.MlirStringCallback, ud pointer) {
		capi.MlirOperationPrintWithState(t, o, s, cb, ud)
	}))
}

// printsTwice reports whether printing with a state prints the operation a second time
// without it, as libraries before LLVM 21 do.
func (c *Context) printsTwice() bool {
	c.doubled.once.Do(func() {
		t := c.api
		m := capi.MlirModuleCreateEmpty(t, capi.MlirLocationUnknownGet(t, c.raw))
		defer capi.MlirModuleDestroy(t, m)
		flags := PrintOptions{}.flags(t)
		defer capi.MlirOpPrintingFlagsDestroy(t, flags)
		o := capi.MlirModuleGetOperation(t, m)
		state := capi.MlirAsmStateCreateForOperation(t, o, flags)
		defer capi.MlirAsmStateDestroy(t, state)
		c.doubled.yes = strings.Count(printWithState(t, o, state), "module") > 1
	})
	return c.doubled.yes
}

// Name returns the value's name as an operand in the text, for example %0.
func (s *AsmState) Name(v Value) string {
	if s.raw.Ptr == nil && s.of == nil {
		return "<<detached block argument>>"
	}
	t := s.check("AsmState.Name")
	v.in(s.life.ctx, "AsmState.Name")
	return string(capi.Collect(func(cb capi.MlirStringCallback, ud pointer) {
		capi.MlirValuePrintAsOperand(t, v.raw, s.raw, cb, ud)
	}))
}
