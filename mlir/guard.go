package mlir

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/calliope-mlir/calliope/experimental/capi"
	"github.com/calliope-mlir/calliope/internal/ir/bytecode"
	"github.com/calliope-mlir/calliope/internal/ir/guard"
	"github.com/calliope-mlir/calliope/internal/text/lazyregexp"
)

// IsBytecode reports whether data is MLIR bytecode. A portable artifact is bytecode, too.
func IsBytecode(data []byte) bool { return bytecode.Is(data) }

// parseGuard returns an error if the library would crash on what Parse is given.
func (c *Context) parseGuard(name string, data []byte) error {
	at, wrong := guard.Source(data)
	if wrong == "" && !c.bare {
		if err := c.genericGuard(name, data); err != nil {
			return err
		}
		var reads bool
		at, wrong, reads = guard.Nest(data, guard.Known{Registered: c.Registered, HasDialectOf: c.hasDialectOf,
			Unregistered: c.allows || c.shardy})
		c.readsTables = c.readsTables || reads
	}
	if wrong == "" {
		return nil
	}
	p := Position{File: cmp.Or(name, unnamed)} // that in bytecode has no line
	if !IsBytecode(data) {
		line := data[bytes.LastIndexByte(data[:at], '\n')+1 : at]
		p.Line, p.Column = 1+bytes.Count(data[:at], []byte{'\n'}), 1+len(line)
	}
	return &DiagnosticError{Op: "parse", Diagnostics: []Diagnostic{{Position: p, Message: wrong}}}
}

// The guards of Create hold for text in generic form, too: its operations may have any parts. A context with hardly a
// dialect reads such a text without verifiers that could crash, and what its operations have is then checked. Types and
// attributes of dialects are texts there, which is all that guards look at.

// genericGuard returns an error if the library would crash on an operation that a text has in generic form. There
// is none if another part of the text is in the form of a dialect, which only that dialect reads.
func (c *Context) genericGuard(name string, data []byte) (err error) {
	if IsBytecode(data) || !slices.ContainsFunc(genericNames(data), guard.InText) {
		return nil
	}
	bare := c.lib.bareContext()
	defer bare.Close()
	m, wrong := bare.Parse(name, data)
	if wrong != nil {
		return nil
	}
	m.Operation().Walk(func(op Operation) WalkAction {
		kind := op.Name()
		if guard.InText(kind) {
			s := op.state()
			s.Attributes = op.named()
			if missing := guard.Creation(kind)(s.guarded(kind)); missing != "" && c.Registered(kind) {
				err = &DiagnosticError{Op: "parse", Diagnostics: []Diagnostic{{Position: op.Location().Position(),
					Message: "'" + kind + "' op needs " + missing + ": the library would crash on it"}}}
				return WalkStop
			}
		}
		return WalkContinue
	})
	return err
}

var words = lazyregexp.New(`[A-Za-z_][\w$.]*`)

// named returns the attributes of an operation of a bare context. Those that its text has as properties are not among
// its attributes there, but have names.
func (o Operation) named() (list []NamedAttribute) {
	text := o.Print(PrintOptions{Generic: true, SkipRegions: true, LocalScope: true, AssumeVerified: true})
	seen := map[string]bool{}
	for _, name := range words().FindAllString(text, -1) {
		if a, ok := o.Attribute(name); ok && !seen[name] {
			seen[name] = true
			list = append(list, NamedAttribute{name, a})
		}
	}
	return list
}

// genericNames returns the names of the operations that a text has in generic form, each once.
func genericNames(text []byte) (names []string) {
	seen := map[string]bool{}
	for at := 0; ; {
		next := bytes.Index(text[at:], []byte(`"(`))
		if next < 0 {
			return names
		}
		quoted := text[at : at+next]
		name := quoted[bytes.LastIndexByte(quoted, '"')+1:]
		if at += next + 2; !seen[string(name)] {
			seen[string(name)] = true
			names = append(names, string(name))
		}
	}
}

// bareContext returns a context that accepts the operations of all dialects, and has those of functions and loops.
func (l *Library) bareContext() *Context {
	registry := capi.MlirDialectRegistryCreate(l.api)
	defer capi.MlirDialectRegistryDestroy(l.api, registry)
	for _, name := range []string{"func", "scf"} {
		l.api.RegisterDialect(registry, name)
	}
	c := l.newContext(capi.MlirContextCreateWithRegistry(l.api, registry, false), ContextOptions{})
	c.bare = true
	c.watch()
	c.SetAllowUnregistered(true)
	return c
}
