package main

import (
	"context"
	"flag"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/calliope-mlir/calliope/tools/soak/structs"
)

// structsMode makes operations of odd parts. A signal ends it, with its processes.
func structsMode(flags *flag.FlagSet) runner {
	o := structs.Options{Libraries: structs.Libraries}
	flags.IntVar(&o.Rounds, "rounds", 20, "how often each operation is made on each library")
	flags.Uint64Var(&o.Seed, "seed", 1, "the number that what is random depends on")
	flags.StringVar(&o.Only, "only", "", "a `regular expression` for the names of operations")
	flags.Func("libraries", "the `names` of libraries, with commas between them (default "+
		strings.Join(structs.Libraries, ",")+")", func(text string) error {
		o.Libraries = strings.Split(text, ",")
		return nil
	})
	return func(ctx context.Context, stdout, stderr io.Writer) int {
		ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
		defer stop()
		if err := o.Check(); err != nil {
			return fail(err, stderr)
		}
		return report[structs.Options](nil, structs.Run(ctx, o, stdout), stdout, stderr)
	}
}
