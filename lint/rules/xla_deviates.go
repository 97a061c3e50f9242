package rules

import (
	"github.com/calliope-mlir/calliope/lint"
	"github.com/calliope-mlir/calliope/lint/finding"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// XLADeviates reports what XLA's CPU compiler gets wrong, but for XLAOverwrites.
var XLADeviates = &lint.Analyzer{
	Name:     "xla-deviates",
	Doc:      "XLA computes something else, loses a call, or does not compile the module",
	Run:      xlaDeviates,
	Severity: finding.Warning,
	Details: `Severity: warning.

XLA's CPU compiler makes something else of

- a power of integers whose exponent is not known, or above 63, or which divides another integer,
- calls in the condition of a loop, if constants say how often it runs: they are lost,
- a loop with side effects that runs zero times, and alone uses the results of one without: the process ends,
- a sum of booleans, if it is a constant, and random bits that are signed integers,
- a reduction that combines one element with an initial value, or a reduce_window that adds initial values, or a
  select_and_scatter without windows: they are lost,
- a scatter with windows that may be partly outside of the array, or with several windows and no indices,
- indices of types that do not count the elements of the array, and constants of unsigned ones,
- the population count of signed integers of 2 or 4 bits, sorts of elements of 2 bits, and products and sorts of small
  elements and others,
- an arctangent over several dimensions: it reads memory that is not initialized,
- a conversion of numbers of 4 bits to integers, and a quotient of constants by the integer 0,
- an array that is updated by a part of itself, and gets another shape before or after that, or is made of windows,
- a slice of a slice whose starts may be out of range: XLA adds them before it clamps the sum,
- a loop with constant bounds, whose step does not divide their distance, or whose counter wraps: it runs too few times.

    %1 = stablehlo.power %x, %k : tensor<4xi32>   // XLA reads six bits of %k

These modules are right, so the findings are warnings. They concern programs that give a module to XLA themselves: by JAX's
compile, in a C++ host. Calliope prepares a module before it compiles it. The repair does the same, as
calliope-opt --prepare does.

XLA does not compile, or ends the process on

- a typed custom call in the body of a reduce, a sort or the like, or in a function that a custom call names,
- a bitcast_convert between booleans and wider integers, or between complex numbers and another type,
- numbers of 6 bits, and a remainder of complex numbers.

Calliope refuses these modules, too, with the place. They have no repair: call before or after, on whole arrays.

With -strict, all are errors. docs/reference/xla-deviations.md shows each on the plugins. Values that an algebraic
simplification changes are not reported: an exact compile prevents that.`,
}

func xlaDeviates(p *lint.Pass) error {
	for _, d := range deviationsOf(p) {
		if d.Operand < 0 {
			p.ReportFix(d.Op, deviates(p), prepare, "%s: %s", d.About, unprepared)
		}
	}
	for _, c := range stablehlo.MisplacedCalls(p.Index) {
		p.Report(c.Operation, deviates(p), "%v", c)
	}
	for op, why := range stablehlo.Untranslated(p.Index) {
		p.Report(op, deviates(p), "%s", why)
	}
	for op := range p.Operations("stablehlo.bitcast_convert") {
		if stablehlo.PacksBooleans(op) {
			p.Report(op, deviates(p), "XLA cannot compile a bitcast_convert of %s to %s: convert booleans to integers, shift and reduce them",
				op.Operand(0).Type(), op.Result(0).Type())
		}
	}
	return nil
}
