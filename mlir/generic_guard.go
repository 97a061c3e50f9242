package mlir

import (
	"bytes"
	"slices"
	"strings"

	"github.com/calliope-mlir/calliope/experimental/capi"
	"github.com/calliope-mlir/calliope/internal/lazyregexp"
)

// The guards of Create hold for text in generic form, too: its operations may have any parts. A context with hardly a
// dialect reads such a text without verifiers that could crash, and what its operations have is then checked. Types and
// attributes of dialects are texts there, which is all that guards look at.

// genericGuard returns an error if the library would crash on an operation that a text has in generic form. There
// is none if another part of the text is in the form of a dialect, which only that dialect reads.
func (c *Context) genericGuard(name string, data []byte) (err error) {
	if c.bare || IsBytecode(data) || !slices.ContainsFunc(genericNames(data), guardsText) {
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
		if guard := createGuard(kind); guard != nil && guardsText(kind) {
			s := op.state()
			s.Name, s.Attributes = kind, op.named()
			if missing := guard(&s); missing != "" && c.Registered(kind) {
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

// guardsText reports whether an operation has a guard that textGuard does not stand for.
func guardsText(name string) bool {
	dialect, _, _ := strings.Cut(name, ".")
	return dialect != "stablehlo" && dialect != "mhlo" && dialect != "chlo" && createGuard(name) != nil
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
	capi.MlirContextSetAllowUnregisteredDialects(l.api, c.raw, true)
	return c
}
