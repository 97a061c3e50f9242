package main

import (
	"context"
	"fmt"
	"io"

	"github.com/calliope-mlir/calliope/tools/soak/mutants"
)

// lintAll runs mlir-lint on changed modules.
func lintAll(ctx context.Context, o mutants.Options, stdout, stderr io.Writer) int {
	if err := o.Check(); err != nil {
		fmt.Fprintln(stderr, "soak:", err)
		return 2
	}
	if err := mutants.Run(ctx, o, stdout); err != nil {
		fmt.Fprintln(stderr, "soak:", err)
		return 1
	}
	return 0
}
