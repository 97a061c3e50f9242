package rules

import (
	"slices"

	"github.com/calliope-mlir/calliope/lint"
	"github.com/calliope-mlir/calliope/lint/finding"
	"github.com/calliope-mlir/calliope/mlir"
)

// F64 reports where double precision begins in a module that takes and returns none.
var F64 = &lint.Analyzer{
	Name:         "f64",
	Doc:          "a module computes in f64, though it neither takes nor returns any",
	OffByDefault: true,
	Run:          f64,
	Severity:     finding.Note,
	Details: `Severity: note. Off by default.

Where no public function takes or returns f64 or complex<f64>, double precision inside is often not intended: a constant of
the language the program is written in was not narrowed. It takes twice the memory, and many accelerators lack it. The
rule reports each operation that has a result in f64 and no operand in it.

    %c = stablehlo.constant dense<0.5> : tensor<f64>
    %y = stablehlo.convert %x : (tensor<4xf32>) -> tensor<4xf64>

Write the constant in the type of the arrays. Source: StableHLO's specification, types.`,
}

func f64(p *lint.Pass) error {
	doubles := map[mlir.Type]bool{}
	isDouble := func(t mlir.Type) bool {
		is, known := doubles[t]
		if !known {
			if element, ok := t.Element(); ok {
				if part, complex := element.ComplexElement(); complex {
					element = part
				}
				kind, _ := element.FloatKind()
				is = kind == mlir.F64
			}
			doubles[t] = is
		}
		return is
	}
	ofValue := func(v mlir.Value) bool { return isDouble(v.Type()) }
	for op := range p.Operations("func.func") {
		a, _ := op.Attribute("function_type")
		t, _ := a.TypeValue()
		in, out, _ := t.Signature()
		if op.Visibility() == mlir.Public && slices.ContainsFunc(slices.Concat(in, out), isDouble) {
			return nil
		}
	}
	for _, op := range p.Index.All() {
		if slices.ContainsFunc(op.ResultValues(), ofValue) && !slices.ContainsFunc(op.OperandValues(), ofValue) {
			p.Report(op, finding.Note,
				"%s begins to compute in f64, which no public function takes or returns: use the type of the arrays", op.Name())
		}
	}
	return nil
}
