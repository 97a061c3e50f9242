package mlir

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/calliope-mlir/calliope/experimental/capi"
	"github.com/calliope-mlir/calliope/internal/ir/bytecode"
	"github.com/calliope-mlir/calliope/internal/ir/lex"
	"github.com/calliope-mlir/calliope/internal/ir/retext"
	"github.com/calliope-mlir/calliope/internal/ir/shardyform"
)

// Shardy's dialect, sdy, is in a library of jaxlib that is too old for what JAX writes. In a context of any other
// library this package reads it: its operations are not registered, and its attributes are opaque. The library must
// accept unregistered dialects for that, so this package refuses those of others itself, unless they are allowed.

// readShardy makes the context read Shardy's dialect. It reports whether the dialect is this one, which the library
// lacks.
func (c *Context) readShardy(namespace string) bool {
	if namespace != shardyform.Dialect || c.bare {
		return false
	}
	if !c.shardy {
		c.shardy = true
		c.setUnregistered()
	}
	return true
}

// setUnregistered tells the library what it must accept.
func (c *Context) setUnregistered() {
	capi.MlirContextSetAllowUnregisteredDialects(c.api, c.raw, c.allows || c.shardy)
}

// mentionsShardy reports whether a source names the dialect.
func mentionsShardy(source []byte) bool {
	if !bytes.Contains(source, []byte(shardyform.Dialect)) {
		return false
	}
	if IsBytecode(source) {
		return slices.Contains(bytecode.Open(source).Dialects, shardyform.Dialect)
	}
	return len(lex.Mentioned(source, []string{shardyform.Dialect})) > 0
}

// shardyToRead returns a source as the library reads it. For a text it returns its edits, too.
func (c *Context) shardyToRead(name string, source []byte) ([]byte, *retext.Text, error) {
	if c.bare || !mentionsShardy(source) {
		return source, nil, nil
	}
	if err := c.LoadDialect(shardyform.Dialect); err != nil || !c.shardy {
		return source, nil, err // the library has it
	}
	if IsBytecode(source) {
		made, err := shardyform.Bytecode(source)
		if err != nil {
			return nil, nil, fmt.Errorf("mlir: parse failed: %s: %w", cmp.Or(name, unnamed), err)
		}
		return made, nil, nil
	}
	text, wrong := shardyform.Generic(source)
	if wrong != nil {
		p := Position{File: cmp.Or(name, unnamed), Line: wrong.Line, Column: wrong.Column}
		return nil, nil, &DiagnosticError{Op: "parse", Diagnostics: []Diagnostic{{Position: p,
			Message: fmt.Sprintf("'%[1]s' is not in its form: write %[1]s %[2]s", wrong.Name, wrong.Form)}}}
	}
	return text.Bytes(), text, nil
}

// printed returns what the library printed with Shardy's operations in the form that Shardy's own parser reads.
func (c *Context) printed(text []byte, p PrintOptions) []byte {
	if !c.shardy || p.SkipRegions {
		return text
	}
	return shardyform.Pretty(text, p.Generic)
}

// foreignIn is foreign for a module and the source that it was read from, whose types and attributes it checks, too.
func (c *Context) foreignIn(m *Module, source []byte) error {
	if !c.shardy || c.allows {
		return nil
	}
	for _, namespace := range namedIn(source) {
		if c.LoadDialect(namespace) != nil {
			message := fmt.Sprintf("#%q<…> is of a dialect that the library does not have", namespace)
			return &DiagnosticError{Op: "parse", Diagnostics: []Diagnostic{{Message: message}},
				Hint: c.HintFor(namespace + ".")}
		}
	}
	return c.foreign(m.operation(), "parse")
}

// namedIn returns the namespaces of the attributes and types in a source, each once.
func namedIn(source []byte) (list []string) {
	seen := map[string]bool{}
	add := func(namespace string) {
		if namespace != "" && !seen[namespace] {
			seen[namespace] = true
			list = append(list, namespace)
		}
	}
	if IsBytecode(source) {
		m := bytecode.Open(source)
		m.Read()
		for _, p := range slices.Concat(m.Attributes, m.Types) {
			add(p.Dialect)
		}
		return list
	}
	for t := lex.Next(source, 0); t.Kind != lex.End && t.Kind != lex.Bad; t = lex.Next(source, t.End) {
		if t.Kind == lex.Attribute || t.Kind == lex.Type {
			if end := bytes.IndexAny(source[t.Start:t.End], ".<"); end > 0 {
				add(string(source[t.Start+1 : t.Start+end]))
			}
		}
	}
	return list
}

// foreign returns an error for the first operation of a dialect that the library accepts only because it reads
// Shardy's.
func (c *Context) foreign(o Operation, doing string) (err error) {
	if !c.shardy || c.allows {
		return nil
	}
	o.Walk(func(op Operation) WalkAction {
		if kind := c.kind(op.Name()); !kind.registered && !kind.shardy {
			err = &DiagnosticError{Op: doing, Diagnostics: []Diagnostic{{Position: op.Location().Position(),
				Message: "unregistered operation '" + kind.name + "': the library has no such operation"}},
				Hint: c.HintFor(kind.name)}
			return WalkStop
		}
		return WalkContinue
	})
	return err
}

// isShardy reports whether this package reads the operations of a name.
func (c *Context) isShardy(operation string) bool {
	return c.shardy && strings.HasPrefix(operation, shardyform.Dialect+".")
}

// completeShardy gives an operation of Shardy its extra region, if it has one, and the results that Shardy would infer.
// It returns an error if the parts of the operation do not tell them.
func (c *Context) completeShardy(s *OperationState) error {
	if shardyform.HasExtraRegion(s.Name) && len(s.Regions) == 1 {
		s.Regions = []Region{s.Regions[0], c.NewRegion()}
	}
	if !s.InferResults {
		return nil
	}
	s.InferResults, s.Results = false, nil
	switch {
	case shardyform.HasOperandsType(s.Name) && len(s.Operands) == 1:
		s.Results = []Type{s.Operands[0].Type()}
	case s.Name == shardyform.Dialect+".constant":
		for _, a := range s.Attributes {
			if a.Name == "value" && !a.Value.IsNil() {
				if t, ok := a.Value.Type(); ok {
					s.Results = []Type{t}
					return nil
				}
			}
		}
		return errors.New("mlir: sdy.constant takes its type from its attribute value, which must have one, such as " +
			"dense<0> : tensor<2xi32>")
	}
	return nil
}

// hasExtraRegion reports whether the last region of an operation is there only for the library.
func (o Operation) hasExtraRegion() bool {
	return o.life.ctx.shardy && shardyform.HasExtraRegion(o.Name())
}
