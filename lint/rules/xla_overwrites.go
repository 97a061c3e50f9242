package rules

import (
	"github.com/calliope-mlir/calliope/internal/ir/xlafix"
	"github.com/calliope-mlir/calliope/lint"
	"github.com/calliope-mlir/calliope/lint/finding"
)

// XLAOverwrites reports calls and loops that overwrite what the module returns.
var XLAOverwrites = &lint.Analyzer{
	Name:     "xla-overwrites",
	Doc:      "XLA returns what a call or a loop in a branch wrote, in place of the value that the module returns",
	Run:      xlaOverwrites,
	Severity: finding.Warning,
	Details: `Severity: warning.

Where main or a branch returns one array, and a call or a loop in a branch inside it may write to the memory of this array,
XLA's CPU compiler removes the copy that it needs. It returns what was written. Here @main returns what the callback made of
%0, and not %0:

    %1 = "stablehlo.if"(%p) ({
      %2 = stablehlo.custom_call @calliope_io_callback(%0) {…aliased…} : (tensor<4xf32>) -> tensor<4xf32>
      stablehlo.return %2 : tensor<4xf32>
    }, {…}) : (tensor<i1>) -> tensor<4xf32>
    return %0 : tensor<4xf32>

The module is right, so the finding is a warning. It concerns programs that give the module to XLA themselves: by JAX's
compile, in a C++ host. Calliope prepares a module before it compiles it. The repair does the same, as
calliope-opt --prepare does. Leaving out the alias helps too: XLA then copies.

With -strict, it is an error. docs/reference/xla-deviations.md shows it on the plugins.`,
}

// unprepared is the end of the messages about what the preparation mends.
const unprepared = "a program that gives the module to XLA itself, and not through Calliope, has to prepare it before"

func xlaOverwrites(p *lint.Pass) error {
	for _, d := range deviationsOf(p) {
		if d.Operand < 0 {
			continue
		}
		what := "the loop"
		if d.Op.Name() == "stablehlo.custom_call" {
			what = "the call"
		}
		p.ReportFix(d.Op, deviates(p), prepare, "%s may write to the memory of operand %d, which a computation around its branch returns, and XLA then returns what was written: %s",
			what, d.Operand, unprepared)
	}
	return nil
}

var prepare = finding.Fix{Message: "prepare the module for XLA's CPU compiler", Prepare: true, Unsafe: true}

// deviates returns the severity of modules that are right, and that XLA gets wrong.
func deviates(p *lint.Pass) finding.Severity {
	if p.Strict {
		return finding.Error
	}
	return finding.Warning
}

// deviationsOf returns what XLA gets wrong, and the preparation mends.
func deviationsOf(p *lint.Pass) []xlafix.Deviation {
	type key struct{}
	return lint.Shared(p, key{}, func() []xlafix.Deviation { return xlafix.Deviations(p.Module, p.Index) })
}
