package mlir

import (
	"fmt"
	"strings"

	"github.com/calliope-mlir/calliope/experimental/capi"
)

// definitions are the names that LoadIRDL has defined in a dialect, without its namespace, by what they are:
// "operation", "type" or "attribute".
type definitions map[string][]string

func definitionsIn(dialect Operation) definitions {
	d := definitions{}
	for b := range dialect.Region(0).Blocks() {
		for o := range b.Operations() {
			if kind, ok := strings.CutPrefix(o.Name(), "irdl."); ok {
				d[kind] = append(d[kind], symbolOf(o))
			}
		}
	}
	return d
}

func symbolOf(o Operation) string {
	symbol, _ := o.Attribute("sym_name")
	name, _ := symbol.Text()
	return name
}

// LoadIRDL defines the dialects that a module describes with operations of the irdl
// dialect. The context then knows their operations, types and attributes, and verifies
// them. The module may be closed. LoadIRDL returns an error if a dialect exists already:
// dialects cannot be extended.
func (c *Context) LoadIRDL(m *Module) error {
	t := c.life.check("Context.LoadIRDL")
	m.life.mine(c, "a module", "Context.LoadIRDL")
	if err := c.lib.need("mlirLoadIRDLDialects"); err != nil {
		return err
	}
	if err := m.Verify(); err != nil {
		return err
	}
	found := map[string]definitions{}
	for o := range m.Body().Operations() {
		if o.Name() != "irdl.dialect" {
			continue
		}
		name := symbolOf(o)
		if found[name] != nil || c.LoadDialect(name) == nil {
			return fmt.Errorf("mlir: the dialect %q already exists", name)
		}
		found[name] = definitionsIn(o)
	}
	if len(found) == 0 {
		return fmt.Errorf("mlir: the module does not describe a dialect: it has no irdl.dialect at the top level")
	}
	c.takeDiagnostics("")
	if c.defined == nil {
		c.defined = map[string]definitions{}
	}
	for name, d := range found {
		c.defined[name] = d
	}
	ok := capi.MlirLoadIRDLDialects(t, m.raw).Value != 0
	diagnostics := c.takeDiagnostics("")
	c.forgetKinds() // operations may be registered now
	if !ok {
		return &DiagnosticError{Op: "loading the IRDL dialects", Diagnostics: diagnostics}
	}
	return nil
}
