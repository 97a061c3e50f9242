package main

import (
	"context"
	"flag"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/calliope-mlir/calliope/native"
	"github.com/calliope-mlir/calliope/tools/soak/movement"
)

// movementMode runs random programs that move data. A signal ends it, with its processes.
func movementMode(flags *flag.FlagSet) runner {
	var o movement.Options
	flags.IntVar(&o.Programs, "programs", 20_000, "number of programs on each engine")
	flags.Uint64Var(&o.Seed, "seed", 1, "the number that what is random depends on")
	flags.Uint64Var(&o.First, "first", 0, "the number of the first program")
	flags.StringVar(&o.Keep, "keep", "mutants", "the `folder` that gets the modules and inputs of findings")
	names := flags.String("engines", "", "with commas between them: jit, interpreter, xla:PLUGIN, exact:PLUGIN; "+
		"all but the interpreter if it is empty")
	unprepared := flags.Bool("unprepared", false, "compile for XLA without the preparation, which shows what that mends")
	return func(ctx context.Context, stdout, stderr io.Writer) int {
		ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
		defer stop()
		err := native.EnsureAll(ctx, native.EnsureOptions{})
		if err == nil {
			o.Engines, err = movement.Engines(ctx, *names, *unprepared)
		}
		if err == nil {
			err = o.Check()
		}
		if err != nil {
			return fail(err, stderr)
		}
		return report[movement.Options](nil, movement.Run(ctx, o, stdout), stdout, stderr)
	}
}
