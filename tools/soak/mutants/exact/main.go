// Command exact is mlir-lint with one more rule: found reports every operation that -quick finds,
// so that both can be compared.
package main

import (
	"os"

	"github.com/calliope-mlir/calliope/lint"
	"github.com/calliope-mlir/calliope/lint/command"
	"github.com/calliope-mlir/calliope/lint/finding"
	"github.com/calliope-mlir/calliope/lint/rules"
)

var found = &lint.Analyzer{Name: "found", Doc: "reports each operation that -quick finds",
	Run: func(p *lint.Pass) error {
		for op := range p.Operations("stablehlo.create_token", "stablehlo.infeed", "stablehlo.outfeed",
			"mhlo.create_token", "mhlo.infeed", "mhlo.outfeed") {
			p.Report(op, finding.Note, "%s", op.Name())
		}
		return nil
	}}

func main() { os.Exit(command.Main(append(rules.All(), found)...)) }
