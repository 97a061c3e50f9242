package stablehlo

import "slices"

// A Pass describes a pass of StableHLO. It is registered with the library's other passes.
// A pipeline refers to it by its name.
type Pass struct {
	Name string
	// On is the name of the operation that it runs on: builtin.module or func.func.
	On      string
	Purpose string
}

// Pipeline returns the text of a pipeline that consists of this pass, for
// mlir.PassManagerOptions.Pipeline. The options have the form "name=value name=value".
func (p Pass) Pipeline(options string) string {
	text := p.Name
	if options != "" {
		text += "{" + options + "}"
	}
	if p.On != "builtin.module" {
		text = p.On + "(" + text + ")"
	}
	return "builtin.module(" + text + ")"
}

// Passes returns the passes of StableHLO in the default library. Other libraries may lack
// some of them, and have others. NewPassManager returns an error for a pass that the
// library lacks.
func Passes() []Pass { return slices.Clone(passes) }

const (
	onModule   = "builtin.module"
	onFunction = "func.func"
)

var passes = []Pass{
	{"chlo-legalize-to-stablehlo", onFunction, "expands CHLO into StableHLO"},
	{"shape-legalize-to-stablehlo", onFunction, "converts operations of the shape dialect to StableHLO"},
	{"stablehlo-canonicalize-dynamism", onFunction, "makes dynamic operations static if their operands are constant"},
	{"stablehlo-compatibility-expander", onModule, "expands operations that the version in the option target lacks"},
	{"stablehlo-complex-math-expander", onFunction, "expands functions of complex numbers into real ones"},
	{"stablehlo-convert-to-signless", onModule, "makes all integers signless, for upstream dialects"},
	{"stablehlo-legalize-composite-to-call", onFunction, "replaces composites by calls of their decompositions"},
	{"stablehlo-legalize-deprecated-ops", onFunction, "replaces operations that StableHLO deprecates"},
	{"stablehlo-legalize-qdq-to-quantized-op", onFunction,
		"replaces an operation between dequantize and quantize by a quantized one"},
	{"stablehlo-legalize-quant-to-math", onFunction, "computes quantized operations with integers"},
	{"stablehlo-legalize-quantized-op-to-qdq", onFunction,
		"replaces a quantized operation by one between dequantize and quantize"},
	{"stablehlo-legalize-to-linalg", onModule, "converts StableHLO to linalg"},
	{"stablehlo-legalize-to-vhlo", onModule, "converts StableHLO to the versioned dialect"},
	{"stablehlo-refine-arguments", onModule, "sets the argument types of main to those in the option types"},
	{"stablehlo-refine-shapes", onModule, "propagates shapes from the arguments of main"},
	{"vhlo-legalize-to-stablehlo", onModule, "converts the versioned dialect to StableHLO"},
	{"vhlo-to-version", onModule, "converts the versioned dialect to the version in the option target"},
}
