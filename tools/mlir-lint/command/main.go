//go:build cgo

package command

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/calliope-mlir/calliope/internal/bounded"
	"github.com/calliope-mlir/calliope/lint"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/native"
)

const usage = `usage: %[1]s [flags] [file, folder or - …]

Checks MLIR modules: text, bytecode, StableHLO portable artifacts and files of
jax.export. Of a folder and its subfolders, it checks the files *.mlir and *.mlirbc.
"-", or no argument, is standard input. Each finding is one line:

  file:line:column: severity: message [rule]

Exit status: 0 no errors, 1 errors, 2 an input that could not be read or is invalid
(rule [invalid]), or wrong usage.

Flags:
`

// Main runs the command with the given rules: it reads os.Args and returns the exit status.
// Call it first in main, because the command starts its own executable as its workers.
func Main(analyzers ...*lint.Analyzer) int {
	if names, ok := os.LookupEnv(workerEnv); ok {
		return serve(names, analyzers)
	}
	return run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr, analyzers)
}

func run(args []string, stdin io.Reader, stdout, stderr io.Writer, analyzers []*lint.Analyzer) int {
	program := strings.TrimSuffix(filepath.Base(os.Args[0]), ".exe")
	fail := func(err error) int {
		fmt.Fprintf(stderr, "%s: %v\n", program, err)
		return exitInvalid
	}
	show := func(text *bytes.Buffer) int {
		if _, err := text.WriteTo(stdout); err != nil {
			return fail(fmt.Errorf("writing: %w", err))
		}
		return exitClean
	}
	if err := lint.Validate(analyzers); err != nil {
		return fail(err)
	}
	flags := flag.NewFlagSet(program, flag.ContinueOnError)
	var s settings
	names := flags.String("rules", "", "run only the rules in this `list`, separated by commas")
	flags.DurationVar(&s.limit, "timeout", time.Minute, "the `time` limit for reading and checking one input")
	s.max = bounded.GiB
	flags.Var(&s.max, maxFlag, "the largest `size` of one input")
	list := flags.Bool("list", false, "list the rules and exit")
	quick := flags.Bool(quickFlag, false, quickDoc)
	flags.SetOutput(io.Discard) // errors are printed below, on one line
	switch err := flags.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		var text bytes.Buffer
		fmt.Fprintf(&text, usage, program)
		flags.SetOutput(&text)
		flags.PrintDefaults()
		return show(&text)
	case err != nil:
		return fail(fmt.Errorf("%w: the flags are %s", err, flagList(flags)))
	}
	if s.limit <= 0 {
		return fail(errors.New("-timeout must be more than zero, for example 30s"))
	}
	if *quick {
		q := quickRun{program: program, rules: *names, list: *list, limit: s.limit, max: s.max}
		return q.run(flags.Args(), stdin, stdout, stderr)
	}
	chosen, err := choose(*names, analyzers)
	if err != nil {
		return fail(err)
	}
	s.rules = nameList(chosen)
	if *list {
		var text bytes.Buffer
		for _, a := range analyzers {
			fmt.Fprintf(&text, "%s\t%s\n", a.Name, a.Doc)
		}
		return show(&text)
	}
	found, err := native.Ensure(context.Background(), native.MLIR, native.EnsureOptions{Progress: stderr})
	if err != nil {
		return fail(err)
	}
	s.library, s.fetch = found.Path, fetcher(stderr)
	all, err := inputs(flags.Args(), stdin)
	if err != nil {
		return fail(err)
	}
	exit := exitClean
	for outcome := range s.checkAll(all) {
		if outcome.err != nil {
			return fail(outcome.err)
		}
		var lines bytes.Buffer
		for _, d := range outcome.diagnostics {
			exit = max(exit, weight(d))
			fmt.Fprintln(&lines, d)
		}
		if _, err := lines.WriteTo(stdout); err != nil {
			return fail(fmt.Errorf("writing the findings: %w", err))
		}
	}
	return exit
}

// fetcher returns a function that fetches a library which an input needs. It tries each one
// once.
func fetcher(progress io.Writer) func(native.Part) error {
	var fetched sync.Map // native.Part -> func() error
	return func(p native.Part) error {
		once, _ := fetched.LoadOrStore(p, sync.OnceValue(func() error {
			_, err := native.Ensure(context.Background(), p, native.EnsureOptions{Progress: progress})
			return err
		}))
		return once.(func() error)()
	}
}

// weight returns the exit status for one finding.
func weight(d lint.Diagnostic) int {
	switch {
	case d.Rule == lint.Invalid:
		return exitInvalid
	case d.Severity == mlir.SeverityError:
		return exitFindings
	}
	return exitClean
}
