package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/internal/host/bounded"
	"github.com/calliope-mlir/calliope/internal/host/replace"
)

const usage = `usage: mlir-run [flags] MODULE

Runs a StableHLO module on XLA. MODULE is a file (text, bytecode, a portable
artifact, or what jax.export serialized), or - for standard input. Dimensions that the
module leaves open have the sizes of the inputs.

A module that is partitioned over several devices (mhlo.num_partitions, or a mesh of Shardy)
runs on that many, and takes and returns global arrays: the inputs are split, and the results
joined, as XLA divides them. Of results that several devices have, those of the first one
are used.

Calls of LAPACK, in modules that JAX lowered for the CPU, are served by OpenBLAS, which is
fetched when it is first needed.

  --function NAME  run this function of the module (default: main)
  --vjp N        run the derivative of order N that a file of jax.export carries: it takes the
                 inputs of the function and a cotangent of each of its outputs
  --in FILE      inputs: a .npz file with the arrays in0, in1, … (or arr_0, arr_1, …), or
                 .npy files in the order of the parameters of the function (repeat the flag)
  --out FILE     write the results to a .npz file, as out0, out1, …
                 (without --out, --expect and --check they are printed)
  --expect FILE  compare the results with out0, out1, … of a .npz file (it may be
                 the same file as for --in)
  --rtol R       relative and absolute tolerance of --expect for floating point
  --atol A       (default 1e-5 and 1e-6): |got - expected| <= A + R * |expected|.
                 NaN equals NaN; integers and booleans must be equal.
  --feeds FILE   serve the outfeeds and infeeds of old host calls, in the order of the
                 program: write what is sent to a .npz file, as feed0, feed1, …, without
                 the flags of EXLA and of JAX's host_callback, and receive infeed0,
                 infeed1, … of --in. The callbacks that mlir-lint -fix made of them are
                 served in the same way.
  --tap          serve custom calls without a handler: print their operands and return
                 them as the results. This works if the results have the types of the
                 operands, or if there are no results.
  --stub zeros   serve custom calls without a handler: return zeros
  --check        serve the checks of StableHLO's test data, the operations of its dialect
                 check and the custom calls check.expect_eq, check.expect_close,
                 check.expect_almost_eq and check.eq: print those that fail, with exit
                 status 1
  --legacy LIBRARY[:SYMBOL[=TARGET][:FORM]]
                 serve custom calls of api_version 0 to 3 with a function of a shared
                 library (repeat the flag): all that the library registers with
                 calliope_custom_call.h, or one symbol. The form is host, host-status,
                 host-opaque, gpu or gpu-status (docs/legacy.md); it may be left out
                 if the library registers the symbol. The target is that of the
                 calls (default: the symbol).
  --record FILE  write every call of a callback to a file, with its operands and results
  --replay FILE  serve the callbacks from such a file, without their functions. A call
                 that differs from the recording fails the run with the first difference.
  --trace FILE   write the calls as a Chrome trace, which Perfetto shows
                 (https://ui.perfetto.dev): runs, devices and callbacks as tracks
  --stats        print at the end the memory that the compiled module needs, how often each
                 callback was called, and how long the calls took
  --profile      print what the operations of the module took, as code of package jit, which needs
                 --jit where there is XLA, and write them to --trace
  --replicas N   run N replicas, each on its own device (default: mhlo.num_replicas of the
                 module, or 1). They all take the same inputs, or each its own with
                 consecutive numbers: with two parameters the second replica takes in2
                 and in3. The results are numbered in the same way.
  --exact        compute what the module says, without the simplifications of XLA that
                 change it (docs/reference/xla-deviations.md); it may take longer
  --jit          compile by MLIR and LLVM, and not by XLA, as platforms without an XLA plugin always
                 do
  --fallback F   of what --jit cannot compile: warn (default) runs it on StableHLO's
                 interpreter, slowly, and logs the reason; on runs it there; off is an error
  --cache DIR    keep the compiled module in a folder, for further runs of it
  --devices N    number of devices that the CPU presents (default: as many as needed)
  --max-module SIZE  largest module that is read (default 1GiB)
  --max-arrays SIZE  largest total size of all inputs, of all expected results, or of
                 what is sent or received (default 4GiB)
  --timeout D    stop after this time, such as 30s (default: never)
  --version      print the version and exit

Element types that NumPy lacks are stored as integers of the same width: bfloat16
as uint16, 8-bit floating point as uint8, 4-bit integers as int8 or uint8.

Exit status: 0 success, 1 the results differ or a check fails, 2 bad usage or input, or a failed run.
`

type options struct {
	module   string
	function string
	vjp      int
	in       []string
	out      string
	expect   string
	compare  tolerance
	feeds    string
	tap      bool
	check    bool
	stub     string
	legacy   []legacyOption
	record   string
	replay   string
	trace    string
	stats    bool
	profile  bool
	replicas int
	devices  int
	cache    string
	exact    bool
	jit      bool
	fallback engine.Fallback
	timeout  time.Duration

	replicasGiven bool
	partitions    int // of the module, see forModule

	maxModule, maxArrays bounded.Size
}

func (o options) moduleLimit() bounded.Limit {
	return bounded.Limit{Size: o.maxModule, Flag: "--max-module"}
}
func (o options) arraysLimit() bounded.Limit {
	return bounded.Limit{Size: o.maxArrays, Flag: "--max-arrays"}
}

// checkOutputs refuses, before the run, results that cannot be written after it.
func (o options) checkOutputs() error {
	for _, output := range []struct{ flag, file string }{{"--out", o.out}, {"--feeds", o.feeds}} {
		if output.file == "" {
			continue
		}
		if err := replace.Check(output.file); err != nil {
			return fmt.Errorf("%s %s: %w", output.flag, output.file, err)
		}
		for _, input := range slices.Concat(o.in, []string{o.expect, o.module}) {
			if same(input, output.file) {
				return fmt.Errorf("%s %s: the run reads this file, which would be lost: use another name", output.flag,
					output.file)
			}
		}
	}
	return nil
}

// same reports whether two names are of one file.
func same(a, b string) bool {
	x, err := os.Stat(a)
	if err != nil {
		return false
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
}

// maxDevices is the greatest number of devices of a client.
const maxDevices = 1024

// tolerance is the tolerance of a comparison of floating point numbers.
type tolerance struct {
	rtol, atol float64
	ulps       uint64 // steps between adjacent numbers that are allowed, too
	atLeast    uint64 // steps that floating point numbers must be apart
}

// errVersion says that the command is to print its version.
var errVersion = errors.New("the version is asked for")

// parseOptions reads a command line. Flags may come before and after the module.
func parseOptions(args []string) (options, error) {
	o := options{compare: tolerance{rtol: 1e-5, atol: 1e-6}, replicas: 1, maxModule: bounded.GiB,
		maxArrays: 4 * bounded.GiB}
	flags := flag.NewFlagSet("mlir-run", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.StringVar(&o.function, "function", "", "")
	flags.IntVar(&o.vjp, "vjp", 0, "")
	flags.Func("in", "", func(path string) error { o.in = append(o.in, path); return nil })
	flags.StringVar(&o.out, "out", "", "")
	flags.StringVar(&o.expect, "expect", "", "")
	flags.Float64Var(&o.compare.rtol, "rtol", o.compare.rtol, "")
	flags.Float64Var(&o.compare.atol, "atol", o.compare.atol, "")
	flags.StringVar(&o.feeds, "feeds", "", "")
	flags.BoolVar(&o.tap, "tap", false, "")
	flags.BoolVar(&o.check, "check", false, "")
	flags.StringVar(&o.stub, "stub", "", "")
	flags.Func("legacy", "", func(text string) error {
		l, err := parseLegacy(text)
		o.legacy = append(o.legacy, l)
		return err
	})
	flags.StringVar(&o.record, "record", "", "")
	flags.StringVar(&o.replay, "replay", "", "")
	flags.StringVar(&o.trace, "trace", "", "")
	flags.BoolVar(&o.stats, "stats", false, "")
	flags.BoolVar(&o.profile, "profile", false, "")
	flags.IntVar(&o.replicas, "replicas", o.replicas, "")
	flags.IntVar(&o.devices, "devices", 0, "")
	flags.StringVar(&o.cache, "cache", "", "")
	flags.BoolVar(&o.exact, "exact", false, "")
	flags.BoolVar(&o.jit, "jit", false, "")
	flags.Func("fallback", "", func(word string) (err error) {
		o.fallback, err = engine.ParseFallback(word)
		return err
	})
	flags.DurationVar(&o.timeout, "timeout", 0, "")
	flags.Var(&o.maxModule, "max-module", "")
	flags.Var(&o.maxArrays, "max-arrays", "")
	showVersion := flags.Bool("version", false, "")
	var modules []string
	for {
		if err := flags.Parse(args); err != nil {
			return o, err
		}
		if flags.NArg() == 0 {
			break
		}
		modules = append(modules, flags.Arg(0))
		args = flags.Args()[1:]
	}
	if *showVersion {
		return o, errVersion
	}
	flags.Visit(func(f *flag.Flag) { o.replicasGiven = o.replicasGiven || f.Name == "replicas" })
	if len(modules) == 1 {
		o.module = modules[0]
	}
	return o, o.validate(modules)
}

func (o options) validate(modules []string) error {
	bad := func(f float64) bool { return !(f >= 0) || math.IsInf(f, 0) }
	switch {
	case len(modules) == 0:
		return errors.New("the module is missing: name a file, or - for standard input")
	case len(modules) > 1:
		return fmt.Errorf("there are %d modules: %s: name one", len(modules), strings.Join(modules, " "))
	case o.out != "" && !strings.HasSuffix(o.out, ".npz"):
		return fmt.Errorf("--out %s: results are written as .npz: use a name that ends in .npz", o.out)
	case o.feeds != "" && !strings.HasSuffix(o.feeds, ".npz"):
		return fmt.Errorf("--feeds %s: what is sent is written as .npz: use a name that ends in .npz", o.feeds)
	case o.feeds != "" && o.feeds == o.out:
		return fmt.Errorf("--feeds %s: the results have the same name: use another one", o.feeds)
	case o.feeds != "" && o.replay != "":
		return errors.New("--feeds cannot be combined with --replay: leave one out")
	case o.feeds != "" && o.replicas > 1:
		return fmt.Errorf("--feeds cannot be combined with --replicas %d: feeds of several devices have no order",
			o.replicas)
	case o.stub != "" && o.stub != stubZeros:
		return fmt.Errorf("--stub %s: the only stub is %q", o.stub, stubZeros)
	case o.stub != "" && o.tap:
		return errors.New("--stub cannot be combined with --tap: leave one out")
	case o.replay != "" && (o.check || o.stub != ""):
		return errors.New("--replay cannot be combined with --check or --stub: leave them out")
	case o.replay != "" && len(o.legacy) > 0:
		return errors.New("--replay cannot be combined with --legacy: leave one out")
	case o.replay != "" && (o.tap || o.record != ""):
		return errors.New("--replay cannot be combined with --tap or --record: leave them out")
	case o.trace != "" && (o.trace == o.record || o.trace == o.replay):
		return fmt.Errorf("--trace %s: the recording has the same name: use another one", o.trace)
	case bad(o.compare.rtol) || bad(o.compare.atol):
		return errors.New("--rtol and --atol must be finite and not negative")
	case o.replicas < 1 || o.replicas > maxDevices:
		return fmt.Errorf("--replicas %d: use 1 to %d", o.replicas, maxDevices)
	case o.devices < 0 || o.devices > maxDevices:
		return fmt.Errorf("--devices %d: use 1 to %d", o.devices, maxDevices)
	case o.devices > 0 && o.devices < o.replicas:
		return fmt.Errorf("--devices %d: %d replicas need at least that many devices", o.devices, o.replicas)
	case o.alone() && (o.devices > 0 || o.cache != "" || o.exact):
		return errors.New("without XLA, as with --jit, --devices, --cache and --exact are not there: leave them out")
	case o.profile && !o.alone():
		return errors.New("--profile measures code of package jit: add --jit; XLA's plugins for the CPU have no profiler")
	case o.profile && o.replicas > 1:
		return errors.New("--profile is for one device: leave out --replicas")
	case o.timeout < 0:
		return fmt.Errorf("--timeout %v: use a duration such as 30s", o.timeout)
	}
	return nil
}
