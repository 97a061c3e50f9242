package main

import (
	"errors"
	"fmt"

	"github.com/calliope-mlir/calliope/mlir/dialect/function"
)

// refuseCalls returns an error for calls that crash XLA: of a function without a body, and
// of a function that calls itself, because XLA inlines every call.
func (m *module) refuseCalls() error {
	for op := range m.ir.Module.Body().Operations() {
		if name := symbolOf(op); name != "" && op.Region(0).First().IsNil() {
			return fmt.Errorf("%s: the function @%s has no body: XLA needs the body of each function", m.place(op),
				name)
		}
	}
	err := function.CheckRecursion(m.ir.Module)
	if r, ok := errors.AsType[*function.RecursionError](err); ok {
		return fmt.Errorf("%s: %w", m.place(r.Function), r)
	}
	return err
}
