//go:build cgo

package command

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/calliope-mlir/calliope/lint"
)

// Main runs the command with the given rules: it reads os.Args and returns the exit status.
// Call it first in main, because the command starts its own executable as its workers.
func Main(analyzers ...*lint.Analyzer) int {
	if _, ok := os.LookupEnv(workerEnv); ok {
		return serve(withOwn(analyzers))
	}
	return run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr, analyzers)
}

func run(args []string, stdin io.Reader, stdout, stderr io.Writer, analyzers []*lint.Analyzer) int {
	program := strings.TrimSuffix(filepath.Base(os.Args[0]), ".exe")
	c := console{program, stdout, stderr}
	if err := lint.Validate(append(slices.Clone(analyzers), ignoreRule)); err != nil {
		return c.fail(err)
	}
	analyzers = withOwn(analyzers)
	if len(args) > 0 && merges[args[0]] != nil {
		return c.show(merged(merges[args[0]], args[1:]))
	}
	if len(args) > 0 && args[0] == "completion" {
		rules := described(analyzers)
		return c.show(completion(args[1:], newOptions(program).flags, choicesOf(rules)))
	}
	if len(args) > 0 && args[0] == "lsp" {
		o := newCheckOptions(program)
		if err := o.parseEditor(args[1:]); errors.Is(err, flag.ErrHelp) {
			return c.show(o.help(editorUsage), nil)
		} else if err != nil {
			return c.fail(err)
		}
		return c.exit(o.serveEditor(stdin, stdout, log.New(stderr, program+": ", 0), analyzers))
	}
	o := newOptions(program)
	if err := o.parse(args, ""); errors.Is(err, flag.ErrHelp) {
		return c.show(o.help(usage), nil)
	} else if err != nil {
		return c.fail(err)
	}
	described := described(analyzers)
	switch {
	case o.version:
		return c.showVersion()
	case o.quick:
		return c.quick(o, namesOf(described), stdin)
	case o.list:
		return c.show(listed(described), nil)
	case o.explain != "":
		return c.show(explained(o.explain, described))
	}
	check := func() (int, error) {
		return o.check(stdin, stdout, stderr, described, namesOf(described),
			func() (func() checker, error) { return o.openWorkers(stderr) })
	}
	if o.watching {
		ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
		defer stop()
		return c.exit(o.watch(ctx, time.Second, stderr, check))
	}
	return c.exit(check())
}

// openWorkers returns a function that starts the checkers of a full run.
func (o *options) openWorkers(stderr io.Writer) (func() checker, error) {
	ctx := context.Background()
	s := settings{limits: limits{o.limit, o.max}, memory: o.memory, fetch: fetcher(ctx, stderr), fixing: o.fixing}
	part, err := s.chooseEngine(o.engine)
	if err != nil {
		return nil, err
	}
	if err := s.fetchEngine(ctx, part, stderr); err != nil {
		return nil, err
	}
	if !o.noCache && !o.fixing.on() {
		if s.cache, err = s.openCache(); err != nil {
			fmt.Fprintf(stderr, "%s: results are not kept between runs (-no-cache): %v\n", o.flags.Name(), err)
		}
	}
	s.sums = s.cache != nil || o.fixing.on() || o.addIgnores != ""
	return func() checker { return &workerChecker{settings: s} }, nil
}
