package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"

	"github.com/calliope-mlir/calliope/native"
	"github.com/calliope-mlir/calliope/tools/soak/execute"
	"github.com/calliope-mlir/calliope/tools/soak/identities"
	"github.com/calliope-mlir/calliope/tools/soak/movement"
	"github.com/calliope-mlir/calliope/tools/soak/mutants"
	"github.com/calliope-mlir/calliope/tools/soak/operations"
	"github.com/calliope-mlir/calliope/tools/soak/programs"
	"github.com/calliope-mlir/calliope/tools/soak/structs"
	"github.com/calliope-mlir/calliope/tools/soak/transforms"
)

// The modes of this file make what is random. Most have the number that it depends on and the folder for findings as
// flags.

func seedFlag(flags *flag.FlagSet, seed *uint64) {
	flags.Uint64Var(seed, "seed", 1, "the number that what is random depends on")
}

func keepFlag(flags *flag.FlagSet, keep *string, what string) {
	flags.StringVar(keep, "keep", "mutants", "the `folder` that gets "+what)
}

func programFlags(flags *flag.FlagSet, o *execute.Options, programs int, usage string) {
	flags.IntVar(&o.Programs, "programs", programs, usage)
	seedFlag(flags, &o.Seed)
	flags.Uint64Var(&o.First, "first", 0, "the number of the first program")
	keepFlag(flags, &o.Keep, "the modules and inputs of findings")
}

// listFlag defines a flag of texts with commas between them.
func listFlag(flags *flag.FlagSet, list *[]string, name, usage string) {
	flags.Func(name, usage, func(text string) error {
		*list = strings.Split(text, ",")
		return nil
	})
}

// identitiesMode compares XLA, or package jit, with the reference interpreter. Deviations that are not known are an
// error.
func identitiesMode(flags *flag.FlagSet) runner {
	var o identities.Options
	flags.IntVar(&o.Programs, "expressions", 20_000, "number of expressions")
	seedFlag(flags, &o.Seed)
	flags.BoolVar(&o.Simplify, "simplify", false, "let XLA simplify")
	flags.BoolVar(&o.JIT, "jit", false, "compile with package jit in the place of XLA")
	return func(ctx context.Context, stdout, _ io.Writer) error {
		if err := ready(ctx, o.Check()); err != nil {
			return err
		}
		result, err := identities.Run(ctx, "", o)
		if err == nil && !o.Simplify && len(result.Unknown()) > 0 {
			err = fmt.Errorf("the compiler and the interpreter differ, with seed %d", o.Seed)
		}
		return shown(stdout, result, err)
	}
}

// lintMode runs mlir-lint on changed modules or, if a number of files is given, measures its memory.
func lintMode(flags *flag.FlagSet) runner {
	var o mutants.Options
	flags.IntVar(&o.Inputs, "inputs", 1_000_000, "number of inputs")
	seedFlag(flags, &o.Seed)
	keepFlag(flags, &o.Keep, "the inputs on which a check fails")
	files := flags.Int("files", 0, "check so many `files` in one run instead, and measure the memory")
	return func(ctx context.Context, stdout, _ io.Writer) error {
		switch err := o.Check(); {
		case *files < 0:
			return unusable{errors.New("-files must be 0 or more")}
		case *files > 0:
			return mutants.Measure(ctx, *files, stdout)
		case err != nil:
			return unusable{err}
		}
		return mutants.Run(ctx, o, stdout)
	}
}

// movementMode runs random programs that move data.
func movementMode(flags *flag.FlagSet) runner {
	var o movement.Options
	programFlags(flags, &o.Options, 20_000, "number of programs on each engine")
	names := flags.String("engines", "", "with commas between them: jit, interpreter, xla:PLUGIN, exact:PLUGIN; "+
		"all but the interpreter if it is empty")
	unprepared := flags.Bool("unprepared", false, "compile for XLA without the preparation, which shows what that mends")
	return func(ctx context.Context, stdout, _ io.Writer) error {
		if err := ready(ctx, nil); err != nil {
			return err
		}
		var err error
		if o.Engines, err = execute.Engines(ctx, *names, *unprepared); err == nil {
			err = o.Check()
		}
		if err != nil {
			return unusable{err}
		}
		return movement.Run(ctx, o, stdout)
	}
}

// operationsMode runs random operations or, with -sweep, programs of each operation and element type on every plugin,
// with and without Exact.
func operationsMode(flags *flag.FlagSet) runner {
	var o execute.Options
	programFlags(flags, &o, 100_000, "number of programs")
	flags.StringVar(&o.Plugin, "plugin", "", "the `path` of a PJRT plugin, such as c/plugin, that takes the place of package jit")
	sweep := flags.Int("sweep", 0, "make this many programs of each operation and element type instead, and run them on "+
		"each plugin: none may end the process")
	chain := flags.Int("chain", 0, "with -sweep, make them of so many operations, one on the result of the other, and run "+
		"them on package jit, too")
	return func(ctx context.Context, stdout, _ io.Writer) error {
		if err := ready(ctx, o.Check()); err != nil {
			return err
		}
		if *sweep == 0 {
			return operations.Run(ctx, o, stdout)
		}
		list, err := execute.Engines(ctx, "", false)
		if err != nil {
			return unusable{err}
		}
		of := operations.SweepOptions{Each: *sweep, Chain: *chain, Seed: o.Seed}
		for _, e := range list {
			if e.Kind != execute.JIT || *chain > 0 {
				of.Engines = append(of.Engines, e)
			}
		}
		return operations.Sweep(ctx, of, stdout)
	}
}

// programsMode runs random programs with callbacks.
func programsMode(flags *flag.FlagSet) runner {
	var o programs.Options
	flags.IntVar(&o.Programs, "programs", 100_000, "number of programs")
	seedFlag(flags, &o.Seed)
	flags.StringVar(&o.Ways, "ways", "",
		"the ways to run them, with commas between them: "+programs.Names()+"; all if it is empty")
	keepFlag(flags, &o.Keep, "the modules of mismatches")
	listFlag(flags, &o.Plugins, "plugins", "the `paths` of the plugins, with commas between them (default: those for this "+
		"platform)")
	return func(ctx context.Context, stdout, _ io.Writer) error {
		err := ready(ctx, nil, native.MLIR, native.Jaxlib)
		if err == nil && o.Plugins == nil {
			o.Plugins, err = programs.Plugins(ctx)
		}
		if err == nil {
			err = o.Check()
		}
		if err != nil {
			return unusable{err}
		}
		return programs.Run(ctx, o, stdout)
	}
}

// structsMode makes operations of odd parts.
func structsMode(flags *flag.FlagSet) runner {
	o := structs.Options{Libraries: structs.Libraries}
	flags.IntVar(&o.Rounds, "rounds", 20, "how often each operation is made on each library")
	seedFlag(flags, &o.Seed)
	flags.StringVar(&o.Only, "only", "", "a `regular expression` for the names of operations")
	listFlag(flags, &o.Libraries, "libraries", "the `names` of libraries, with commas between them (default "+
		strings.Join(structs.Libraries, ",")+")")
	return func(ctx context.Context, stdout, _ io.Writer) error {
		if err := o.Check(); err != nil {
			return unusable{err}
		}
		return structs.Run(ctx, o, stdout)
	}
}

// transformsMode makes derivatives and batches.
func transformsMode(flags *flag.FlagSet) runner {
	var o transforms.Options
	flags.IntVar(&o.Trials, "trials", 10_000, "number of trials")
	seedFlag(flags, &o.Seed)
	keepFlag(flags, &o.Keep, "the modules of problems")
	flags.StringVar(&o.Cases, "cases", "", "a `file` of tests/transforms/testdata/make.py (default: the kept one)")
	flags.BoolVar(&o.Log, "log", false, "print each trial")
	return func(ctx context.Context, stdout, _ io.Writer) error {
		if err := ready(ctx, o.Check(), native.Jaxlib, native.PJRTPlugin, native.LAPACK); err != nil {
			return err
		}
		return transforms.Run(ctx, o, stdout)
	}
}
