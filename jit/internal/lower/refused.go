package lower

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/calliope-mlir/calliope/mlir"
)

// refused has the operations that are never compiled, and what to do about them.
var refused = map[string]string{
	"stablehlo.infeed":  "there is no host to feed it: mlir-lint -fix and passes.Migrate put a callback in its place",
	"stablehlo.outfeed": "there is no host to take it: mlir-lint -fix and passes.Migrate put a callback in its place",
	"stablehlo.recv":    "there is no host or device to receive from: use a callback",
	"stablehlo.send":    "there is no host or device to send to: use a callback",
}

// Refuse returns an error for an operation that cannot be compiled because of reason.
func Refuse(op mlir.Operation, reason string) error {
	return &UnsupportedError{Operation: op.Name(), Position: op.Location().Position(), Reason: reason}
}

// Reason returns the text of an error, without the line of this module's code at which a builder failed.
func Reason(err error) string {
	if b, ok := errors.AsType[*mlir.BuildError](err); ok {
		err = b.Err
	}
	return strings.TrimPrefix(err.Error(), "mlir: ")
}

// check returns an error if a module has an operation that is never compiled.
func check(m *mlir.Module) (err error) {
	for op := range m.Operation().All() {
		if reason := refused[op.Name()]; reason != "" {
			return Refuse(op, reason)
		}
		if op.Name() != "stablehlo.custom_call" {
			continue
		}
		a, _ := op.Attribute("call_target_name")
		if target, _ := a.Text(); !slices.Contains(annotations, target) {
			return Refuse(op, fmt.Sprintf("nothing serves the target %q: register a function of this name", target))
		}
	}
	return nil
}

// left returns an error if the passes left an operation of StableHLO.
func left(m *mlir.Module) error {
	for op := range m.Operation().All() {
		if dialect, _, _ := strings.Cut(op.Name(), "."); dialect == "stablehlo" || dialect == "chlo" {
			return Refuse(op, "there is no lowering for it")
		}
	}
	return nil
}
