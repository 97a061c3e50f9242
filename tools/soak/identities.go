package main

import (
	"context"
	"flag"
	"fmt"
	"io"

	"github.com/calliope-mlir/calliope/bridge"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/native"
	"github.com/calliope-mlir/calliope/tools/soak/identities"
)

// identitiesMode compares XLA, or package jit, with the reference interpreter. The status is 1 if there are deviations
// that are not known.
func identitiesMode(flags *flag.FlagSet) runner {
	var o identities.Options
	flags.IntVar(&o.Programs, "expressions", 20_000, "number of expressions")
	flags.Uint64Var(&o.Seed, "seed", 1, "the number that what is random depends on")
	flags.BoolVar(&o.Simplify, "simplify", false, "let XLA simplify")
	flags.BoolVar(&o.JIT, "jit", false, "compile with package jit in the place of XLA")
	return func(ctx context.Context, stdout, stderr io.Writer) int {
		if err := o.Check(); err != nil {
			return fail(err, stderr)
		}
		result, err := runIdentities(ctx, o)
		if status := report(result, err, stdout, stderr); status != 0 {
			return status
		}
		if !o.Simplify && len(result.Unknown()) > 0 {
			fmt.Fprintf(stderr, "soak: the compiler and the interpreter differ, with seed %d\n", o.Seed)
			return 1
		}
		return 0
	}
}

func runIdentities(ctx context.Context, o identities.Options) (*identities.Result, error) {
	if err := native.EnsureAll(ctx, native.EnsureOptions{}); err != nil {
		return nil, err
	}
	library, err := mlir.Open(mlir.OpenOptions{})
	if err != nil {
		return nil, err
	}
	plugin, err := bridge.Open(bridge.OpenOptions{})
	if err != nil {
		return nil, err
	}
	return identities.Run(ctx, library, plugin, o)
}
