package mlir

import (
	_ "embed" // for propertyTable
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/calliope-mlir/calliope/experimental/capi"
)

// Operations store what is inherent in them as properties. Most properties are attributes, and
// MLIR's C API sets and reads those by name. It has no functions for the others, such as the
// overflow flags of llvm.add. The generic text of an operation has them all, between <{ and }>:
// this file writes and reads that text.

// propertyTable has the properties of upstream operations that are not attributes, one on
// each line: "llvm.add overflowFlags".
//
//go:embed gen_properties.txt
var propertyTable string

// upstreamProperties returns the lines of propertyTable by the name of the property, each
// with the operations that have it.
var upstreamProperties = sync.OnceValue(func() map[string][]string {
	table := map[string][]string{}
	for line := range strings.Lines(propertyTable) {
		operation, name, _ := strings.Cut(strings.TrimRight(line, "\n"), " ")
		table[name] = append(table[name], operation)
	}
	return table
})

// hasProperties reports whether an operation has properties that are not attributes.
func hasProperties(operation string) bool {
	return strings.Contains("\n"+propertyTable, "\n"+operation+" ")
}

// isProperty reports whether an operation has a property that is not an attribute.
func isProperty(operation, name string) bool {
	return slices.Contains(upstreamProperties()[name], operation)
}

// Properties returns the operation's properties, as its generic text has them: the inherent
// attributes, and properties that are not attributes, such as the overflowFlags of llvm.add,
// which Attribute does not find. With the operation's discardable attributes they are what
// OperationState needs for another one. Properties prints the operation without its regions;
// the error is that of an attribute that cannot be parsed again.
func (o Operation) Properties() ([]NamedAttribute, error) {
	text := o.Print(PrintOptions{Generic: true, LocalScope: true, SkipRegions: true})
	dictionary := propertiesIn(text)
	if dictionary == "" {
		return nil, nil
	}
	a, err := o.life.ctx.ParseAttribute(dictionary)
	if err != nil {
		return nil, fmt.Errorf("mlir: the properties of %s: %w", o.Name(), err)
	}
	var list []NamedAttribute
	for name, value := range a.Entries() {
		if inherent, ok := o.Inherent(name); ok {
			value = inherent // because the text of a distinct attribute stands for a new one
		}
		list = append(list, NamedAttribute{name, value})
	}
	return list, nil
}

// propertiesIn returns the dictionary of properties in the generic text of an operation, or "".
func propertiesIn(text string) string {
	_, text, _ = strings.Cut(text, `"(`)
	_, text, _ = strings.Cut(text, ")") // after the operands
	if strings.HasPrefix(text, "[") {
		_, text, _ = strings.Cut(text, "]") // after the successors
	}
	text, ok := strings.CutPrefix(text, " <")
	if !ok {
		return ""
	}
	depth, quoted := 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{':
			depth++
		case c == '}':
			if depth--; depth == 0 {
				return text[:i+1]
			}
		}
	}
	return ""
}

// checkAttributes returns an error if an attribute has the name of a property that is not an
// attribute: the library would keep it as a discardable attribute, which nothing reads.
func (k *operationKind) checkAttributes(attributes []NamedAttribute) error {
	for _, a := range attributes {
		if isProperty(k.name, a.Name) {
			return fmt.Errorf("mlir: %s of %s is a property that is not an attribute: give it in OperationState.Properties", strings.Clone(a.Name), k.name)
		}
	}
	return nil
}

// checkSet panics if an attribute that is about to be set has such a name.
func (o Operation) checkSet(method, name string) {
	if upstreamProperties()[name] != nil && isProperty(o.Name(), name) {
		panic(fmt.Sprintf("mlir: %s: %s of %s is a property that is not an attribute: create the operation again, with OperationState.Properties", method, name, o.Name()))
	}
}

// createWithProperties creates an operation that has properties: first without them, and then
// by parsing a text with the parts of that one.
func (c *Context) createWithProperties(
	t *capi.Table, method string, p point, kind *operationKind, s *OperationState,
) (Operation, error) {
	if len(s.Regions)+len(s.Successors) > 0 {
		return Operation{}, fmt.Errorf("mlir: %s cannot be created with Properties, because it has regions or successors: parse a text that contains it", kind.name)
	}
	without := *s
	without.Properties, without.Attributes = nil, append([]NamedAttribute(nil), s.Attributes...)
	for _, p := range s.Properties {
		p.Value.in(c, method)
		if !isProperty(kind.name, p.Name) { // most are attributes
			without.Attributes = append(without.Attributes, p)
		}
	}
	model, err := c.create(t, method, point{}, &without)
	if err != nil {
		return Operation{}, err
	}
	op, err := model.withProperties(append([]NamedAttribute(nil), s.Properties...))
	if err := errors.Join(err, model.Erase()); err != nil {
		return Operation{}, err
	}
	p.insert(op)
	return op, nil
}

// withProperties returns a detached copy of the operation that has the given properties.
func (o Operation) withProperties(properties []NamedAttribute) (Operation, error) {
	m, err := o.life.ctx.Parse(o.Name(), []byte(o.textWith(properties)))
	if err != nil {
		if d, ok := errors.AsType[*DiagnosticError](err); ok {
			d.Op = "creating " + o.Name()
		}
		return Operation{}, err
	}
	made := m.Body().First()
	if o.NumOperands() > 0 {
		made = made.Next()
	}
	made.Detach()
	for i, v := range o.Operands() {
		made.SetOperand(i, v)
	}
	if err := m.Close(); err != nil {
		return Operation{}, err
	}
	for name, a := range o.Attributes() {
		if is, ok := made.Attribute(name); ok && !is.Equal(a) {
			made.SetAttribute(name, a) // the text of a distinct attribute stands for a new one
		}
	}
	has, err := made.Properties()
	for _, p := range properties {
		if err == nil && !hasAttribute(has, p.Name) {
			err = fmt.Errorf("mlir: %s of %s has no property %q", o.Name(), o.life.ctx.lib.path, p.Name)
		}
	}
	if err != nil {
		return Operation{}, errors.Join(err, made.Erase())
	}
	return made, nil
}

// textWith returns a module with a copy of the operation, whose operands are the results of a
// cast.
func (o Operation) textWith(properties []NamedAttribute) string {
	var b strings.Builder
	types := func(values []Value) string {
		list := make([]string, len(values))
		for i, v := range values {
			list[i] = v.Type().String()
		}
		return strings.Join(list, ", ")
	}
	operands := o.OperandValues()
	if len(operands) > 0 {
		fmt.Fprintf(&b, "%%0:%d = \"builtin.unrealized_conversion_cast\"() : () -> (%s)\n", len(operands),
			types(operands))
	}
	fmt.Fprintf(&b, "%q(", o.Name())
	separator := ""
	write := func(format string, args ...any) {
		fmt.Fprintf(&b, separator+format, args...)
		separator = ", "
	}
	for i := range operands {
		write("%%0#%d", i)
	}
	b.WriteString(") <{")
	separator = ""
	for _, p := range properties {
		write("%q = %s", p.Name, p.Value)
	}
	b.WriteString("}> {")
	separator = ""
	for name, a := range o.Attributes() {
		if !hasAttribute(properties, name) {
			write("%q = %s", name, a)
		}
	}
	fmt.Fprintf(&b, "} : (%s) -> (%s) %s", types(operands), types(o.ResultValues()), o.Location())
	return b.String()
}
