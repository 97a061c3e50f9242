package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"time"

	"github.com/calliope-mlir/calliope/tools/soak/front"
)

func frontMode(flags *flag.FlagSet) runner {
	var o front.Options
	flags.DurationVar(&o.For, "for", 30*time.Minute, "duration")
	flags.DurationVar(&o.Every, "every", time.Minute, "time between two samples")
	flags.IntVar(&o.Goroutines, "goroutines", 4, "number of goroutines that call at the same time")
	flags.Uint64Var(&o.Seed, "seed", 1, "seed of the order of the calls")
	flags.StringVar(&o.Only, "only", "", "do only the acts whose names have this `text`")
	return func(ctx context.Context, stdout, stderr io.Writer) int {
		if err := o.Check(); err != nil {
			return fail(err, stderr)
		}
		fmt.Fprintln(stdout, front.Header)
		o.Samples = func(s front.Sample) { fmt.Fprintln(stdout, s) }
		result, err := front.Run(ctx, o)
		return report(result, err, stdout, stderr)
	}
}
