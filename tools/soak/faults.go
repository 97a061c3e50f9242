package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/calliope-mlir/calliope/tools/soak/faults"
)

// faultsMode prints a line for each fault and way: name, way, injections, seconds, and "ok" or the error.
func faultsMode(flags *flag.FlagSet) runner {
	o := faults.Options{Limit: 10 * time.Minute}
	flags.IntVar(&o.Count, "count", 1000, "number of injections of each fault in each way of dispatch")
	flags.IntVar(&o.Goroutines, "goroutines", 8, "number of goroutines that execute at the same time")
	debug := flags.Bool("debug", false, "inject the faults that the debug mode finds, in that mode")
	only := flags.String("only", "", "only the faults whose name contains this text")
	return func(ctx context.Context, stdout, stderr io.Writer) (status int) {
		if o.Count < 1 || o.Goroutines < 1 {
			return fail(errors.New("-count and -goroutines must be 1 or more"), stderr)
		}
		plugin, err := open(ctx, *debug)
		if err != nil {
			return fail(err, stderr)
		}
		list := faults.All()
		if *debug {
			list = faults.Debug()
		}
		all, start := 0, time.Now()
		for _, f := range list {
			if !strings.Contains(f.Name, *only) {
				continue
			}
			for _, way := range f.Ways {
				began := time.Now()
				verdict := "ok"
				if err := f.Inject(ctx, plugin, way, o); err != nil {
					verdict, status = err.Error(), 1
				}
				all += o.Count
				fmt.Fprintf(stdout, "%s\t%s\t%d\t%.1f\t%s\n", f.Name, way, o.Count, time.Since(began).Seconds(),
					verdict)
			}
		}
		fmt.Fprintf(stdout, "%d injections in %.0f s\n", all, time.Since(start).Seconds())
		return status
	}
}
