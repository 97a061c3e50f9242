package operations

import (
	"math/rand/v2"

	"github.com/calliope-mlir/calliope/tensor"
)

// Module returns the text of a module with a program of one or two operations, most often of f64. It may be invalid.
func Module(r *rand.Rand) (name, text string) {
	for {
		g, op := &generator{Rand: r}, pick(r, drawn)
		var e *element
		if f64 := (element{DType: tensor.F64}); f64.is(op.takes) && r.IntN(4) > 0 {
			e = &f64
		}
		if p, ok := g.attempt(op, e, nil, r.IntN(2) == 0); ok {
			return p.String(), packed(p).text
		}
	}
}
