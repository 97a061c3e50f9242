package mlir

import (
	"fmt"

	"github.com/calliope-mlir/calliope/internal/capi"
)

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
	var names []string
	seen := map[string]bool{}
	for o := range m.Body().Operations() {
		if o.Name() != "irdl.dialect" {
			continue
		}
		symbol, _ := o.Attribute("sym_name")
		name, _ := symbol.Text()
		if seen[name] || c.LoadDialect(name) == nil {
			return fmt.Errorf("mlir: the dialect %q already exists", name)
		}
		seen[name] = true
		names = append(names, name)
	}
	if len(names) == 0 {
		return fmt.Errorf("mlir: the module does not describe a dialect: it has no irdl.dialect at the top level")
	}
	c.takeDiagnostics("")
	if c.defined == nil {
		c.defined = map[string]bool{}
	}
	for _, name := range names {
		c.defined[name] = true
	}
	ok := capi.MlirLoadIRDLDialects(t, m.raw).Value != 0
	diagnostics := c.takeDiagnostics("")
	c.forgetKinds() // operations may be registered now
	if !ok {
		return &DiagnosticError{Op: "loading the IRDL dialects", Diagnostics: diagnostics}
	}
	return nil
}
