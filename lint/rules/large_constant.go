package rules

import (
	"fmt"

	"github.com/calliope-mlir/calliope/lint"
	"github.com/calliope-mlir/calliope/lint/finding"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// LargeConstant reports constants of a mebibyte and more.
var LargeConstant = &lint.Analyzer{
	Name:         "large-constant",
	Doc:          "an array of a mebibyte or more is a constant in the module",
	OffByDefault: true,
	Run:          largeConstant,
	Severity:     finding.Note,
	Details: `Severity: note. Off by default.

A constant is a part of the module and of each program that is compiled from it. The compiler reads, copies and may fold it,
which takes time and memory with its size. Weights, for example, are constants if a traced function closes over them.

    %w = stablehlo.constant dense<"0x…"> : tensor<4096x4096xf32>   // 64 MiB

Pass such arrays as arguments. Constants that have the same value in each element are stored once, and not reported.
Source: StableHLO's specification, constant.`,
}

const largeBytes = 1 << 20

func largeConstant(p *lint.Pass) error {
	for op := range p.Operations("stablehlo.constant") {
		shape, err := stablehlo.ShapeOf(op.Result(0).Type())
		if err != nil || shape.Check() != nil || shape.NumBytes() < largeBytes {
			continue
		}
		if value, ok := op.Attribute("value"); ok && !value.IsSplat() {
			size := fmt.Sprintf("%.1f MiB", float64(shape.NumBytes())/largeBytes)
			p.Report(op, finding.Note, "a constant of %s is a part of the module: pass the array as an argument", size)
		}
	}
	return nil
}
