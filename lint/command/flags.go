//go:build cgo

package command

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/calliope-mlir/calliope/internal/bounded"
	"github.com/calliope-mlir/calliope/lint/command/internal/config"
	"github.com/calliope-mlir/calliope/lint/command/internal/report"
)

const usage = `usage: %[1]s [flags] [PATH …]
       %[1]s merge-sarif REPORT …
       %[1]s merge-baselines BASELINE …
       %[1]s lsp [flags]

Checks MLIR modules: text, bytecode, StableHLO portable artifacts and files of
jax.export, which it recognizes by their content. Of a folder and its subfolders, it
checks the files *.mlir, *.mlirbc, *.mlir.bc, *.stablehlo, *.vhlo and *.bc. "./..." is
the working directory. "-", or no argument, is standard input. Each finding is one line:

  file:line:column: severity: message [rule]

A file .mlir-lint.yaml in the folder of a path, or in one around it, sets severities,
ignores and known targets. The comment "// mlir-lint:ignore rule reason" ignores the
findings of a rule on its line, or on the next one. docs/mlir-lint.md describes both.

-fix repairs what has one safe repair. It writes a file if no error is left in it.
lsp is a language server for editors; "%[1]s lsp -h" prints its flags.

Exit status: 0 no errors, 1 errors (with -werror, also warnings; with -fix, if any is
left; with -diff, also if there is a difference), 2 an input that could not be read or is
invalid (rule [invalid]), or wrong usage.

Flags:
`

// options are the values of the flags.
type options struct {
	rules     string
	strict    bool
	werror    bool
	format    string
	config    string
	baseline  string
	writeBase bool
	newFrom   string
	shard     shard
	split     bool
	engine    string
	workers   int
	limit     time.Duration
	max       bounded.Size
	memory    bounded.Size
	list      bool
	explain   string
	fixing    fixing
	quick     bool
	flags     *flag.FlagSet
}

func newOptions(program string) *options {
	o := newCheckOptions(program)
	f := o.flags
	f.BoolVar(&o.werror, "werror", false, "exit with status 1 on warnings, too")
	f.StringVar(&o.format, "format", "text", "print the findings in this `format`: "+strings.Join(report.Formats, ", "))
	f.StringVar(&o.baseline, "baseline", "", "do not count the findings in this `file`")
	f.BoolVar(&o.writeBase, "write-baseline", false,
		"write the findings to the file of -baseline, so that they are known")
	f.StringVar(&o.newFrom, "new-from-rev", "", "report only findings in lines that changed since this git `revision`")
	f.Var(&o.shard, "shard", "check only the part `i/n` of the files, for example 1/4")
	f.BoolVar(&o.split, "split-input-file", false,
		`check the parts of each text between lines "// -----" as modules of their own`)
	f.IntVar(&o.workers, "j", runtime.GOMAXPROCS(0), "the `number` of files that are checked at the same time")
	f.BoolVar(&o.list, "list", false, "list the rules and exit")
	o.fixing.register(f)
	f.BoolVar(&o.quick, quickFlag, false, quickDoc)
	f.StringVar(&o.explain, "explain", "", "explain this `rule` and exit")
	return o
}

// newCheckOptions returns the options that say how one module is checked.
func newCheckOptions(program string) *options {
	o := &options{max: bounded.GiB, memory: 8 * bounded.GiB, flags: flag.NewFlagSet(program, flag.ContinueOnError)}
	f := o.flags
	f.SetOutput(io.Discard) // errors are printed on one line
	f.StringVar(&o.rules, "rules", "", "run only the rules in this `list`, separated by commas")
	f.BoolVar(&o.strict, "strict", false,
		"report as errors what may be intended, such as tokens that order send and recv")
	f.StringVar(&o.config, "config", "", "read the configuration from this `file` instead of from "+config.Name)
	f.StringVar(&o.engine, "engine", "", "read all modules with this MLIR `library`: a path, or "+partList()+
		" (default: the one that has the dialects of the module)")
	addTimeout(f, &o.limit, "the `time` limit for reading and checking one input, or one part of it if its parts are checked one by one")
	f.Var(&o.max, maxFlag, "the largest `size` of one input")
	f.Var(&o.memory, memoryFlag, "the `memory` that checking one input may take, on Linux and Windows")
	return o
}

// parseFlags parses the flags.
func (o *options) parseFlags(args []string) error {
	if err := o.flags.Parse(args); errors.Is(err, flag.ErrHelp) {
		return err
	} else if err != nil {
		return flagError(err, o.flags, "")
	}
	return nil
}

// parse parses the arguments of the command.
func (o *options) parse(args []string) error {
	var unfit []string // flags that -quick does not have
	if err := o.parseFlags(args); err != nil {
		return err
	}
	paths := o.flags.Args()
	if o.quick {
		o.flags.Visit(func(f *flag.Flag) {
			if !slices.Contains([]string{quickFlag, "list", "max-module", "rules", "timeout"}, f.Name) {
				unfit = append(unfit, "-"+f.Name)
			}
		})
	}
	switch {
	case unfit != nil:
		return fmt.Errorf("-quick only finds operations, and prints lines: leave out %s", strings.Join(unfit, ", "))
	case o.workers < 1:
		return errors.New("-j must be at least 1")
	case o.writeBase && o.baseline == "":
		return errors.New("-write-baseline needs -baseline, which names the file to write")
	case o.writeBase && o.newFrom != "":
		return errors.New("-write-baseline needs all findings: leave out -new-from-rev")
	case o.fixing.on() && o.split:
		return errors.New("-fix and -diff repair whole files: leave out -split-input-file, or make a file of each part")
	case o.fixing.on() && o.writeBase:
		return errors.New("-write-baseline needs the findings of files as they are: leave out -fix and -diff")
	case o.shard.n > 0 && stdinNamed(paths):
		return errors.New("-shard needs paths: standard input cannot be divided")
	case o.newFrom != "" && stdinNamed(paths):
		return errors.New("-new-from-rev needs paths: git does not know standard input")
	case !slices.Contains(report.Formats, o.format):
		_, err := report.New(o.format, io.Discard, report.Options{})
		return err
	}
	return nil
}

// help returns the usage and the flags.
func (o *options) help(usage string) *bytes.Buffer {
	var text bytes.Buffer
	fmt.Fprintf(&text, usage, o.flags.Name())
	o.flags.SetOutput(&text)
	o.flags.PrintDefaults()
	return &text
}
