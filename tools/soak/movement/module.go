package movement

import (
	"math/rand/v2"

	"github.com/calliope-mlir/calliope/tensor"
)

// Module returns the text of a module with a program that moves and computes numbers of f64. Its loops end
// with all arguments.
func Module(r *rand.Rand) string {
	g := &generator{Rand: r, p: &program{numbers: true}, elems: []tensor.DType{tensor.F64}}
	text, _ := module(g.fill(false))
	return text
}
