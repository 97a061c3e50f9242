package passes

import (
	"fmt"
	"strings"

	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/mlir/dialect/function"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// rulePrefix begins the names of the composites that package autodiff reads, and of the functions that package builder
// makes for them.
const rulePrefix = "calliope."

// InlineRules replaces the composites that state the derivative of a function, such as calliope.custom_vjp, by what the
// function does: a compiler has no use for their rules. Private functions that are not needed then are removed. It
// returns the number of composites.
func InlineRules(m *mlir.Module) (int, error) {
	n, made := 0, false
	_, functions := function.Defined(m)
	for name := range functions {
		made = made || strings.HasPrefix(name, rulePrefix)
	}
	for list := rules(m.Operation()); len(list) > 0; {
		op := list[0]
		list = list[1:]
		o, _ := stablehlo.AsComposite(op)
		f, ok := functions[o.Decomposition]
		if n++; !ok || n > maxRules {
			return n, fmt.Errorf("passes: the decomposition @%s of %s at %s is not in the module, or contains itself",
				o.Decomposition, o.Name, op.Location().Position())
		}
		copies, err := function.Inline(op, f)
		if err != nil {
			return n, fmt.Errorf("passes: %s at %s: %w", o.Name, op.Location().Position(), err)
		}
		for _, copied := range copies {
			list = append(list, rules(copied)...)
		}
	}
	if n == 0 && !made {
		return 0, nil
	}
	return n, RunGuarded(m, "builtin.module(symbol-dce)")
}

// maxRules limits how many composites are inlined.
const maxRules = 1 << 16

// rules returns the composites in an operation that state derivatives.
func rules(in mlir.Operation) (list []mlir.Operation) {
	for op := range in.Index().Named("stablehlo.composite") {
		if o, ok := stablehlo.AsComposite(op); ok && strings.HasPrefix(o.Name, rulePrefix) {
			list = append(list, op)
		}
	}
	return list
}
