package command

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/calliope-mlir/calliope/internal/host/bounded"
	"github.com/calliope-mlir/calliope/lint/command/internal/ignore"
	"github.com/calliope-mlir/calliope/lint/command/internal/report"
	"github.com/calliope-mlir/calliope/lint/finding"
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

Configurations in .mlir-lint.yaml and the comments "// mlir-lint:ignore rule reason" count,
as docs/mlir-lint.md describes them.

This program was built without cgo, so it has only -quick, which does not parse or verify.
Built with CGO_ENABLED=1 and a C compiler, it has more rules.

Exit status: 0 no errors, 1 errors (with -werror, also warnings), 2 an input that could not be read
(rule [invalid]), or wrong usage.

Flags:
`

// QuickMain runs the part of the command that needs neither cgo nor an MLIR library: the flag
// -quick. It reads os.Args and returns the exit status. Builds with cgo have this part, too, in
// Main.
func QuickMain() int { return runQuick(os.Args[1:], os.Stdin, os.Stdout, os.Stderr) }

// runQuick runs a command that has only -quick.
func runQuick(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	c := console{strings.TrimSuffix(filepath.Base(os.Args[0]), ".exe"), stdout, stderr}
	o := newQuickOptions(c.program)
	o.flags.Lookup(quickFlag).Usage += "; required in this build"
	const without = "this program was built without cgo and has only -quick: for everything else, build it with CGO_ENABLED=1 and a C compiler"
	switch err := o.parse(args, "; "+without); {
	case errors.Is(err, flag.ErrHelp):
		return c.show(o.help(quickUsage), nil)
	case err != nil:
		return c.fail(err)
	case o.version:
		return c.showVersion()
	case !o.quick:
		return c.fail(errors.New(without))
	}
	return c.quick(o, nil, stdin)
}

// quick runs the command with -quick. known are the names of the rules that configurations may have,
// or nil if they are not known.
func (c console) quick(o *options, known []string, stdin io.Reader) int {
	rules := quickRules()
	if o.list {
		return c.show(listed(rules), nil)
	}
	start := func() checker { return quickChecker{limits{o.limit, o.max}, known} }
	return c.exit(
		o.check(stdin, c.stdout, c.stderr, rules, known, func() (func() checker, error) { return start, nil }))
}

// quickRules describes the rules of -quick.
func quickRules() []report.Rule {
	rules := []report.Rule{
		{Name: ignore.Rule, Doc: ignore.Doc, Severity: finding.Warning, URL: report.URL(ignore.Rule)},
		{Name: finding.Invalid, Doc: report.InvalidDoc, Severity: finding.Error, URL: report.URL(finding.Invalid)},
	}
	for _, r := range quick.Rules() {
		rules = append(rules, report.Rule{Name: r.Name, Doc: r.Doc, Severity: r.Severity, URL: report.URL(r.Name)})
	}
	slices.SortFunc(rules, func(a, b report.Rule) int { return strings.Compare(a.Name, b.Name) })
	return rules
}

// A quickChecker checks inputs with package quick.
type quickChecker struct {
	limits
	known []string // the names of the rules that ignores may have; nil if they are not known
}

func (quickChecker) close() {}

func (c quickChecker) check(_ context.Context, in input) outcome {
	done := make(chan outcome, 1)
	go func() { done <- c.examine(in) }()
	late := time.NewTimer(c.limit)
	defer late.Stop()
	select {
	case o := <-done:
		return o
	case <-late.C:
		return refused(in.Name,
			fmt.Sprintf("reading and checking took longer than %v and was stopped: raise -timeout", c.limit))
	}
}

// examine reads and checks an input.
func (c quickChecker) examine(in input) outcome {
	if problem := c.prepare(&in); problem != nil {
		return outcome{findings: []finding.Finding{*problem}}
	}
	if in.open == nil {
		var err error
		if in.Data, err = bounded.ReadFile(string(in.Path), limit(c.max)); err != nil {
			return refused(in.Name, reading(err))
		}
	}
	if jaxexport.Is(in.Data) {
		e, err := jaxexport.Read(in.Data)
		if err != nil {
			return refused(in.Name, err.Error())
		}
		in.Data = e.Module
	}
	findings, failed := in.each(in.quickFindings)
	return outcome{findings: in.complete(findings, c.known, failed), text: !quick.IsBytecode(in.Data)}
}

// quickFindings returns what the rules of package quick find in a module. If it could not be searched, the
// last finding says why.
func (in input) quickFindings(module []byte) []finding.Finding {
	findings, err := quick.Check(in.Name, module)
	findings = slices.DeleteFunc(findings, func(f finding.Finding) bool { return !slices.Contains(in.Rules, f.Rule) })
	if problem, ok := errors.AsType[*quick.Error](err); ok {
		f := invalid(in.Name, "%s", problem.Message)
		f.Line, f.Column, f.NoPlace = problem.Line, problem.Column, quick.IsBytecode(module)
		findings = append(findings, f)
	}
	return findings
}
