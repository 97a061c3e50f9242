package mlir

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"maps"
	"os"
	"strings"
	"weak"

	"github.com/calliope-mlir/calliope/experimental/capi"
	"github.com/calliope-mlir/calliope/internal/ir/bytecode"
	"github.com/calliope-mlir/calliope/internal/ir/notmlir"
	"github.com/calliope-mlir/calliope/internal/run/forgotten"
)

// A Module is a top-level builtin.module. It owns everything in it. The caller must close
// it; closing its context closes it, too. One that is garbage without having been closed is freed with its context, or
// earlier if Operation and what else returns handles into it were not called.
type Module struct {
	*moduleState
	ctx   *Context
	raw   capi.MlirModule
	life  *lifetime
	guard *forgotten.Guard[forgottenModule]
}

// A moduleState does not lead to the Module, which may be garbage.
type moduleState struct {
	busy int // the number of runs of passes or patterns on it
	// shown is set once a handle into the module was returned.
	shown  bool
	handle weak.Pointer[Module]
	// functions are the types of functions before they were lowered.
	functions map[string]Type
}

func (c *Context) module(raw capi.MlirModule) *Module {
	c.destroyLost()
	t := c.newTop(capi.OperationKind, raw.Ptr)
	m := c.moduleOf(t, &moduleState{})
	m.watch(t)
	return m
}

// moduleOf returns a new Module of an outermost operation.
func (c *Context) moduleOf(t *top, s *moduleState) *Module {
	m := &Module{s, c, capi.MlirModule{Ptr: t.raw}, &lifetime{ctx: c, of: "Module", parent: c.life}, nil}
	s.handle, t.module = weak.Make(m), s
	return m
}

// NewModule creates an empty module.
func (c *Context) NewModule(loc Location) *Module {
	t := c.life.check("Context.NewModule")
	return c.module(capi.MlirModuleCreateEmpty(t, loc.in(c, "Context.NewModule")))
}

// Parse reads a module from text, bytecode or a StableHLO portable artifact. name names the
// source in diagnostics and, if it is text, in the locations of its operations. If it is
// empty, the locations name the file "-". Text without an enclosing module gets one. The
// module is verified. If it cannot be parsed or is not valid, the error is a *DiagnosticError.
//
// Operations and attributes of Shardy's dialect, sdy, are read in all forms, whether the library has the dialect or
// not. Without it, the operations are not registered, their properties are attributes, and no pass knows them. The
// operations of StableHLO's dialect check, which no library has, are read if the library has IRDL, and printed in the
// generic form.
//
// The parser and the verifiers are the library's C++ code, and some malicious inputs crash
// them, for example bytecode that is damaged in what further dialects encode, or a Shardy
// sharding of the wrong rank. A program that reads untrusted files should do so in a child
// process, as tools/mlir-lint does.
//
// If text is nested more than a thousand levels deep, this context calls all recursive
// functions on a thread with a large stack from then on. 100,000 levels can be read,
// printed and closed. The same holds for IR that is built with this depth. Building types,
// attributes or locations that are nested more than 131,072 levels deep panics.
func (c *Context) Parse(name string, data []byte) (*Module, error) {
	c.life.check("Context.Parse")
	return c.parseModule(name, data, false)
}

// parseModule is Parse. again says that the text is one of otherBooleans.
func (c *Context) parseModule(name string, data []byte, again bool) (*Module, error) {
	t := c.api
	if err := c.parseGuard(name, data); err != nil {
		return nil, err
	}
	// A byte order mark is not MLIR, but many editors write one.
	text := bytes.TrimPrefix(data, []byte("\ufeff"))
	text, shardy, err := c.shardyToRead(name, text)
	if err != nil {
		return nil, err
	}
	checks, err := c.checksToRead(name, text)
	if err != nil {
		return nil, err
	}
	if checks != nil {
		text = checks.Bytes()
	}
	rewritten := rewriting{shardy, checks}
	source := terminated(text)
	var raw capi.MlirModule
	parse := func() pointer {
		raw = c.parseText(name, source)
		return raw.Ptr
	}
	if IsBytecode(data) {
		parse = func() pointer {
			raw = capi.MlirModuleCreateParse(t, c.raw, source[:len(source)-1])
			return raw.Ptr
		}
	}
	if IsBytecode(data) && bytecode.Open(data).IsPortable() {
		if err := c.lib.need("stablehloDeserializePortableArtifactNoError"); err != nil {
			return nil, err
		}
		parse = func() pointer {
			raw = capi.StablehloDeserializePortableArtifactNoError(t, source[:len(source)-1], c.raw)
			return raw.Ptr
		}
	}
	if err := c.parse(data, source, parse); err != nil {
		return nil, err
	}
	diagnostics := c.takeDiagnostics(name)
	if raw.Ptr == nil {
		if text := otherBooleans(data, diagnostics); text != nil && !again {
			return c.parseModule(name, text, true)
		}
		if line, reason := notmlir.Reason(data); reason != "" {
			p := Position{File: cmp.Or(name, unnamed), Line: line, Column: 1}
			diagnostics = []Diagnostic{{Position: p, Message: reason}}
		}
		diagnostics = rewritten.restored(diagnostics)
		if len(diagnostics) == 0 {
			diagnostics = c.shortForm(name, data)
		}
		return nil, &DiagnosticError{Op: "parse", Diagnostics: diagnostics, Hint: c.hint(data, diagnostics)}
	}
	c.restore(rewritten, name, raw)
	m := c.module(raw)
	if err := c.foreignIn(m, data); err != nil {
		return nil, errors.Join(err, m.Close())
	}
	return m, nil
}

// terminated returns text followed by a NUL. Some libraries read up to it, whatever the
// given length. Text may be large, and is copied only once.
func terminated(text []byte) string {
	var b strings.Builder
	b.Grow(len(text) + 1)
	b.Write(text)
	b.WriteByte(0)
	return b.String()
}

// parsable returns a text for the parsers of attributes and types, with a NUL byte after it,
// up to which some libraries read. torch-mlir's library crashes on an empty text.
func parsable(text string) string {
	if text == "" {
		text = " "
	}
	return text + "\x00"
}

// ParseFile reads a module from a file, as Parse does.
func (c *Context) ParseFile(path string) (*Module, error) {
	c.life.check("Context.ParseFile")
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("mlir: %w", err)
	}
	return c.Parse(path, data)
}

// Adopt returns a Module that owns the given operation, a detached builtin.module.
func (c *Context) Adopt(o Operation) (*Module, error) {
	o.in(c, "Context.Adopt")
	own, ok := c.tops[o.raw.Ptr]
	if !ok || own.module != nil {
		return nil, fmt.Errorf("mlir: the operation %s is not detached: detach or clone it", o.Name())
	}
	raw := capi.MlirModuleFromOperation(c.api, o.raw)
	if raw.Ptr == nil {
		return nil, fmt.Errorf("mlir: %s is not a builtin.module", o.Name())
	}
	c.calls.mayJoin(raw.Ptr, "Context.Adopt")
	if own.uses != nil {
		if op := capi.UserOfOutside(c.api, capi.OperationKind, o.raw.Ptr, nil); op.Ptr != nil {
			return nil, fmt.Errorf("mlir: the module uses values from outside, in %s", c.operation(op).Name())
		}
		own.uses = nil
		delete(c.users, own)
	}
	return c.moduleOf(own, &moduleState{shown: true}), nil
}

// Clone returns a copy of the module. The caller must close it. Clone panics if the module
// uses values that are not in it, or not visible where they are used.
func (m *Module) Clone() *Module {
	t := m.life.check("Module.Clone")
	raw := capi.MlirOperationClone(t, capi.MlirModuleGetOperation(t, m.raw))
	if op := capi.UserOfOutside(t, capi.OperationKind, raw.Ptr, nil); op.Ptr != nil {
		// The value was detached from the module, or the library did not copy the use: a
		// value may be used outside the region that it is in.
		capi.MlirOperationDestroy(t, raw)
		panic("mlir: Module.Clone: the module uses values that are not in it, or are not visible where they are used")
	}
	clone := m.ctx.module(capi.MlirModuleFromOperation(t, raw))
	clone.functions = maps.Clone(m.functions)
	return clone
}

// Name returns the module's symbol name, for example jit_f for module @jit_f, and whether
// it has one.
func (m *Module) Name() (string, bool) {
	m.life.check("Module.Name")
	return m.operation().Symbol()
}

// SymbolTable returns the symbol table of the module, which finds functions and other
// symbols by name.
func (m *Module) SymbolTable() *SymbolTable {
	table, err := m.Operation().SymbolTable()
	if err != nil {
		panic(err) // a module is always a symbol table
	}
	return table
}

// Invalidate invalidates all handles into the module. Call it after the library changed the
// module in a way that this package cannot notice. The panics of old handles name by as the
// cause. The module itself stays valid, and returns new handles.
func (m *Module) Invalidate(by string) {
	m.life.check("Module.Invalidate")
	m.ctx.renew(m.ctx.tops[m.raw.Ptr], "after "+by)
}

// OnLargeStack calls f on a thread whose C stack is large enough for parsing, printing,
// verifying and closing deeply nested modules, which are recursive. These functions switch
// to such a thread themselves if they need one; OnLargeStack saves starting a thread for
// each of them. On such a thread it calls f at once. f must not use the context after it returns.
// If no thread can be started, OnLargeStack returns an error and does not call f.
func OnLargeStack(f func() error) error {
	if capi.IsLargeStack() {
		return f()
	}
	var err error
	if e := capi.OnLargeStack(func() { err = f() }); e != nil {
		return fmt.Errorf("mlir: %w", e)
	}
	return err
}

// Close destroys the module. Handles into it must not be used after that. Closing a closed
// module does nothing. The error is always nil.
func (m *Module) Close() error {
	if m.life.ended || m.ctx.life.ended {
		return nil
	}
	if m.busy > 0 {
		panic("mlir: Module.Close called while passes or patterns run on the module")
	}
	m.life.ended = true
	forgottenModules.Drop(&m.guard)
	m.ctx.end(m.ctx.tops[m.raw.Ptr], "after Module.Close")
	return nil
}

// Context returns the context that the module belongs to.
func (m *Module) Context() *Context {
	m.given("Module.Context")
	return m.ctx
}

// given panics if the Module is nil, usually because its error was not checked.
func (m *Module) given(method string) {
	if m == nil {
		panic("mlir: " + method + " called on a nil Module: check the error that was returned with it")
	}
}

// Operation returns the builtin.module operation.
func (m *Module) Operation() Operation {
	m.given("Module.Operation")
	m.life.check("Module.Operation")
	m.shown = true
	return m.operation()
}

// operation is Operation for a handle that is not retained.
func (m *Module) operation() Operation {
	return m.ctx.operation(capi.MlirModuleGetOperation(m.ctx.api, m.raw))
}

// Body returns the module's only block. It panics if the block was detached or erased.
func (m *Module) Body() Block {
	m.given("Module.Body")
	m.life.check("Module.Body")
	// The library's function returns an invalid pointer if there is no block.
	b := m.Operation().Region(0).First()
	if b.IsNil() {
		panic("mlir: Module.Body: the module's block was detached or erased")
	}
	return b
}

// Verify checks that the module and everything in it is valid. If not, the error is a
// *DiagnosticError.
func (m *Module) Verify() error {
	m.given("Module.Verify")
	m.life.check("Module.Verify")
	return m.operation().Verify()
}

// String returns the module's text.
func (m *Module) String() string {
	m.given("Module.String")
	m.life.check("Module.String")
	return m.operation().String()
}

// Bytecode returns the module as MLIR bytecode of the library's own version. It verifies
// the module first. If the module is not valid, the error is a *DiagnosticError.
func (m *Module) Bytecode() ([]byte, error) {
	m.given("Module.Bytecode")
	m.life.check("Module.Bytecode")
	return m.operation().Bytecode()
}
