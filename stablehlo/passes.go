package stablehlo

import "slices"

// Pass is a pass of StableHLO. Pass managers know it by its name; it is registered
// with the library's other passes.
type Pass struct {
	Name string
	// On is the operation that it runs on: builtin.module or func.func.
	On      string
	Purpose string
}

// Pipeline is the text of a pipeline with this one pass, for
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

// Passes are those of StableHLO in the default library. Another library may lack some
// and have others; its pass manager says so.
func Passes() []Pass { return slices.Clone(passes) }

const (
	onModule   = "builtin.module"
	onFunction = "func.func"
)

var passes = []Pass{
	{"chlo-legalize-to-stablehlo", onFunction, "expands CHLO into StableHLO"},
	{"shape-legalize-to-stablehlo", onFunction, "makes StableHLO of the shape dialect's operations"},
	{"stablehlo-canonicalize-dynamism", onFunction, "makes dynamic operations static where their operands are constant"},
	{"stablehlo-compatibility-expander", onModule, "expands operations that the version in the option target lacks"},
	{"stablehlo-complex-math-expander", onFunction, "expands functions of complex numbers into real ones"},
	{"stablehlo-convert-to-signless", onModule, "makes all integers signless, for upstream dialects"},
	{"stablehlo-legalize-composite-to-call", onFunction, "replaces composites by calls of their decompositions"},
	{"stablehlo-legalize-deprecated-ops", onFunction, "replaces operations that StableHLO is giving up"},
	{"stablehlo-legalize-qdq-to-quantized-op", onFunction, "makes a quantized operation of one between dequantize and quantize"},
	{"stablehlo-legalize-quant-to-math", onFunction, "computes quantized operations with integers"},
	{"stablehlo-legalize-quantized-op-to-qdq", onFunction, "puts a quantized operation between dequantize and quantize"},
	{"stablehlo-legalize-to-linalg", onModule, "makes linalg of StableHLO"},
	{"stablehlo-legalize-to-vhlo", onModule, "makes the versioned dialect of StableHLO"},
	{"stablehlo-refine-arguments", onModule, "gives main the argument types in the option types"},
	{"stablehlo-refine-shapes", onModule, "propagates shapes from the arguments of main"},
	{"vhlo-legalize-to-stablehlo", onModule, "makes StableHLO of the versioned dialect"},
	{"vhlo-to-version", onModule, "brings the versioned dialect to the version in the option target"},
}
