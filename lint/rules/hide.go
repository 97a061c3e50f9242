package rules

import (
	"bytes"
	"slices"
	"strings"

	"github.com/calliope-mlir/calliope/lint"
	"github.com/calliope-mlir/calliope/mlir"
)

// The verifier refuses aliases with a wrong path before any rule sees them. In the relaxed text,
// they are in another attribute, which no verifier looks at. Its name has the same length, so that
// every operation stays in its place.
const (
	aliasesAttribute = "output_operand_aliases"
	hiddenAliases    = "stablehlo.alias_masked"
)

var hideAliases = &lint.Relaxation{
	Text: func(text []byte, refusal *mlir.DiagnosticError) []byte {
		about := func(d mlir.Diagnostic) bool { return strings.Contains(d.Message, "output_operand_alias attribute") }
		if !slices.ContainsFunc(refusal.Diagnostics, about) {
			return nil
		}
		return hide(text)
	},
	Restore: func(m *mlir.Module) {
		for op := range m.Operation().All() {
			if hidden, ok := op.Attribute(hiddenAliases); ok {
				if _, mended := op.Attribute(aliasesAttribute); !mended {
					op.SetAttribute(aliasesAttribute, hidden)
				}
				op.RemoveAttribute(hiddenAliases)
			}
		}
	},
}

// hide renames the attribute with the aliases in a text, outside of strings and comments. The
// properties of an operation in the generic form, <{…}>, become attributes, {…}: MLIR drops unknown
// properties.
func hide(text []byte) []byte {
	hidden := bytes.Clone(text)
	type brace struct {
		at         int
		properties bool // it is the start of <{…}>
		hides      bool
	}
	var open []brace
	for i := 0; i < len(text); i++ {
		switch rest := text[i:]; {
		case text[i] == '"':
			for i++; i < len(text) && text[i] != '"'; i++ {
				if text[i] == '\\' {
					i++
				}
			}
		case bytes.HasPrefix(rest, []byte("//")):
			if n := bytes.IndexByte(rest, '\n'); n >= 0 {
				i += n
			} else {
				i = len(text)
			}
		case text[i] == '{':
			open = append(open, brace{at: i, properties: i > 0 && text[i-1] == '<'})
		case text[i] == '}' && len(open) > 0:
			b := open[len(open)-1]
			open = open[:len(open)-1]
			if b.properties && b.hides && i+1 < len(text) && text[i+1] == '>' {
				hidden[b.at-1], hidden[i+1] = ' ', ' '
			}
		case bytes.HasPrefix(rest, []byte(aliasesAttribute)) && len(open) > 0:
			open[len(open)-1].hides = true
			copy(hidden[i:], hiddenAliases)
			i += len(aliasesAttribute) - 1
		}
	}
	return hidden
}
