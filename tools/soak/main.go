// Soak calls Go from compiled code for a long time, and checks that every call is made
// exactly once and that memory stays constant:
//
//	go run ./tools/soak [-calls N] [-devices N] [-goroutines N] [-mode WAY]
//	go run ./tools/soak -faults [-count N] [-only TEXT] [-debug]
//	go run ./tools/soak -stress [-for DURATION] [-procs N] [-goroutines N] [-devices N]
//	go run ./tools/soak -lint [-inputs N] [-seed N] [-keep FOLDER]
//	go run ./tools/soak -lint -files N
//	go run ./tools/soak -identities [-expressions N] [-seed N] [-simplify]
//	go run ./tools/soak -programs N [-seed N] [-ways NAMES] [-plugins PATHS] [-keep FOLDER]
//
// With -faults it injects every fault that the tests know, each of them -count times, in
// concurrent runs and in every way of dispatch. With -debug it injects the faults that the
// debug mode finds.
//
// With -stress it cancels runs, lets calls time out, and closes clients, executables and
// registries under runs. It does this for the duration -for in each of three processes,
// with GOMAXPROCS=1, 2 and 16. With -procs it does it in this process alone, and limits the
// memory if MALLOC_ARENA_MAX=1 is set.
//
// With -lint it runs mlir-lint on modules of the repository that it changes at random, and checks
// that the command reports each file, in each format and with each way to check, and ends as it
// should. With the same -seed the inputs are the same. Those on which a check fails are kept. With -files it
// checks that many valid modules in one run, and measures the memory of the command and its workers.
//
// With -identities it compares what XLA and StableHLO's reference interpreter make of random expressions, most of
// them identities that compilers simplify, and prints the smallest expressions in which they differ. It sets
// bridge.CompileOptions.Exact, unless -simplify is given, which shows what this option prevents.
//
// With -programs it runs that many random programs with callbacks, in every way to run a module and on each CPU plugin for
// this platform, and compares their results and calls with those of an interpreter. The seed of a program decides about its
// way and its plugin, too: -seed N -programs 1 runs one again. Each mismatch is printed, and its module is kept.
//
// The exit status is 1 if a check fails.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/calliope-mlir/calliope/bridge"
	"github.com/calliope-mlir/calliope/native"
	"github.com/calliope-mlir/calliope/tools/soak/faults"
	"github.com/calliope-mlir/calliope/tools/soak/identities"
	"github.com/calliope-mlir/calliope/tools/soak/load"
	"github.com/calliope-mlir/calliope/tools/soak/mutants"
	"github.com/calliope-mlir/calliope/tools/soak/programs"
	"github.com/calliope-mlir/calliope/tools/soak/stress"
)

func main() {
	programs.Serve()
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

func run(args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("soak", flag.ContinueOnError)
	flags.SetOutput(stderr)
	var o load.Options
	flags.Int64Var(&o.Calls, "calls", 10_000_000, "number of calls")
	flags.IntVar(&o.Devices, "devices", 4, "number of devices that call")
	flags.IntVar(&o.Goroutines, "goroutines", 8, "number of goroutines that execute at the same time")
	flags.StringVar(&o.Mode, "mode", load.Mixed, "the way of dispatch: "+strings.Join(load.Modes(), ", "))
	inject := flags.Bool("faults", false, "inject faults instead")
	var f faults.Options
	flags.IntVar(&f.Count, "count", 1000, "with -faults: number of injections of each fault in each way of dispatch")
	debug := flags.Bool("debug", false, "with -faults: inject the faults that the debug mode finds, in that mode")
	press := flags.Bool("stress", false, "cancel, time out and close under runs instead")
	var st stress.Options
	flags.DurationVar(&st.For, "for", 20*time.Second, "with -stress: duration in each process")
	procs := flags.Int("procs", 0, "with -stress: the GOMAXPROCS of this process; 0 starts processes with 1, 2 and 16")
	lint := flags.Bool("lint", false, "run mlir-lint on changed modules instead")
	var m mutants.Options
	flags.IntVar(&m.Inputs, "inputs", 1_000_000, "with -lint: number of inputs")
	flags.Uint64Var(&m.Seed, "seed", 1, "with -lint, -identities and -programs: the number that what is random depends on")
	flags.StringVar(&m.Keep, "keep", "mutants", "with -lint and -programs: the `folder` that gets the inputs on which a check fails")
	files := flags.Int("files", 0, "with -lint: check so many `files` in one run instead, and measure the memory")
	compare := flags.Bool("identities", false, "compare XLA with the reference interpreter instead")
	var i identities.Options
	flags.IntVar(&i.Programs, "expressions", 20_000, "with -identities: number of expressions")
	flags.BoolVar(&i.Simplify, "simplify", false, "with -identities: let XLA simplify")
	var r programs.Options
	flags.IntVar(&r.Programs, "programs", 0, "run so many random programs instead")
	flags.StringVar(&r.Ways, "ways", "", "with -programs: the ways to run them, with commas between them: "+programs.Names()+"; all if it is empty")
	plugins := flags.String("plugins", "", "with -programs: the `paths` of the plugins, with commas between them; those for this platform if it is empty")
	only := flags.String("only", "", "with -faults: only the faults whose name contains this text")
	if err := flags.Parse(args); err != nil {
		return 2
	}
	if flags.NArg() > 0 || f.Count < 1 || *debug && !*inject {
		fmt.Fprintln(stderr, "soak: bad usage: use flags only, a -count of at least 1, and -debug only with -faults")
		return 2
	}
	if *lint && (*press || *inject) || *files < 0 || *files > 0 && !*lint {
		fmt.Fprintln(stderr, "soak: bad usage: use one of -lint, -faults and -stress, and a -files of at least 0 only with -lint")
		return 2
	}
	if *press && *inject || *procs < 0 || *procs > 0 && !*press {
		fmt.Fprintln(stderr, "soak: bad usage: use -stress or -faults, not both, and a -procs of at least 0 only with -stress")
		return 2
	}
	if r.Programs < 0 || r.Programs > 0 && (*lint || *press || *inject) || r.Programs == 0 && (r.Ways != "" || *plugins != "") {
		fmt.Fprintln(stderr, "soak: bad usage: use one of -programs, -lint, -faults and -stress, and -ways and -plugins only with -programs")
		return 2
	}
	ctx := context.Background()
	if *compare {
		if err := i.Check(); err != nil || *lint || *press || *inject {
			fmt.Fprintln(stderr, "soak: bad usage: use -identities without -lint, -faults and -stress, and an -expressions of at least 1")
			return 2
		}
		i.Seed = m.Seed
		return identify(ctx, i, stdout, stderr)
	}
	if r.Programs > 0 {
		r.Seed, r.Keep = m.Seed, m.Keep
		return programsAll(ctx, r, *plugins, stdout, stderr)
	}
	if *lint {
		return lintAll(ctx, m, *files, stdout, stderr)
	}
	if *press && *procs == 0 {
		return stressAll(ctx, args, st.For, stdout, stderr)
	}
	plugin, err := open(ctx, *debug)
	if err != nil {
		fmt.Fprintln(stderr, "soak:", err)
		return 2
	}
	if *inject {
		f.Goroutines, f.Limit = o.Goroutines, 10*time.Minute
		list := faults.All()
		if *debug {
			list = faults.Debug()
		}
		return injectAll(ctx, plugin, list, *only, f, stdout)
	}
	if err := o.Check(); err != nil {
		fmt.Fprintln(stderr, "soak:", err)
		return 2
	}
	if *press {
		st.Goroutines, st.Devices = o.Goroutines, min(o.Devices, 8)
		return stressOne(ctx, plugin, st, *procs, stdout, stderr)
	}
	result, err := load.Run(ctx, plugin, o)
	return report(result, err, stdout, stderr)
}

// report prints a result, where there is one, and the error, and returns the exit status.
func report[R any](result *R, err error, stdout, stderr io.Writer) int {
	if result != nil {
		fmt.Fprint(stdout, result)
	}
	if err != nil {
		fmt.Fprintln(stderr, "soak:", err)
		return 1
	}
	return 0
}

func open(ctx context.Context, debug bool) (*bridge.Plugin, error) {
	if _, err := native.Ensure(ctx, native.PJRTPlugin, native.EnsureOptions{}); err != nil {
		return nil, err
	}
	return bridge.Open(bridge.OpenOptions{Debug: debug})
}

// injectAll prints a line for each fault and way: name, way, injections, seconds, and "ok"
// or the error.
func injectAll(ctx context.Context, plugin *bridge.Plugin, list []faults.Fault, only string, o faults.Options, out io.Writer) (status int) {
	all, start := 0, time.Now()
	for _, f := range list {
		if !strings.Contains(f.Name, only) {
			continue
		}
		for _, way := range f.Ways {
			began := time.Now()
			verdict := "ok"
			if err := f.Inject(ctx, plugin, way, o); err != nil {
				verdict, status = err.Error(), 1
			}
			all += o.Count
			fmt.Fprintf(out, "%s\t%s\t%d\t%.1f\t%s\n", f.Name, way, o.Count, time.Since(began).Seconds(), verdict)
		}
	}
	fmt.Fprintf(out, "%d injections in %.0f s\n", all, time.Since(start).Seconds())
	return status
}
