// Bench measures the cost of Calliope. It compares each figure with a lower bound (its
// floor) or with another program (its peer), in one run on one machine:
//
//	go run ./tools/bench [-suite autodiff|callbacks|dispatch|embed|gomlx|ir|jit|lint|models|open|order|procs1|roofs|run|stages] [-repeat N] [-python PROGRAM]
//	go run ./tools/bench -suite callbacks [-quick] [-plot FILE]
//	go run ./tools/bench -suite SUITE -docs FILE
//	go run ./tools/bench -report DIR [-suite …] [-repeat N] [-python PROGRAM] [-quick]
//
// The suite autodiff measures derivatives, beside those of JAX. callbacks measures calls of Go from compiled code:
// their cost by payload, way of dispatch and number of concurrent runs, and the goals compared with their floors in C.
// The suite dispatch measures only these goals. procs1 is the part of dispatch for GOMAXPROCS=1. The suite embed
// measures callbacks in JAX through libcalliope, gomlx the backend for GoMLX beside go-xla's, run executions, order
// what the order of effects costs, ir work on the IR, open the part of ir that needs a process of its own, jit programs
// that package jit compiles beside XLA, lint the linter, models programs that JAX lowers beside JAX, and roofs how near
// the code of package jit comes to what the machine can do.
//
// Each line is name, value, unit, budget and "ok" or "over", separated by tabs. A budget of
// "-" marks a figure that is for comparison only. The exit status is 1 if a figure is over
// its budget.
//
// With -docs it also writes the figures as a table to a page of the documentation, in the place of the table that the
// suite wrote there before. With -report it runs all suites, each in a process of its own, and writes a page to DIR:
// README.md, with the machine, the versions of what was measured, the figures with their limits, and pictures. A peer
// that is missing is named.
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"os/signal"
	"slices"
	"strings"
)

// settings are the flags that the suites use.
type settings struct {
	repeat int
	python string
	quick  bool
	plot   string // output file for the plot, "" for none
}

var suites = map[string]func(context.Context, settings, *report) error{
	"autodiff":  autodiffSuite,
	"callbacks": callbackSuite,
	"dispatch":  dispatchSuite,
	"embed":     embedSuite,
	"gomlx":     gomlxSuite,
	"procs1":    oneProcSuite,
	"ir":        irSuite,
	"jit":       jitSuite,
	"lint":      lintSuite,
	"models":    modelsSuite,
	"open":      openSuite,
	"order":     orderSuite,
	"roofs":     roofsSuite,
	"run":       runSuite,
	"stages":    stagesSuite,
}

const defaultSuite = "callbacks"

// statusOver is the exit status if a figure is over its budget.
const statusOver = 1

func main() {
	os.Exit(run(os.Args[1:]))
}

func run(args []string) int {
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	suite := flags.String("suite", "", "the suite to run: "+suiteNames()+" (default "+defaultSuite+"; with -report all)")
	folder := flags.String("report", "", "a `folder` for a page with the figures and pictures, which it writes")
	docs := flags.String("docs", "", "a page of the documentation, the `file` that gets a table of the figures")
	var s settings
	flags.IntVar(&s.repeat, "repeat", 7,
		"number of repetitions of each measurement; the medians or the least times are compared")
	flags.StringVar(&s.python, "python", "python3", "the Python whose JAX is measured, if it has JAX")
	flags.BoolVar(&s.quick, "quick", false, "use fewer payloads, and one run at a time")
	flags.StringVar(&s.plot, "plot", "", "an SVG `file` for the latency of callbacks by payload")
	switch err := flags.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil:
		return 2
	}
	if wrong := wrongFlags(flags.Args(), *suite, *folder, *docs, s); wrong != "" {
		fmt.Fprintln(os.Stderr, "bench:", wrong)
		return 2
	}
	var lines strings.Builder
	r := &report{out: io.MultiWriter(os.Stdout, &lines)}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	var err error
	if *folder != "" {
		r.over, err = writeReport(ctx, s, *folder, *suite)
	} else {
		err = suites[cmp.Or(*suite, defaultSuite)](ctx, s, r)
	}
	if err == nil && *docs != "" {
		var list []result
		if list, err = readResults(lines.String()); err == nil {
			err = writeDocs(*docs, *suite, list)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		return 2
	}
	if r.over {
		return statusOver
	}
	return 0
}

// wrongFlags says what is wrong with the flags, or "".
func wrongFlags(args []string, suite, folder, docs string, s settings) string {
	switch {
	case len(args) > 0:
		return fmt.Sprintf("%q is not a flag: bench -h lists the flags", args[0])
	case suites[cmp.Or(suite, defaultSuite)] == nil:
		return fmt.Sprintf("there is no suite %q: choose from %s", suite, suiteNames())
	case s.repeat < 1:
		return fmt.Sprintf("-repeat %d: use 1 or more", s.repeat)
	case docs != "" && (suite == "" || folder != ""):
		return "-docs needs a -suite, and no -report"
	case s.plot != "" && folder != "":
		return "-report draws the plot, too: leave out -plot"
	case s.plot != "" && cmp.Or(suite, defaultSuite) != "callbacks":
		return fmt.Sprintf("-plot draws only the suite callbacks, not %s: leave it out", suite)
	case folder != "" && suite != "" &&
		!slices.ContainsFunc(chapters, func(c chapter) bool { return c.suite == suite }):
		return fmt.Sprintf("the suite %s is a part of another one: choose that for -report", suite)
	}
	return ""
}

func suiteNames() string { return strings.Join(slices.Sorted(maps.Keys(suites)), ", ") }
