package mlir_test

import (
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
)

// TestAttributeWithDefault gives an operation values of an attribute that has a default. The
// library drops a value that is not allowed, and would crash when it prints the operation.
func TestAttributeWithDefault(t *testing.T) {
	c := mlirtest.Context(t)
	const name = "split_transfer_strategy"
	create := func(value string) (mlir.Operation, error) {
		return mlir.Create(c, mlir.OperationState{
			Name:       "transform.apply_patterns.vector.split_transfer_full_partial",
			Attributes: []mlir.NamedAttribute{{Name: name, Value: mlirtest.Attribute(c, value)}},
		})
	}
	for range 2 {
		_, err := create("4 : i32")
		check.Error(t, err, `the attribute "split_transfer_strategy"`, "wrong kind")
		op := check.Must(create("1 : i32"))
		check.Panics(t, "cannot be set to 4", func() { op.SetAttribute(name, mlirtest.Attribute(c, "4 : i32")) })
		if !op.RemoveAttribute(name) {
			t.Error("the attribute is not there")
		}
		value, _ := op.Attribute(name)
		check.Diff(t, "default", "2 : i32", value.String())
		check.Diff(t, "text", "transform.apply_patterns.vector.split_transfer_full_partial\n", op.String())
	}
}
