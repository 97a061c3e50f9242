package main

import (
	"context"
	"flag"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/calliope-mlir/calliope/native"
	"github.com/calliope-mlir/calliope/tools/soak/execute"
	"github.com/calliope-mlir/calliope/tools/soak/movement"
	"github.com/calliope-mlir/calliope/tools/soak/operations"
)

// operationsMode runs random operations. A signal ends it, with its processes.
func operationsMode(flags *flag.FlagSet) runner {
	var o operations.Options
	flags.IntVar(&o.Programs, "programs", 100_000, "number of programs")
	flags.Uint64Var(&o.Seed, "seed", 1, "the number that what is random depends on")
	flags.Uint64Var(&o.First, "first", 0, "the number of the first program")
	flags.StringVar(&o.Keep, "keep", "mutants", "the `folder` that gets the modules and inputs of findings")
	sweep := flags.Int("sweep", 0, "make this many programs of each operation and element type instead, and run them on "+
		"each plugin: none may end the process")
	chain := flags.Int("chain", 0, "with -sweep, make them of so many operations, one on the result of the other, and run "+
		"them on package jit, too")
	return func(ctx context.Context, stdout, stderr io.Writer) int {
		ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
		defer stop()
		err := o.Check()
		if err == nil {
			err = native.EnsureAll(ctx, native.EnsureOptions{})
		}
		if err != nil {
			return fail(err, stderr)
		}
		if *sweep > 0 {
			of := operations.SweepOptions{Each: *sweep, Chain: *chain, Seed: o.Seed}
			return sweepOperations(ctx, of, stdout, stderr)
		}
		return report[operations.Options](nil, operations.Run(ctx, o, stdout), stdout, stderr)
	}
}

// sweepOperations runs programs of each operation and element type on every plugin, with and without Exact.
func sweepOperations(ctx context.Context, o operations.SweepOptions, stdout, stderr io.Writer) int {
	list, err := movement.Engines(ctx, "", false)
	if err != nil {
		return fail(err, stderr)
	}
	for _, e := range list {
		if e.Kind != execute.JIT || o.Chain > 0 {
			o.Engines = append(o.Engines, e.Engine)
		}
	}
	return report[operations.Options](nil, operations.Sweep(ctx, o, stdout), stdout, stderr)
}
