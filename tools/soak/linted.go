package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/calliope-mlir/calliope/tools/soak/mutants"
)

// lintAll runs mlir-lint on changed modules or, if a number of files is given, measures its memory.
// A signal ends it, with its processes and files.
func lintAll(ctx context.Context, o mutants.Options, files int, stdout, stderr io.Writer) int {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	if files > 0 {
		return report[mutants.Options](nil, mutants.Measure(ctx, files, stdout), stdout, stderr)
	}
	if err := o.Check(); err != nil {
		fmt.Fprintln(stderr, "soak:", err)
		return 2
	}
	return report[mutants.Options](nil, mutants.Run(ctx, o, stdout), stdout, stderr)
}
