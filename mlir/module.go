package mlir

import (
	"bytes"
	"fmt"
	"os"
	"strings"

	"github.com/calliope-mlir/calliope/internal/capi"
)

// Module is a top-level builtin.module and owns everything inside it. The caller
// closes it; closing its context closes it too.
type Module struct {
	ctx  *Context
	raw  capi.MlirModule
	life *lifetime
	busy int // runs of passes or patterns on it that are under way
	// shown is set once a handle was returned: there may be others to what is in it then.
	shown bool
}

func (c *Context) module(raw capi.MlirModule) *Module {
	m := &Module{ctx: c, raw: raw, life: &lifetime{ctx: c, of: "Module", parent: c.life}}
	c.newTop(capi.OperationKind, raw.Ptr).module = m
	return m
}

// NewModule makes an empty module.
func (c *Context) NewModule(loc Location) *Module {
	t := c.life.check("Context.NewModule")
	return c.module(capi.MlirModuleCreateEmpty(t, loc.in(c, "Context.NewModule")))
}

// bytecodeMagic starts every MLIR bytecode file.
const bytecodeMagic = "ML\xefR"

// artifactProducer stands near the front of a StableHLO portable artifact, which is
// bytecode of the VHLO dialect.
const artifactProducer = "StableHLO_v"

// IsBytecode reports whether data is MLIR bytecode, a portable artifact included.
func IsBytecode(data []byte) bool {
	return strings.HasPrefix(string(data[:min(len(data), 4)]), bytecodeMagic)
}

// IsPortableArtifact reports whether data is a StableHLO portable artifact.
func IsPortableArtifact(data []byte) bool {
	return IsBytecode(data) && strings.Contains(string(data[:min(len(data), 64)]), artifactProducer)
}

// Parse reads a module from text, bytecode or a StableHLO portable artifact. name
// stands for the source in diagnostics and may be empty. Text without an enclosing
// module gets one. The module is verified; what is wrong with it comes back as a
// *DiagnosticError.
//
// The parser and the verifiers are the library's C++, and some hostile inputs crash it:
// damaged bytecode, or a Shardy sharding of the wrong rank. A program that reads files
// of strangers does so in a child process, as tools/mlir-lint does.
//
// Where a text is nested more than a thousand levels deep, all that recurses is called on
// a thread with a large stack, in this context and from then on: 100,000 levels are read,
// printed and closed. So it is for what is built so deeply.
func (c *Context) Parse(name string, data []byte) (*Module, error) {
	t := c.life.check("Context.Parse")
	// A byte order mark is no MLIR, and many editors write one.
	source := terminated(bytes.TrimPrefix(data, []byte("\ufeff")))
	var raw capi.MlirModule
	parse := func() pointer {
		raw = capi.MlirModuleCreateParse(t, c.raw, source[:len(source)-1])
		return raw.Ptr
	}
	if IsPortableArtifact(data) {
		if err := c.lib.need("stablehloDeserializePortableArtifactNoError"); err != nil {
			return nil, err
		}
		parse = func() pointer {
			raw = capi.StablehloDeserializePortableArtifactNoError(t, source[:len(source)-1], c.raw)
			return raw.Ptr
		}
	}
	c.parse(data, source, parse)
	diagnostics := c.takeDiagnostics(name)
	if raw.Ptr == nil {
		return nil, &DiagnosticError{Op: "parse", Diagnostics: diagnostics, Hint: c.hint(data, diagnostics)}
	}
	return c.module(raw), nil
}

// terminated is text with a NUL after it, up to which some libraries read whatever the
// length they are given. It may be large, and is copied once.
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

// ParseFile is Parse of a file's content.
func (c *Context) ParseFile(path string) (*Module, error) {
	c.life.check("Context.ParseFile")
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("mlir: %w", err)
	}
	return c.Parse(path, data)
}

// Adopt makes a Module of a detached builtin.module operation, which it owns from
// then on.
func (c *Context) Adopt(o Operation) (*Module, error) {
	o.in(c, "Context.Adopt")
	own, ok := c.tops[o.raw.Ptr]
	if !ok || own.module != nil {
		return nil, fmt.Errorf("mlir: the operation %s has an owner already: detach or clone it", o.Name())
	}
	raw := capi.MlirModuleFromOperation(c.api, o.raw)
	if raw.Ptr == nil {
		return nil, fmt.Errorf("mlir: %s is no builtin.module", o.Name())
	}
	c.calls.mayJoin(raw.Ptr, "Context.Adopt")
	if own.uses != nil {
		if op := capi.Stray(c.api, capi.OperationKind, o.raw.Ptr, nil); op.Ptr != nil {
			return nil, fmt.Errorf("mlir: the module uses values that stand outside of it, in %s", c.operation(op).Name())
		}
		own.uses = nil
	}
	own.module = &Module{ctx: c, raw: raw, life: &lifetime{ctx: c, of: "Module", parent: c.life}, shown: true}
	return own.module, nil
}

// Clone makes a copy of the module. The caller closes it.
func (m *Module) Clone() *Module {
	t := m.life.check("Module.Clone")
	raw := capi.MlirOperationClone(t, capi.MlirModuleGetOperation(t, m.raw))
	if op := capi.Stray(t, capi.OperationKind, raw.Ptr, nil); op.Ptr != nil {
		// It was taken out of the module, or the library did not find its copy: a value may
		// be used outside of the region that it is in.
		capi.MlirOperationDestroy(t, raw)
		panic("mlir: Module.Clone: the module uses values that are not in it, or uses them where they cannot be seen")
	}
	return m.ctx.module(capi.MlirModuleFromOperation(t, raw))
}

// Name is the module's own name, for example jit_f of module @jit_f.
func (m *Module) Name() (string, bool) {
	m.life.check("Module.Name")
	return m.operation().Symbol()
}

// SymbolTable finds the module's functions and other symbols by name.
func (m *Module) SymbolTable() *SymbolTable {
	table, err := m.Operation().SymbolTable()
	if err != nil {
		panic(err) // a module is one
	}
	return table
}

// Invalidate ends every handle of what is in the module, for those who let the library
// change it in ways that cannot be followed, as a pass does. by is what the panic
// names. The module stays, and handles are got anew from it.
func (m *Module) Invalidate(by string) {
	m.life.check("Module.Invalidate")
	m.ctx.renew(m.ctx.tops[m.raw.Ptr], "after "+by)
}

// OnLargeStack runs f on a thread whose C stack is large enough for deeply nested
// modules: parsing, printing, verifying and closing them all recurse. Nothing needs it, as
// these look for such a stack themselves; it saves them starting a thread each time. What
// f does with the context must be over when it returns.
func OnLargeStack(f func() error) error {
	var err error
	if e := capi.OnLargeStack(func() { err = f() }); e != nil {
		return fmt.Errorf("mlir: %w", e)
	}
	return err
}

// Close destroys the module. Handles of what was inside may not be used after it. Closing
// twice does nothing. The error is always nil.
func (m *Module) Close() error {
	if m.life.ended || m.ctx.life.ended {
		return nil
	}
	if m.busy > 0 {
		panic("mlir: Module.Close called while passes or patterns run on the module")
	}
	m.life.ended = true
	m.ctx.end(m.ctx.tops[m.raw.Ptr], "after Module.Close")
	return nil
}

// Context is the context that the module belongs to.
func (m *Module) Context() *Context {
	m.given("Module.Context")
	return m.ctx
}

// given panics for the nil Module, which mostly comes with an error that nobody saw.
func (m *Module) given(method string) {
	if m == nil {
		panic("mlir: " + method + " called on a nil Module: look at the error that came with it")
	}
}

// Operation is the builtin.module operation itself.
func (m *Module) Operation() Operation {
	m.given("Module.Operation")
	m.life.check("Module.Operation")
	m.shown = true
	return m.operation()
}

// operation is Operation for a handle that is not kept.
func (m *Module) operation() Operation {
	return m.ctx.operation(capi.MlirModuleGetOperation(m.ctx.api, m.raw))
}

// Body is the module's only block. It panics where that was taken out or erased.
func (m *Module) Body() Block {
	m.given("Module.Body")
	m.life.check("Module.Body")
	// The library's own function answers with a wild pointer where there is no block.
	b := m.Operation().Region(0).First()
	if b.IsNil() {
		panic("mlir: Module.Body: the module's block was taken out of it")
	}
	return b
}

// Verify checks the module and everything in it. What is wrong comes back as a
// *DiagnosticError.
func (m *Module) Verify() error {
	m.given("Module.Verify")
	m.life.check("Module.Verify")
	return m.operation().Verify()
}

// String is the module's text.
func (m *Module) String() string {
	m.given("Module.String")
	m.life.check("Module.String")
	return m.operation().String()
}

// Bytecode is the module as MLIR bytecode of the library's own version. It is verified
// before; what is wrong with it comes back as a *DiagnosticError.
func (m *Module) Bytecode() ([]byte, error) {
	m.given("Module.Bytecode")
	m.life.check("Module.Bytecode")
	return m.operation().Bytecode()
}
