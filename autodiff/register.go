package autodiff

import (
	"errors"
	"fmt"

	"github.com/calliope-mlir/calliope/internal/ir/transform"
	"github.com/calliope-mlir/calliope/mlir"
)

// A Rule is the derivative of an operation of any dialect, or of the custom calls of a target. Its functions create
// operations with a builder, which keeps their mistakes: [mlir.Builder.Fail] ends the transformation with an error.
// They may be called by several goroutines at once.
type Rule struct {
	// JVP returns the tangents of the results of op, from those of its operands. An operand or a result that is no
	// floating-point or complex array has the zero Value as its tangent. The zero Value for another result says that
	// its tangent is zero. What JVP creates must be linear in the tangents, and is transposed for reverse mode. It must
	// have rules itself if it is differentiated again.
	JVP func(b *mlir.Builder, op mlir.Operation, tangents []mlir.Value) []mlir.Value
	// Transpose returns the cotangents of the operands of op, which is linear in them, from those of its results. The
	// zero Value is for operands in which op is not linear. It is needed for operations that a JVP creates of tangents.
	Transpose func(b *mlir.Builder, op mlir.Operation, cotangents []mlir.Value) []mlir.Value
}

// Register adds the rule of an operation by its name, such as shop.pay, as JAX's primitive_jvps. The rule is that of
// each later transformation in this process. An operation that has a rule is an error. Register is safe for concurrent
// use.
func Register(operation string, r Rule) error {
	return register(r, func(r rule) error { return rules.Add(operation, r) })
}

// RegisterTarget adds the rule of the custom calls of a target: see [Register]. A rule of the target is preferred to
// the keys of a callback.
func RegisterTarget(target string, r Rule) error {
	return register(r, func(r rule) error { return rules.AddTarget(target, r) })
}

func register(r Rule, add func(rule) error) error {
	if r.JVP == nil && r.Transpose == nil {
		return errors.New("autodiff: the rule has neither a JVP nor a Transpose")
	}
	if err := add(r.rule()); err != nil {
		return fmt.Errorf("autodiff: %w", err)
	}
	return nil
}

// rule returns the rule in the form of those of this package.
func (r Rule) rule() (made rule) {
	if r.JVP != nil {
		made.jvp = r.jvp
	}
	if r.Transpose != nil {
		made.transpose = r.transpose
	}
	return made
}

func (r Rule) jvp(f *forward, op mlir.Operation) {
	tangents := op.OperandValues()
	for i, v := range tangents {
		if tangents[i] = (mlir.Value{}); differentiable(v.Type()) {
			tangents[i] = f.full(v)
		}
	}
	made := transform.Build(f.Emitter, func(b *mlir.Builder) []mlir.Value { return r.JVP(b, op, tangents) })
	checkRule(op, "JVP", "results", op.ResultValues(), made)
	for i, v := range op.Results() {
		f.set(v, made[i])
	}
}

func (r Rule) transpose(b *backward, op mlir.Operation) {
	cotangents := op.ResultValues()
	for i, v := range cotangents {
		if cotangents[i] = (mlir.Value{}); differentiable(v.Type()) {
			cotangents[i] = b.orZero(b.cotangents[v], v.Type())
		}
	}
	made := transform.Build(b.Emitter, func(at *mlir.Builder) []mlir.Value { return r.Transpose(at, op, cotangents) })
	checkRule(op, "Transpose", "operands", op.OperandValues(), made)
	for i, v := range op.Operands() {
		b.add(v, made[i])
	}
}

// checkRule ends the transformation if what a rule returned is not of the types of values.
func checkRule(op mlir.Operation, rule, what string, values, made []mlir.Value) {
	if len(made) != len(values) {
		transform.Fail(op, "the %s of its rule returns %d values, and the operation has %d %s", rule, len(made), len(values), what)
	}
	for i, v := range made {
		if !v.IsNil() && !v.Type().Equal(values[i].Type()) {
			transform.Fail(op, "the %s of its rule returns %s for value %d of its %s, which is %s", rule, v.Type(), i, what,
				values[i].Type())
		}
	}
}
