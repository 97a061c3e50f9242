package lint

import "github.com/calliope-mlir/calliope/mlir"

// CheckModule runs the rules on a module in memory, which must be valid, and returns the
// findings in the order of the text that it was parsed from. Positions are those of that text
// if it was parsed under an empty name. file is the file name in the findings, and bytecode says
// that the module was parsed from bytecode.
func CheckModule(module *mlir.Module, file string, bytecode bool, o Options) []Diagnostic {
	c := newCheck(file, bytecode)
	c.run(module, o)
	return c.found
}

// At returns a finding at a location of a module that was parsed under an empty name. It sets
// File, Line and Column. It adds a position that is not one in the input to the message.
func (d Diagnostic) At(file string, at mlir.Location, bytecode bool) Diagnostic {
	c := newCheck(file, bytecode)
	c.add(at.Position(), d.Severity, d.Message, d.Rule)
	return c.found[0]
}
