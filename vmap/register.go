package vmap

import (
	"errors"
	"fmt"

	"github.com/calliope-mlir/calliope/internal/ir/transform"
	"github.com/calliope-mlir/calliope/mlir"
)

// A Rule makes the batch of an operation of any dialect, or of the custom calls of a target. operands are batches of
// the operands of op, along the first dimension, also of those that are the same for all elements. It returns such
// batches of the results. It creates operations with the builder, which keeps their mistakes: [mlir.Builder.Fail] ends
// the transformation with an error. Several goroutines may call a rule at once.
type Rule func(b *mlir.Builder, op mlir.Operation, operands []mlir.Value) []mlir.Value

// Register adds the rule of an operation by its name, such as shop.pay, as JAX's primitive_batchers. The rule is that
// of each later transformation in this process. An operation that has a rule is an error. Register is safe for
// concurrent use.
func Register(operation string, r Rule) error {
	return register(r, func(r rule) error { return rules.Add(operation, r) })
}

// RegisterTarget adds the rule of the custom calls of a target: see [Register]. A rule of the target is preferred to
// the method of a callback, and to the loop in which other custom calls run.
func RegisterTarget(target string, r Rule) error {
	return register(r, func(r rule) error { return rules.AddTarget(target, r) })
}

func register(r Rule, add func(rule) error) error {
	if r == nil {
		return errors.New("vmap: the rule is nil")
	}
	if err := add(r.batch); err != nil {
		return fmt.Errorf("vmap: %w", err)
	}
	return nil
}

// batch is the rule in the form of those of this package.
func (r Rule) batch(b *batcher, op mlir.Operation) []mlir.Value {
	operands := b.all(op)
	made := transform.Build(b.Emitter, func(at *mlir.Builder) []mlir.Value { return r(at, op, operands) })
	if len(made) != op.NumResults() {
		transform.Fail(op, "its rule returns %d values, and the operation has %d results", len(made), op.NumResults())
	}
	for i, v := range op.Results() {
		if want := b.typeOf(v.Type()); made[i].IsNil() || !made[i].Type().Equal(want) {
			transform.Fail(op, "its rule returns another value for result %d than a batch, which is %s", i, want)
		}
	}
	return made
}
