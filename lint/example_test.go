package lint_test

import (
	"fmt"
	"log"

	"github.com/calliope-mlir/calliope/lint"
	"github.com/calliope-mlir/calliope/lint/finding"
	"github.com/calliope-mlir/calliope/lint/rules"
	"github.com/calliope-mlir/calliope/mlir"
)

// halves is a rule of the user.
var halves = &lint.Analyzer{
	Name: "halves",
	Doc:  "a value of 16 bits loses digits",
	Run: func(p *lint.Pass) error {
		for op := range p.Operations("stablehlo.add", "stablehlo.multiply") {
			element, _ := op.Result(0).Type().Element()
			if element.String() == "f16" {
				p.Report(op, finding.Warning, "%s computes in 16 bits", op.Name())
			}
		}
		return nil
	},
}

// A module is checked with the rules of mlir-lint and one more.
func ExampleCheck() {
	const module = `func.func @f(%x: tensor<4xf16>, %t: !stablehlo.token) -> tensor<4xf16> {
  %y = stablehlo.add %x, %x : tensor<4xf16>
  %u = "stablehlo.outfeed"(%y, %t) : (tensor<4xf16>, !stablehlo.token) -> !stablehlo.token
  return %y : tensor<4xf16>
}`
	library, err := mlir.Open(mlir.OpenOptions{})
	if err != nil {
		log.Fatal(err) // contains the command that fetches the library
	}
	analyzers := append(rules.All(), halves)
	if err := lint.Validate(analyzers); err != nil {
		log.Fatal(err)
	}
	found, err := lint.Check(library, "model.mlir", []byte(module), lint.Options{Analyzers: analyzers})
	if err != nil {
		log.Fatal(err)
	}
	for _, d := range found {
		fmt.Println(d)
	}
	// Output:
	// model.mlir:1:1: note: a token is in the signature of @f, and only the runtime that it was written for passes it: for any runtime, order calls by values, or by tokens of type tensor<1xi8> [token-value]
	// model.mlir:2:8: warning: stablehlo.add computes in 16 bits [halves]
	// model.mlir:3:8: error: stablehlo.outfeed sends values to a host queue that current runtimes do not drain, so the program hangs here: use a stablehlo.custom_call with api_version = 4 instead, in the observe or the passthrough form [outfeed]
}
