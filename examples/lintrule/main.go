// Command lintrule is mlir-lint with a rule of its own: the rules of package rules, and one that
// finds computations in 16 bits.
//
//	go run ./examples/lintrule model.mlir
package main

import (
	"os"

	"github.com/calliope-mlir/calliope/lint"
	"github.com/calliope-mlir/calliope/lint/command"
	"github.com/calliope-mlir/calliope/lint/finding"
	"github.com/calliope-mlir/calliope/lint/rules"
)

func main() { os.Exit(command.Main(append(rules.All(), halfPrecision)...)) }

var halfPrecision = &lint.Analyzer{
	Name: "half-precision",
	Doc:  "a sum or a product is computed in 16 bits",
	Details: `Severity: warning.

Sums and products of f16 lose digits. Convert to f32 before, and back after:

    %1 = stablehlo.convert %0 : (tensor<4xf16>) -> tensor<4xf32>`,
	Run: func(p *lint.Pass) error {
		for op := range p.Operations("stablehlo.add", "stablehlo.multiply", "stablehlo.dot_general") {
			if element, _ := op.Result(0).Type().Element(); element.String() == "f16" {
				p.Report(op, finding.Warning, "%s computes in 16 bits: convert its operands to f32", op.Name())
			}
		}
		return nil
	},
}
