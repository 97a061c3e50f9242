package main

import (
	"context"
	"flag"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/calliope-mlir/calliope/native"
	"github.com/calliope-mlir/calliope/tools/soak/programs"
)

// programsMode runs random programs. A signal ends it, with its processes.
func programsMode(flags *flag.FlagSet) runner {
	var o programs.Options
	flags.IntVar(&o.Programs, "programs", 100_000, "number of programs")
	flags.Uint64Var(&o.Seed, "seed", 1, "the number that what is random depends on")
	flags.StringVar(&o.Ways, "ways", "",
		"the ways to run them, with commas between them: "+programs.Names()+"; all if it is empty")
	flags.StringVar(&o.Keep, "keep", "mutants", "the `folder` that gets the modules of mismatches")
	flags.Func("plugins", "the `paths` of the plugins, with commas between them (default: those for this platform)",
		func(paths string) error {
			o.Plugins = strings.Split(paths, ",")
			return nil
		})
	return func(ctx context.Context, stdout, stderr io.Writer) int {
		ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
		defer stop()
		err := native.EnsureAll(ctx, native.EnsureOptions{}, native.MLIR, native.Jaxlib)
		if err == nil && o.Plugins == nil {
			o.Plugins, err = programs.Plugins(ctx)
		}
		if err == nil {
			err = o.Check()
		}
		if err != nil {
			return fail(err, stderr)
		}
		return report[programs.Options](nil, programs.Run(ctx, o, stdout), stdout, stderr)
	}
}
