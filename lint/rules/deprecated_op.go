package rules

import (
	"maps"
	"slices"

	"github.com/calliope-mlir/calliope/lint"
	"github.com/calliope-mlir/calliope/lint/finding"
	"github.com/calliope-mlir/calliope/mlir"
)

// DeprecatedOp reports operations that are to be removed from StableHLO. CreateToken reports create_token.
var DeprecatedOp = &lint.Analyzer{
	Name:     "deprecated-op",
	Doc:      "an operation is deprecated since StableHLO 1.0, and others do the same",
	Run:      deprecatedOp,
	Severity: finding.Warning,
	Details: `Severity: warning; a note where StableHLO still explores the removal.

StableHLO 1.0 deprecated operations that others can express. Consumers need to read them for six months only. To be
removed are

- broadcast: write broadcast_in_dim,
- cross-replica-sum: write all_reduce with an addition,
- dot: write dot_general,
- unary_einsum: write dot_general, or reduce and transpose,
- create_token: write after_all without operands; the rule create-token reports it.

The removal is explored, so these are notes, of

- einsum: write dot_general; torch_index_select: write gather,
- map: write the operations of its body on whole arrays,
- rng: write rng_bit_generator,
- tuple and get_tuple_element: write several values,
- comparisons of complex numbers: compare real and imag; window_reversal of a convolution: write reverse on the kernel.

    %0 = stablehlo.dot %a, %b : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
    %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>

All replacements are in StableHLO from 0.9 on. Source: StableHLO's specification, section Deprecated Operations.`,
}

// removed and explored have what replaces the deprecated operations.
var (
	removed = map[string]string{
		"stablehlo.broadcast":         "stablehlo.broadcast_in_dim",
		"stablehlo.cross-replica-sum": "stablehlo.all_reduce with an addition",
		"stablehlo.dot":               "stablehlo.dot_general",
		"stablehlo.unary_einsum":      "stablehlo.dot_general, or reduce and transpose",
	}
	explored = map[string]string{
		"stablehlo.einsum":             "stablehlo.dot_general",
		"stablehlo.get_tuple_element":  "several values in the place of a tuple",
		"stablehlo.map":                "the operations of its body on whole arrays",
		"stablehlo.rng":                "stablehlo.rng_bit_generator",
		"stablehlo.torch_index_select": "stablehlo.gather",
		"stablehlo.tuple":              "several values in the place of a tuple",
	}
)

func deprecatedOp(p *lint.Pass) error {
	for op := range p.Operations(slices.Sorted(maps.Keys(removed))...) {
		p.Report(op, finding.Warning, "%s is deprecated since StableHLO 1.0, and to be removed: write %s", op.Name(),
			removed[op.Name()])
	}
	explores := func(op mlir.Operation, what, instead string) {
		p.Report(op, finding.Note, "%s is deprecated since StableHLO 1.0, and may be removed: write %s", what, instead)
	}
	for op := range p.Operations(slices.Sorted(maps.Keys(explored))...) {
		explores(op, op.Name(), explored[op.Name()])
	}
	for op := range p.Operations("stablehlo.compare") {
		if element, ok := op.Operand(0).Type().Element(); ok && element.Kind() == mlir.KindComplex {
			explores(op, "a comparison of complex numbers", "comparisons of stablehlo.real and stablehlo.imag")
		}
	}
	for op := range p.Operations("stablehlo.convolution", "stablehlo.dynamic_conv") {
		reversal, ok := op.Attribute("window_reversal")
		if !ok {
			continue
		}
		if reverses, _ := mlir.DenseArrayOf[bool](reversal); slices.Contains(reverses, true) {
			explores(op, "window_reversal of a convolution", "stablehlo.reverse on the kernel")
		}
	}
	return nil
}
