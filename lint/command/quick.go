package command

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"time"

	"github.com/calliope-mlir/calliope/internal/bounded"
	"github.com/calliope-mlir/calliope/internal/errtext"
	"github.com/calliope-mlir/calliope/lint/quick"
	"github.com/calliope-mlir/calliope/stablehlo/jaxexport"
)

const (
	quickFlag = "quick"
	quickDoc  = "find only outfeed, infeed and create_token, without an MLIR library; inputs are not parsed or verified"
)

const quickUsage = `usage: %[1]s -quick [flags] [file, folder or - …]

Finds the operations outfeed, infeed and create_token in MLIR modules: text, bytecode,
StableHLO portable artifacts and files of jax.export. Of a folder and its subfolders,
it checks the files *.mlir, *.mlirbc, *.mlir.bc, *.stablehlo, *.vhlo and *.bc. "-", or
no argument, is standard input. Each finding is one line:

  file:line:column: severity: message [rule]

This program was built without cgo, so it has only -quick, which does not parse or verify.
Built with CGO_ENABLED=1 and a C compiler, it has more rules.

Exit status: 0 no errors, 1 outfeeds or infeeds, 2 an input that could not be read
(rule [invalid]), or wrong usage.

Flags:
`

// QuickMain runs the part of the command that needs neither cgo nor an MLIR library: the flag
// -quick. It reads os.Args and returns the exit status. Builds with cgo have this part, too, in
// Main.
func QuickMain() int { return runQuick(os.Args[1:], os.Stdin, os.Stdout, os.Stderr) }

// runQuick runs a command that has only -quick.
func runQuick(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	q := quickRun{program: strings.TrimSuffix(filepath.Base(os.Args[0]), ".exe"), max: bounded.GiB}
	flags := flag.NewFlagSet(q.program, flag.ContinueOnError)
	on := flags.Bool(quickFlag, false, quickDoc+"; required in this build")
	flags.StringVar(&q.rules, "rules", "", "run only the rules in this `list`, separated by commas")
	addTimeout(flags, &q.limit, "the `time` limit for reading and checking one input")
	flags.Var(&q.max, maxFlag, "the largest `size` of one input")
	flags.BoolVar(&q.list, "list", false, "list the rules and exit")
	flags.SetOutput(io.Discard) // errors are printed below, on one line
	const without = "this program was built without cgo and has only -quick: for everything else, build it with CGO_ENABLED=1 and a C compiler"
	switch err := flags.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		var text bytes.Buffer
		fmt.Fprintf(&text, quickUsage, q.program)
		flags.SetOutput(&text)
		flags.PrintDefaults()
		return q.show(&text, stdout, stderr)
	case err != nil:
		return q.fail(stderr, flagError(err, flags, "; "+without))
	case !*on:
		return q.fail(stderr, errors.New(without))
	}
	return q.run(flags.Args(), stdin, stdout, stderr)
}

// A quickRun is a run with -quick.
type quickRun struct {
	program string
	rules   string // names, separated by commas; "" for all
	list    bool
	limit   time.Duration
	max     bounded.Size
}

func (q quickRun) fail(stderr io.Writer, err error) int {
	fmt.Fprintf(stderr, "%s: %v\n", q.program, err)
	return exitInvalid
}

func (q quickRun) show(text *bytes.Buffer, stdout, stderr io.Writer) int {
	if _, err := text.WriteTo(stdout); err != nil {
		return q.fail(stderr, fmt.Errorf("writing: %w", err))
	}
	return exitClean
}

// run checks the inputs that the arguments name and returns the exit status.
func (q quickRun) run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	chosen, err := q.choose()
	if err != nil {
		return q.fail(stderr, err)
	}
	if q.list {
		var text bytes.Buffer
		for _, r := range quick.Rules() {
			fmt.Fprintf(&text, "%s\t%s\n", r.Name, r.Doc)
		}
		return q.show(&text, stdout, stderr)
	}
	all, err := inputs(args, stdin)
	if err != nil {
		return q.fail(stderr, err)
	}
	// Goroutines check the inputs, and their outcomes are printed in order.
	outcomes := make([]chan *quickOutcome, len(all))
	for i := range outcomes {
		outcomes[i] = make(chan *quickOutcome, 1)
	}
	var next, stopped atomic.Int64
	defer stopped.Store(1)
	for range min(runtime.GOMAXPROCS(0), len(all)) {
		go func() {
			for i := next.Add(1) - 1; i < int64(len(all)) && stopped.Load() == 0; i = next.Add(1) - 1 {
				outcomes[i] <- q.timed(all[i], chosen)
			}
		}()
	}
	exit := exitClean
	for i := range outcomes {
		o := <-outcomes[i]
		outcomes[i] = nil
		exit = max(exit, o.exit)
		if _, err := io.WriteString(stdout, o.lines.String()); err != nil {
			return q.fail(stderr, fmt.Errorf("writing the findings: %w", err))
		}
	}
	return exit
}

// choose returns the names of the rules to run.
func (q quickRun) choose() (map[string]bool, error) {
	chosen := map[string]bool{}
	var known []string
	for _, r := range quick.Rules() {
		known = append(known, r.Name)
		chosen[r.Name] = q.rules == ""
	}
	if q.rules != "" {
		for name := range strings.SplitSeq(q.rules, ",") {
			name = strings.TrimSpace(name)
			if _, ok := chosen[name]; !ok {
				return nil, fmt.Errorf("-quick has no rule %q: choose from %s", name, strings.Join(known, ", "))
			}
			chosen[name] = true
		}
	}
	return chosen, nil
}

// A quickOutcome is what one input adds to the output and to the exit status.
type quickOutcome struct {
	lines strings.Builder
	exit  int
}

func (o *quickOutcome) add(file string, line, column int, severity, message, rule string) {
	o.lines.WriteString(
		errtext.Line(fmt.Sprintf("%s:%d:%d: %s: %s [%s]", file, line, column, severity, message, rule)) + "\n")
}

// invalid adds a finding about the input itself.
func (o *quickOutcome) invalid(file string, line, column int, message string) {
	o.add(file, line, column, "error", message, "invalid")
	o.exit = exitInvalid
}

// timed checks an input within the time limit.
func (q quickRun) timed(in input, chosen map[string]bool) *quickOutcome {
	done := make(chan *quickOutcome, 1)
	go func() { done <- q.check(in, chosen) }()
	late := time.NewTimer(q.limit)
	defer late.Stop()
	select {
	case o := <-done:
		return o
	case <-late.C:
		o := &quickOutcome{}
		o.invalid(in.Name, 1, 1,
			fmt.Sprintf("reading and checking took longer than %v and was stopped: raise -timeout", q.limit))
		return o
	}
}

// check reads and checks an input.
func (q quickRun) check(in input, chosen map[string]bool) *quickOutcome {
	o := &quickOutcome{}
	if in.problem == "" {
		var err error
		if in.open != nil {
			// It stops reading at the limit, when timed no longer waits.
			err = in.fill(q.max, q.limit)
		} else {
			in.Data, err = bounded.ReadFile(string(in.Path), limit(q.max))
		}
		in.problem = reading(err)
	}
	if in.problem == "" && jaxexport.Is(in.Data) {
		if e, err := jaxexport.Read(in.Data); err != nil {
			in.problem = err.Error()
		} else {
			in.Data = e.Module
		}
	}
	if in.problem != "" {
		o.invalid(in.Name, 1, 1, in.problem)
		return o
	}
	findings, err := quick.Check(in.Data)
	for _, f := range findings {
		switch {
		case !chosen[f.Rule]:
		case f.IsError():
			o.add(in.Name, f.Line, f.Column, "error", f.Message(), f.Rule)
			o.exit = exitFindings
		default:
			o.add(in.Name, f.Line, f.Column, "note", f.Message(), f.Rule)
		}
	}
	if problem, ok := errors.AsType[*quick.Error](err); ok {
		o.invalid(in.Name, problem.Line, problem.Column, problem.Message)
	}
	return o
}
