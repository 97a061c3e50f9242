package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/calliope-mlir/calliope/internal/text/nearest"
	"github.com/calliope-mlir/calliope/jit"
	"github.com/calliope-mlir/calliope/mlir"
)

// printAfter is the flag that prints the module within package jit.
const printAfter = "jit-print-after"

// printAfter returns what compiles a module, and prints what it is after a step, or after each one that changes it.
func (o *options) printAfter(wanted string) func(*mlir.Module) error {
	return func(m *mlir.Module) error {
		var steps []string
		before := ""
		e, err := jit.Compile(context.Background(), m, jit.Options{After: func(step string, m *mlir.Module) {
			steps = append(steps, step)
			if wanted != step && wanted != "all" {
				return
			}
			text := m.Operation().Print(o.print)
			if wanted == step || text != before {
				fmt.Fprintf(os.Stderr, "// -----// after %s //----- //\n%s\n", step, text)
			}
			before = text
		}})
		if err != nil {
			return err
		}
		if err := e.Close(); err != nil || wanted == "all" || slices.Contains(steps, wanted) {
			return err
		}
		hint := ""
		if near := nearest.Name(wanted, slices.Values(steps)); near != "" {
			hint = fmt.Sprintf(" (did you mean %s?)", near)
		}
		slices.Sort(steps)
		return fmt.Errorf("there is no step %q%s: use all, or one of %s", wanted, hint,
			strings.Join(slices.Compact(steps), " "))
	}
}
