package contract

import "github.com/calliope-mlir/calliope/tensor"

// A Module is what bridge.Client.Compile gets to know of a module: see bridge.DescribedProgram.
type Module struct {
	// Artifact is the module in a form that XLA reads.
	Artifact []byte
	// Effects are those whose runtime tokens are the last parameters and the last results of
	// the module, in their order.
	Effects []string
	// Inexact describes the operations that XLA's simplification takes for others with a
	// different value, with their places.
	Inexact []string
	// Calls returns the custom calls, in the order of the text. It is nil if they are not known.
	Calls func() []CustomCall
}

// A CustomCall is a custom call of a Module.
type CustomCall struct {
	Target            string
	Loc               string         // its place in the source; "" if unknown
	Config            string         // its dictionary as MLIR prints it; "" if it has none, or it is not known
	Index             int            // its attribute index, a ui64, as calls of JAX have it; -1 if it has none
	Operands, Results []tensor.Shape // those that are arrays; nil if they are not known
}
