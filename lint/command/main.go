//go:build cgo

package command

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"path/filepath"
	"strings"

	"github.com/calliope-mlir/calliope/lint"
	"github.com/calliope-mlir/calliope/lint/command/internal/baseline"
	"github.com/calliope-mlir/calliope/lint/command/internal/config"
	"github.com/calliope-mlir/calliope/lint/command/internal/gitdiff"
	"github.com/calliope-mlir/calliope/lint/command/internal/report"
)

// Main runs the command with the given rules: it reads os.Args and returns the exit status.
// Call it first in main, because the command starts its own executable as its workers.
func Main(analyzers ...*lint.Analyzer) int {
	if _, ok := os.LookupEnv(workerEnv); ok {
		return serve(withIgnore(analyzers))
	}
	return run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr, analyzers)
}

func run(args []string, stdin io.Reader, stdout, stderr io.Writer, analyzers []*lint.Analyzer) int {
	program := strings.TrimSuffix(filepath.Base(os.Args[0]), ".exe")
	analyzers = withIgnore(analyzers)
	fail := func(err error) int {
		fmt.Fprintf(stderr, "%s: %v\n", program, err)
		return exitInvalid
	}
	show := func(text *bytes.Buffer, err error) int {
		if err != nil {
			return fail(err)
		}
		if _, err := text.WriteTo(stdout); err != nil {
			return fail(fmt.Errorf("writing: %w", err))
		}
		return exitClean
	}
	if err := lint.Validate(analyzers); err != nil {
		return fail(err)
	}
	if len(args) > 0 && merges[args[0]] != nil {
		return show(merged(merges[args[0]], args[1:]))
	}
	if len(args) > 0 && args[0] == "lsp" {
		o := newCheckOptions(program)
		if err := o.parseEditor(args[1:]); errors.Is(err, flag.ErrHelp) {
			return show(o.help(editorUsage), nil)
		} else if err != nil {
			return fail(err)
		}
		exit, err := o.serveEditor(stdin, stdout, log.New(stderr, program+": ", 0), analyzers)
		if err != nil {
			return fail(err)
		}
		return exit
	}
	o := newOptions(program)
	if err := o.parse(args); errors.Is(err, flag.ErrHelp) {
		return show(o.help(usage), nil)
	} else if err != nil {
		return fail(err)
	}
	switch {
	case o.quick:
		q := quickRun{program: program, rules: o.rules, list: o.list, limit: o.limit, max: o.max}
		return q.run(o.flags.Args(), stdin, stdout, stderr)
	case o.list:
		return show(listed(analyzers), nil)
	case o.explain != "":
		return show(explained(o.explain, analyzers))
	}
	exit, err := o.check(stdin, stdout, stderr, analyzers)
	if err != nil {
		return fail(err)
	}
	return exit
}

// check checks the inputs, writes the report, and returns the exit status.
func (o *options) check(stdin io.Reader, stdout, stderr io.Writer, analyzers []*lint.Analyzer) (int, error) {
	p, err := o.plan(analyzers)
	if err != nil {
		return 0, err
	}
	known, err := o.readBaseline()
	if err != nil {
		return 0, err
	}
	all, err := inputs(o.flags.Args(), stdin)
	if err != nil {
		return 0, err
	}
	all = p.apply(o.shard.of(all))
	ctx := context.Background()
	s := settings{workers: o.workers, limit: o.limit, max: o.max, memory: o.memory, fetch: fetcher(ctx, stderr),
		fixing: o.fixing}
	part, err := s.chooseEngine(o.engine)
	if err != nil {
		return 0, err
	}
	if err := s.fetchEngine(ctx, part, stderr); err != nil {
		return 0, err
	}
	findings := stdout
	if o.fixing.aside(o.flags.Args()) {
		findings = stderr
	}
	r := &results{options: o, baseline: known, progress: newProgress(stderr, len(all), progressDelay)}
	defer r.progress.end()
	text := report.Text{Gone: r.gone}
	if text.Width, text.Terminal = widthOf(findings); text.Terminal {
		text.Color = colored()
	}
	r.report,
		err = report.New(o.format, findings, report.Options{Rules: described(analyzers), Werror: o.werror, Text: text})
	if err != nil {
		return 0, err
	}
	for in, outcome := range s.checkAll(all, r.progress.checked) {
		if outcome.err != nil {
			return 0, outcome.err
		}
		if err := r.add(in.Name, p.finish(in, outcome)); err != nil {
			return 0, err
		}
		if err := r.mended(outcome, stdout, stderr); err != nil {
			return 0, err
		}
	}
	return r.close()
}

// plan returns the plan that the flags make.
func (o *options) plan(analyzers []*lint.Analyzer) (p plan, err error) {
	p = plan{selection: selection{all: analyzers}, strict: o.strict, split: o.split, edits: report.HasEdits(o.format)}
	if o.rules != "" {
		if p.chosen, err = choose(o.rules, analyzers); err != nil {
			return p, err
		}
	}
	p.finder = config.NewFinder(namesOf(analyzers))
	if o.config != "" {
		if p.finder, err = config.Fixed(o.config, namesOf(analyzers)); err != nil {
			return p, err
		}
	}
	if o.newFrom != "" {
		if p.changes, err = gitdiff.Since(".", o.newFrom); err != nil {
			return p, fmt.Errorf("-new-from-rev: %w", err)
		}
	}
	return p, nil
}

// readBaseline reads the baseline, unless there is none or it is to be written.
func (o *options) readBaseline() (*baseline.Baseline, error) {
	if o.baseline == "" || o.writeBase {
		return nil, nil
	}
	return baseline.Read(o.baseline)
}
