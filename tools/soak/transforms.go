package main

import (
	"context"
	"flag"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/calliope-mlir/calliope/native"
	"github.com/calliope-mlir/calliope/tools/soak/transforms"
)

// transformsMode makes derivatives and batches. A signal ends it, with its processes.
func transformsMode(flags *flag.FlagSet) runner {
	var o transforms.Options
	flags.IntVar(&o.Trials, "trials", 10_000, "number of trials")
	flags.Uint64Var(&o.Seed, "seed", 1, "the number that what is random depends on")
	flags.StringVar(&o.Keep, "keep", "mutants", "the `folder` that gets the modules of problems")
	flags.StringVar(&o.Cases, "cases", "", "a `file` of tests/transforms/testdata/make.py (default: the kept one)")
	flags.BoolVar(&o.Log, "log", false, "print each trial")
	return func(ctx context.Context, stdout, stderr io.Writer) int {
		ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
		defer stop()
		err := o.Check()
		if err == nil {
			err = native.EnsureAll(ctx, native.EnsureOptions{}, native.Jaxlib, native.PJRTPlugin, native.LAPACK)
		}
		if err != nil {
			return fail(err, stderr)
		}
		return report[transforms.Options](nil, transforms.Run(ctx, o, stdout), stdout, stderr)
	}
}
