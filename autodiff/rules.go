package autodiff

import (
	"github.com/calliope-mlir/calliope/internal/ir/transform"
	"github.com/calliope-mlir/calliope/mlir"
)

// A rule is what is known about one operation.
type rule struct {
	// jvp sets the tangents of the results. It is called if an operand has a tangent, for an
	// operation with a result that may have one. The operation stays where it is: jvp creates
	// operations after it. An operation without jvp and expand has no derivative, which is an error.
	jvp func(f *forward, op mlir.Operation)
	// expand returns the results of the operation, computed by others that have rules, or nil. They
	// take its place before its derivative is made.
	expand func(f *forward, op mlir.Operation) []mlir.Value
	// transpose adds to the cotangents of the operands that are linear, for an operation that is
	// linear in them. It is called if a result has a cotangent.
	transpose func(b *backward, op mlir.Operation)
	// multilinear says that the operation is linear in each operand that may have a tangent, so that transpose
	// adds the derivatives along the cotangent also if there are several.
	multilinear bool
	// vjp does what transpose does for an operation that is not linear. Without it, jvp is transposed.
	vjp func(b *backward, op mlir.Operation)
	// zero says that the derivative is zero.
	zero bool
}

// rules has the rules of operations and of custom calls, also those of other packages: see Register.
var rules transform.Rules[rule]

func init() { // the rules of loops and branches refer to the table
	for _, family := range []map[string]rule{
		elementwise, special, linear, products, shapes, slicing, indexing, reductions, windows, algebra, control,
		expanded,
		collectives, shardy, named, broadcasting, calls, custom,
	} {
		rules.AddAll(family)
	}
	for target, r := range targets() {
		transform.Check(rules.AddTarget(target, r))
	}
}

// ruleFor returns the rule of an operation, which is zero if it has none.
func ruleFor(op mlir.Operation) rule {
	r, _ := rules.Of(op)
	return r
}

// none is the rule of operations whose derivative is zero.
var none = rule{zero: true, jvp: func(*forward, mlir.Operation) {}}
