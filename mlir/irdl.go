package mlir

import (
	"fmt"

	"github.com/calliope-mlir/calliope/internal/capi"
)

// LoadIRDL defines the dialects that a module describes with operations of the irdl
// dialect. The context then knows their operations, types and attributes, and verifies
// them; the module may be closed. A dialect that exists already is an error: nothing
// can be added to one.
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
			return fmt.Errorf("mlir: the dialect %q exists already", name)
		}
		seen[name] = true
		names = append(names, name)
	}
	if len(names) == 0 {
		return fmt.Errorf("mlir: the module describes no dialect: there is no irdl.dialect directly in it")
	}
	c.takeDiagnostics("")
	c.defines = true
	ok := capi.MlirLoadIRDLDialects(t, m.raw).Value != 0
	diagnostics := c.takeDiagnostics("")
	c.forgetKinds() // what was not registered may be now
	if !ok {
		return &DiagnosticError{Op: "loading the IRDL dialects", Diagnostics: diagnostics}
	}
	return nil
}
