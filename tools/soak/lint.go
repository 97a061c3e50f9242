package main

import (
	"context"
	"errors"
	"flag"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/calliope-mlir/calliope/tools/soak/mutants"
)

// lintMode runs mlir-lint on changed modules or, if a number of files is given, measures its memory.
// A signal ends it, with its processes and files.
func lintMode(flags *flag.FlagSet) runner {
	var o mutants.Options
	flags.IntVar(&o.Inputs, "inputs", 1_000_000, "number of inputs")
	flags.Uint64Var(&o.Seed, "seed", 1, "the number that what is random depends on")
	flags.StringVar(&o.Keep, "keep", "mutants", "the `folder` that gets the inputs on which a check fails")
	files := flags.Int("files", 0, "check so many `files` in one run instead, and measure the memory")
	return func(ctx context.Context, stdout, stderr io.Writer) int {
		ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
		defer stop()
		switch err := o.Check(); {
		case *files < 0:
			return fail(errors.New("-files must be 0 or more"), stderr)
		case *files > 0:
			return report[mutants.Options](nil, mutants.Measure(ctx, *files, stdout), stdout, stderr)
		case err != nil:
			return fail(err, stderr)
		}
		return report[mutants.Options](nil, mutants.Run(ctx, o, stdout), stdout, stderr)
	}
}
