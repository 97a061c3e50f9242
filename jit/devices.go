package jit

import (
	"errors"

	"github.com/calliope-mlir/calliope/contract/callop"
	"github.com/calliope-mlir/calliope/internal/ir/xlafix"
	"github.com/calliope-mlir/calliope/jit/internal/lower"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo/sharding"
)

// undivide is sharding.Undivide, with the error that this package returns for what it does not compile.
func undivide(m *mlir.Module) error {
	if _, err := xlafix.ExpandMeshAxes(m); err != nil {
		return err
	}
	err := sharding.Undivide(m)
	if of, ok := errors.AsType[*sharding.ManualError](err); ok {
		return &lower.UnsupportedError{Operation: callop.Manual, Position: of.Position,
			Reason: lower.ErrDevices.Error()}
	}
	return err
}
