package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/calliope-mlir/calliope/autodiff"
	"github.com/calliope-mlir/calliope/internal/host/bounded"
	"github.com/calliope-mlir/calliope/internal/host/replace"
	"github.com/calliope-mlir/calliope/internal/text/nearest"
	"github.com/calliope-mlir/calliope/mlir"
)

const usage = `usage: calliope-opt [flags] [FILE]

Runs passes and rewritings on a module, in the order of the flags, and prints it. FILE is text,
bytecode, a portable artifact of StableHLO or what jax.export serialized, or - or nothing for
standard input.

Passes of the MLIR library:
  --PASS, --PASS=OPTIONS  any pass by its name, such as --cse or --canonicalize=top-down=false
                 (--show-passes lists those of StableHLO)
  --pass-pipeline=TEXT    passes with the operations that they run on, such as
                 builtin.module(func.func(cse),canonicalize)
  --pipeline-file=FILE    the same from a file, in which # begins a comment
  --run-reproducer        the passes that a reproducer has, which the module is: those of LLVM 22 and of StableHLO
                 that write and read no files and run no programs
  --trust-reproducer      any others, too

Functions that are added to the module (docs/autodiff.md). main:0,2 differentiates @main with
respect to these parameters, main alone with respect to all that have a derivative:
  --grad, --hessian, --jac-fwd, --jac-rev, --jvp, --linear-transpose, --linearize,
  --value-and-grad, --vjp FUNCTION[:PARAMETERS]
  --aux          the function has further results after the one that is differentiated
  --max-steps N  most steps of a loop that has no constant number of them
  --sqrt-loops   reverse mode stores about 2√n of n steps of a loop, and computes them twice
  --holomorphic  Jacobians of complex numbers
  --batch FUNCTION:SIZE[:AXES]   works on a batch, as vmap; axes of the parameters, such as
                 0,-,1 in which - is one without a batch (default: the first of each). What
                 says no method is called for each element.

Rewritings of this project (go doc github.com/calliope-mlir/calliope/passes):
  --prepare      what makes a module right for XLA: all that Client.Compile does to it
  --add-booleans, --apply-policies, --correct-trip-counts, --expand-integer-powers, --keep-bitcasts,
  --keep-conditions, --keep-shifted-updates, --keep-values, --make-random-bits-unsigned, --narrow-unsigned,
  --remove-empty-loops, --separate-channels, --state-signedness   its steps
  --order-effects, --let-overlap, --add-runtime-tokens, --drop-chained-tokens
  --constrain-layouts, --expand-mesh-axes, --strip-taps, --migrate

Input and output:
  -o FILE        write to a file
  --split-input-file      the parts of a text between lines "// -----" are modules of their own
  --verify-diagnostics    compare errors, warnings and remarks with comments expected-error {{…}},
                 expected-warning, expected-remark and expected-note, at their own line or at
                 @+1, @-1, @12, @above, @below, @unknown; the module is not printed
  --verify-each=false     do not verify the module after each pass: passes may crash
  --allow-unregistered-dialect
  --emit-bytecode, --emit-artifact, --emit-artifact=VERSION
                 VERSION is the StableHLO of the reader, such as 1.13.3, which doctor prints for a plugin;
                 without it, that of this library, which may be newer than what XLA reads
  --mlir-print-op-generic, --mlir-print-debuginfo, --mlir-print-local-scope
  --mlir-elide-elementsattrs-if-larger=N, --mlir-elide-resource-strings-if-larger=N
  --max-module SIZE       the largest module that is read (default 1GiB)
  --version      print the version and exit

What happens on the way, on standard error:
  --mlir-print-ir-before-all, --mlir-print-ir-after-all, --mlir-print-ir-after-failure,
  --mlir-print-ir-module-scope
  --mlir-timing, --mlir-pass-statistics
  --jit-print-after=STEP  compiles the module by package jit, and prints what it is after a step of that: a pass
                 by its name, such as one-shot-bufferize, a step of the package, such as make-loops,
                 or all, which prints it where it changed. The module stays as it is.
  --timeout D    stop after this time, such as 30s (default: never)

If a pass crashes, the error names it, and a file with the module and the passes stays.

Exit status: 0 success, 1 a step failed or diagnostics differ, 2 bad usage.
`

// options are a command line.
type options struct {
	file   string
	out    string
	steps  []step
	format format
	print  mlir.PrintOptions
	passes mlir.PassManagerOptions // of each run of passes

	derivatives *autodiff.Options // of all of them

	split, verifyDiagnostics, allowUnregistered, showPasses, reproduce, trust bool
	timeout                                                                   time.Duration
	maxModule                                                                 bounded.Size
}

// A format is how the module is written.
type format struct {
	bytecode, artifact bool
	version            string // of an artifact, "" for the newest
}

// errVersion says that the command is to print its version.
var errVersion = errors.New("the version is asked for")

// parseOptions reads a command line. Flags begin with one or two dashes. A flag that is none of the command's own is
// a pass of the library.
func parseOptions(args []string) (options, error) {
	o := options{file: "-", maxModule: bounded.GiB, derivatives: &autodiff.Options{}}
	var files []string
	for len(args) > 0 {
		arg := args[0]
		args = args[1:]
		if arg == "-" || !strings.HasPrefix(arg, "-") {
			files = append(files, arg)
			continue
		}
		name, value, given := strings.Cut(strings.TrimLeft(arg, "-"), "=")
		if name == "h" || name == "help" {
			return o, flag.ErrHelp
		}
		if name == "version" {
			return o, errVersion
		}
		if !given && needsValue(name) {
			if len(args) == 0 {
				return o, fmt.Errorf("%s needs a value", arg)
			}
			value, args = args[0], args[1:]
		}
		if err := o.set(name, value, given); err != nil {
			return o, fmt.Errorf("%s: %w", arg, err)
		}
	}
	switch {
	case len(files) > 1:
		return o, fmt.Errorf("there are %d files: %s: name one", len(files), strings.Join(files, " "))
	case len(files) == 1:
		o.file = files[0]
	}
	if o.format.bytecode && o.format.artifact {
		return o, errors.New("--emit-bytecode and --emit-artifact exclude each other: leave one out")
	}
	if o.out != "" {
		if err := replace.Check(o.out); err != nil {
			return o, fmt.Errorf("-o %s: %w", o.out, err)
		}
	}
	return o, nil
}

func needsValue(name string) bool {
	switch name {
	case printAfter, "o", "pass-pipeline", "pipeline-file", "timeout", "max-module", "max-steps",
		"mlir-elide-elementsattrs-if-larger", "mlir-elide-resource-strings-if-larger":
		return true
	}
	_, ok := transformations[name]
	return ok
}

// set sets one flag. given is whether it has a value after "=".
func (o *options) set(name, value string, given bool) (err error) {
	if on := o.boolean(name); on != nil {
		*on = true
		if given {
			*on, err = parseBool(value)
		}
		return err
	}
	switch name {
	case "o":
		o.out = value
	case "timeout":
		o.timeout, err = time.ParseDuration(value)
	case "max-steps":
		o.derivatives.MaxSteps, err = strconv.ParseInt(value, 10, 64)
		if err == nil && o.derivatives.MaxSteps < 1 {
			err = fmt.Errorf("%d is no number of steps: use one above 0", o.derivatives.MaxSteps)
		}
	case "max-module":
		err = o.maxModule.Set(value)
	case "verify-each":
		var on bool
		on, err = parseBool(value)
		o.passes.NoVerify = !on
	case "emit-artifact":
		o.format.artifact, o.format.version = true, value
	case "mlir-elide-elementsattrs-if-larger":
		o.print.ElideAbove, err = strconv.Atoi(value)
	case "mlir-elide-resource-strings-if-larger":
		o.print.ElideResources, err = strconv.Atoi(value)
	case "mlir-pass-statistics":
		o.passes.Statistics = mlir.StatisticsList
	case "pipeline-file":
		text, err := os.ReadFile(value)
		if err != nil {
			return err
		}
		o.steps = append(o.steps, pipelineStep(withoutComments(string(text))))
	case "pass-pipeline":
		o.steps = append(o.steps, pipelineStep(value))
	default:
		s, err := o.stepOf(name, value)
		if err != nil {
			return err
		}
		o.steps = append(o.steps, s)
	}
	return err
}

// boolean returns the variable of a flag that is on or off, or nil.
func (o *options) boolean(name string) *bool {
	if kind, ok := strings.CutPrefix(name, "mlir-print-ir-"); ok {
		if o.passes.PrintIR == nil {
			o.passes.PrintIR = &mlir.PrintIROptions{}
		}
		switch kind {
		case "before-all":
			return &o.passes.PrintIR.Before
		case "after-all":
			return &o.passes.PrintIR.After
		case "after-failure":
			o.passes.PrintIR.After = true
			return &o.passes.PrintIR.OnlyOnFailure
		case "module-scope":
			return &o.passes.PrintIR.ModuleScope
		}
	}
	switch name {
	case "aux":
		return &o.derivatives.Aux
	case "holomorphic":
		return &o.derivatives.Holomorphic
	case "sqrt-loops":
		return &o.derivatives.SqrtLoops
	case "split-input-file":
		return &o.split
	case "verify-diagnostics":
		return &o.verifyDiagnostics
	case "allow-unregistered-dialect":
		return &o.allowUnregistered
	case "run-reproducer":
		return &o.reproduce
	case "trust-reproducer":
		return &o.trust
	case "show-passes":
		return &o.showPasses
	case "emit-bytecode":
		return &o.format.bytecode
	case "mlir-print-op-generic":
		return &o.print.Generic
	case "mlir-print-debuginfo":
		return &o.print.DebugInfo
	case "mlir-print-local-scope":
		return &o.print.LocalScope
	case "mlir-timing":
		return &o.passes.Timing
	}
	return nil
}

func parseBool(value string) (bool, error) {
	on, err := strconv.ParseBool(value)
	if err != nil {
		return false, fmt.Errorf("%q is neither true nor false", value)
	}
	return on, nil
}

// withoutComments joins the lines of a pipeline, without what follows a #.
func withoutComments(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		line, _, _ = strings.Cut(line, "#")
		b.WriteString(strings.TrimSpace(line))
	}
	return b.String()
}

// misspelled returns a hint at the name of this command's own steps that may be meant.
func misspelled(name string) string {
	if near := nearest.Name(name, ownNames()); near != "" {
		return fmt.Sprintf(" (did you mean --%s?)", near)
	}
	return ""
}

// name returns the name of the input in messages.
func (o options) name() string {
	if o.file == "-" {
		return "<stdin>"
	}
	return o.file
}
