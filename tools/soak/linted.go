package main

import (
	"context"
	"fmt"
	"io"

	"github.com/calliope-mlir/calliope/tools/soak/mutants"
)

// lintAll runs mlir-lint on changed modules or, if a number of files is given, measures its memory.
func lintAll(ctx context.Context, o mutants.Options, files int, stdout, stderr io.Writer) int {
	if files > 0 {
		return report[mutants.Options](nil, mutants.Measure(ctx, files, stdout), stdout, stderr)
	}
	if err := o.Check(); err != nil {
		fmt.Fprintln(stderr, "soak:", err)
		return 2
	}
	return report[mutants.Options](nil, mutants.Run(ctx, o, stdout), stdout, stderr)
}
