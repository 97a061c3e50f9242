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
	"strings"
	"time"

	"github.com/calliope-mlir/calliope/bridge"
	"github.com/calliope-mlir/calliope/native"
	"github.com/calliope-mlir/calliope/tools/soak/faults"
	"github.com/calliope-mlir/calliope/tools/soak/front"
	"github.com/calliope-mlir/calliope/tools/soak/load"
	"github.com/calliope-mlir/calliope/tools/soak/stress"
)

// The modes of this file make very many calls.

func goroutinesFlag(flags *flag.FlagSet, n *int, value int, do string) {
	flags.IntVar(n, "goroutines", value, "number of goroutines that "+do+" at the same time")
}

// open opens the plugin. An error is an unusable one.
func open(ctx context.Context, invalid error, debug bool) (*bridge.Plugin, error) {
	if err := ready(ctx, invalid, native.PJRTPlugin); err != nil {
		return nil, err
	}
	plugin, err := bridge.Open(bridge.OpenOptions{Debug: debug})
	if err != nil {
		return nil, unusable{err}
	}
	return plugin, nil
}

func callsMode(flags *flag.FlagSet) runner {
	var o load.Options
	flags.Int64Var(&o.Calls, "calls", 10_000_000, "number of calls")
	flags.IntVar(&o.Devices, "devices", 4, "number of devices that call")
	goroutinesFlag(flags, &o.Goroutines, 8, "execute")
	flags.StringVar(&o.Mode, "mode", load.Mixed, "the way of dispatch: "+strings.Join(load.Modes(), ", "))
	return func(ctx context.Context, stdout, _ io.Writer) error {
		plugin, err := open(ctx, o.Check(), false)
		if err != nil {
			return err
		}
		result, err := load.Run(ctx, plugin, o)
		return shown(stdout, result, err)
	}
}

// faultsMode prints a line for each fault and way: name, way, injections, seconds, and "ok" or the error.
func faultsMode(flags *flag.FlagSet) runner {
	o := faults.Options{Limit: 10 * time.Minute}
	flags.IntVar(&o.Count, "count", 1000, "number of injections of each fault in each way of dispatch")
	goroutinesFlag(flags, &o.Goroutines, 8, "execute")
	debug := flags.Bool("debug", false, "inject the faults that the debug mode finds, in that mode")
	only := flags.String("only", "", "only the faults whose name contains this text")
	return func(ctx context.Context, stdout, _ io.Writer) error {
		if o.Count < 1 || o.Goroutines < 1 {
			return unusable{errors.New("-count and -goroutines must be 1 or more")}
		}
		plugin, err := open(ctx, nil, *debug)
		if err != nil {
			return err
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
				if wrong := f.Inject(ctx, plugin, way, o); wrong != nil {
					verdict, err = wrong.Error(), errors.New("an outcome is wrong")
				}
				all += o.Count
				fmt.Fprintf(stdout, "%s\t%s\t%d\t%.1f\t%s\n", f.Name, way, o.Count, time.Since(began).Seconds(),
					verdict)
			}
		}
		fmt.Fprintf(stdout, "%d injections in %.0f s\n", all, time.Since(start).Seconds())
		return err
	}
}

func frontMode(flags *flag.FlagSet) runner {
	var o front.Options
	flags.DurationVar(&o.For, "for", 30*time.Minute, "duration")
	flags.DurationVar(&o.Every, "every", time.Minute, "time between two samples")
	goroutinesFlag(flags, &o.Goroutines, 4, "call")
	flags.Uint64Var(&o.Seed, "seed", 1, "seed of the order of the calls")
	flags.StringVar(&o.Only, "only", "", "do only the acts whose names have this `text`")
	return func(ctx context.Context, stdout, _ io.Writer) error {
		if err := o.Check(); err != nil {
			return unusable{err}
		}
		fmt.Fprintln(stdout, front.Header)
		o.Samples = func(s front.Sample) { fmt.Fprintln(stdout, s) }
		result, err := front.Run(ctx, o)
		return shown(stdout, result, err)
	}
}

// oneArena makes C's allocator keep one arena, see stress.Options.
const oneArena = "MALLOC_ARENA_MAX"

// stressProcs are the values of GOMAXPROCS of the processes of a stress.
var stressProcs = []int{1, 2, 16}

func stressMode(flags *flag.FlagSet) runner {
	o := stress.Options{Flat: os.Getenv(oneArena) == "1"}
	flags.DurationVar(&o.For, "for", 20*time.Second, "duration in each process")
	goroutinesFlag(flags, &o.Goroutines, 8, "execute")
	flags.IntVar(&o.Devices, "devices", 4, "number of devices of each client")
	procs := flags.Int("procs", 0, "the GOMAXPROCS of this process; 0 starts processes with 1, 2 and 16")
	return func(ctx context.Context, stdout, stderr io.Writer) error {
		invalid := o.Check()
		if *procs < 0 {
			invalid = errors.New("-procs must be 0 or more")
		}
		if *procs == 0 && invalid == nil {
			return stressAll(ctx, o, stdout, stderr)
		}
		if invalid == nil {
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(*procs))
		}
		plugin, err := open(ctx, invalid, false)
		if err != nil {
			return err
		}
		result, err := stress.Run(ctx, plugin, o)
		return shown(stdout, result, err)
	}
}

// stressAll runs the stress in separate processes, because the start of a program depends on GOMAXPROCS.
func stressAll(ctx context.Context, o stress.Options, stdout, stderr io.Writer) error {
	program, err := os.Executable()
	if err != nil {
		return unusable{err}
	}
	var errs []error
	for _, procs := range stressProcs {
		within, cancel := context.WithTimeout(ctx, o.For+5*time.Minute)
		command := exec.CommandContext(within, program, "stress", fmt.Sprint("-for=", o.For),
			fmt.Sprint("-goroutines=", o.Goroutines),
			fmt.Sprint("-devices=", o.Devices), fmt.Sprint("-procs=", procs))
		command.Env = append(os.Environ(), fmt.Sprintf("GOMAXPROCS=%d", procs), oneArena+"=1")
		command.Stdout, command.Stderr = stdout, stderr
		if err := command.Run(); err != nil {
			errs = append(errs, fmt.Errorf("with GOMAXPROCS=%d: %w", procs, err))
		}
		cancel()
	}
	return errors.Join(errs...)
}
