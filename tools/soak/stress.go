package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"time"

	"github.com/calliope-mlir/calliope/tools/soak/stress"
)

// oneArena makes C's allocator keep one arena, see stress.Options.
const oneArena = "MALLOC_ARENA_MAX"

// stressProcs are the values of GOMAXPROCS of the processes of a stress.
var stressProcs = []int{1, 2, 16}

func stressMode(flags *flag.FlagSet) runner {
	o := stress.Options{Flat: os.Getenv(oneArena) == "1"}
	flags.DurationVar(&o.For, "for", 20*time.Second, "duration in each process")
	flags.IntVar(&o.Goroutines, "goroutines", 8, "number of goroutines that execute at the same time")
	flags.IntVar(&o.Devices, "devices", 4, "number of devices of each client")
	procs := flags.Int("procs", 0, "the GOMAXPROCS of this process; 0 starts processes with 1, 2 and 16")
	return func(ctx context.Context, stdout, stderr io.Writer) int {
		if err := o.Check(); err != nil {
			return fail(err, stderr)
		}
		switch {
		case *procs < 0:
			return fail(errors.New("-procs must be 0 or more"), stderr)
		case *procs == 0:
			return stressAll(ctx, o, stdout, stderr)
		}
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(*procs))
		plugin, err := open(ctx, false)
		if err != nil {
			return fail(err, stderr)
		}
		result, err := stress.Run(ctx, plugin, o)
		return report(result, err, stdout, stderr)
	}
}

// stressAll runs the stress in separate processes, because the start of a program depends
// on GOMAXPROCS.
func stressAll(ctx context.Context, o stress.Options, stdout, stderr io.Writer) (status int) {
	program, err := os.Executable()
	if err != nil {
		return fail(err, stderr)
	}
	for _, procs := range stressProcs {
		within, cancel := context.WithTimeout(ctx, o.For+5*time.Minute)
		command := exec.CommandContext(within, program, "stress", fmt.Sprint("-for=", o.For),
			fmt.Sprint("-goroutines=", o.Goroutines),
			fmt.Sprint("-devices=", o.Devices), fmt.Sprint("-procs=", procs))
		command.Env = append(os.Environ(), fmt.Sprintf("GOMAXPROCS=%d", procs), oneArena+"=1")
		command.Stdout, command.Stderr = stdout, stderr
		err := command.Run()
		cancel()
		if exit := new(exec.ExitError); err != nil && !errors.As(err, &exit) {
			return fail(err, stderr)
		}
		if err != nil {
			fmt.Fprintf(stderr, "soak: with GOMAXPROCS=%d: %v\n", procs, err)
			status = 1
		}
	}
	return status
}
