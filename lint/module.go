package lint

import (
	"github.com/calliope-mlir/calliope/lint/finding"
	"github.com/calliope-mlir/calliope/mlir"
)

// CheckModule runs the rules on a module in memory, which must be valid, and returns the findings in
// the order of the text that it was parsed from. file is the file name in the findings, and places
// are those in the text, or nil for a module that was not parsed from text.
func CheckModule(module *mlir.Module, file string, places *Places, o Options) []finding.Finding {
	c := newCheck(file, func() *Places { return places })
	c.allowed = o.AllowUnregistered
	c.run(module, o)
	return c.found
}
