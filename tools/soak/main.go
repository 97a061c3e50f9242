// Soak looks for mistakes for a long time, in one of several modes:
//
//	go run ./tools/soak MODE [flags]    # -h lists the flags of a mode
//
// The mode calls calls Go from compiled code, and checks that every call is made exactly once and that memory stays
// constant.
//
// The mode faults injects every fault that the tests know, each of them -count times, in concurrent runs and in every
// way of dispatch. With -debug it injects the faults that the debug mode finds.
//
// The mode stress cancels runs, lets calls time out, and closes clients, executables and registries under runs. It does
// this for the duration -for in each of three processes, with GOMAXPROCS=1, 2 and 16. With -procs it does it in this
// process alone, and limits the memory if MALLOC_ARENA_MAX=1 is set.
//
// The mode front puts a mixed load on package calliope: functions and sessions that are made and closed, closures that
// fail, panic and come late, cancellations, gradients and batches, on XLA and on package jit. It prints what the
// process holds after each minute, and checks that memory, goroutines, threads and descriptors stay the same.
//
// The mode lint runs mlir-lint on modules of the repository that it changes at random, and checks that the command
// reports each file, in each format and with each way to check, and ends as it should. With the same -seed the inputs
// are the same. Those on which a check fails are kept. With -files it checks that many valid modules in one run, and
// measures the memory of the command and its workers.
//
// The mode identities compares what XLA and StableHLO's reference interpreter make of random expressions, most of
// them identities that compilers simplify, and prints the smallest expressions in which they differ. It sets
// engine.CompileOptions.Exact, unless -simplify is given, which shows what this option prevents. With -jit it compares
// package jit in the place of XLA.
//
// The mode movement runs random programs of slices, updates, gathers and the like, in loops with random counters, in
// branches and functions, on XLA of each CPU plugin for this platform, without and with engine.CompileOptions.Exact,
// and on package jit. It holds them against an evaluator of its own, bit by bit. What differs is printed as the
// smallest program that was found. With -unprepared it shows what passes.Prepare mends.
//
// The mode operations runs random programs of one or two operations of StableHLO and CHLO, of every element type, on
// package jit, on XLA without and with engine.CompileOptions.Exact, and on the interpreter. A finding is printed, and
// its module and inputs are kept for mlir-run. What is known is counted. With -plugin, the PJRT plugin of a path takes
// the place of package jit.
// With -sweep it runs programs of each operation and element type on each CPU plugin instead, of which none may end the
// process. With -chain, too, they are of many operations on one type, of which none may take a minute to compile.
//
// The mode programs runs random programs with callbacks, in every way to run a module and on each CPU plugin for
// this platform, and compares their results and calls with those of an interpreter. The seed of a program decides about
// its way and its plugin, too: -seed N -programs 1 runs one again. Each mismatch is printed, and its module is kept.
//
// The mode structs makes every operation of package mlir's dialects of odd parts, on each library: it verifies, prints,
// writes and reads them, and texts that lack something. Each case that ends the process, or takes too long, is printed.
//
// The mode transforms makes derivatives and batches of functions of modules of the repository and of random programs,
// up to three in a row, and runs them: a derivative along tangents is held to the one along cotangents, and a batch to
// the function on each element. Each problem is printed, and its module is kept.
//
// The exit status is 1 if a check fails.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"github.com/calliope-mlir/calliope/native"
	"github.com/calliope-mlir/calliope/tools/soak/execute"
	"github.com/calliope-mlir/calliope/tools/soak/programs"
	"github.com/calliope-mlir/calliope/tools/soak/structs"
	"github.com/calliope-mlir/calliope/tools/soak/transforms"
)

// A runner runs a mode, whose flags were parsed, and prints what it found. The error says that a check failed or, if
// it is an unusable one, that nothing was checked.
type runner func(ctx context.Context, stdout, stderr io.Writer) error

// modes define the flags of the modes.
var modes = map[string]func(*flag.FlagSet) runner{
	"calls": callsMode, "faults": faultsMode, "front": frontMode, "identities": identitiesMode, "lint": lintMode,
	"movement": movementMode, "operations": operationsMode,
	"programs": programsMode, "stress": stressMode, "structs": structsMode, "transforms": transformsMode,
}

func main() {
	execute.Serve()
	programs.Serve()
	structs.Serve()
	transforms.Serve()
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

// run runs a mode, and returns the exit status. A signal ends the mode, with its processes and files.
func run(args []string, stdout, stderr io.Writer) int {
	if len(args) == 0 || modes[args[0]] == nil {
		fmt.Fprintf(stderr, "usage: soak MODE [flags], where MODE is one of %s; soak MODE -h lists its flags\n",
			strings.Join(slices.Sorted(maps.Keys(modes)), ", "))
		return 2
	}
	flags := flag.NewFlagSet("soak "+args[0], flag.ContinueOnError)
	flags.SetOutput(stderr)
	start := modes[args[0]](flags)
	if err := flags.Parse(args[1:]); err != nil {
		return 2
	}
	if flags.NArg() > 0 {
		fmt.Fprintf(stderr, "soak: %q is no flag: use flags only\n", flags.Arg(0))
		return 2
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop)
	err := start(ctx, stdout, stderr)
	if err == nil {
		return 0
	}
	fmt.Fprintln(stderr, "soak:", err)
	if errors.As(err, new(unusable)) {
		return 2
	}
	return 1
}

// An unusable error is why nothing was checked.
type unusable struct{ error }

// ready returns an unusable error if options are invalid, or if parts of the libraries cannot be had: all if none is
// named.
func ready(ctx context.Context, invalid error, parts ...native.Part) error {
	if invalid == nil {
		invalid = native.EnsureAll(ctx, native.EnsureOptions{}, parts...)
	}
	if invalid != nil {
		return unusable{invalid}
	}
	return nil
}

// shown prints a result, where there is one, and returns the error.
func shown[R any](stdout io.Writer, result *R, err error) error {
	if result != nil {
		fmt.Fprint(stdout, result)
	}
	return err
}
