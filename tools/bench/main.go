// Bench measures the cost of Calliope. It compares each figure with a lower bound (its
// floor) or with another program (its peer), in one run on one machine:
//
//	go run ./tools/bench [-suite autodiff|callbacks|dispatch|embed|gomlx|ir|lint|models|open|order|procs1|run|saved|stages] [-repeat N] [-python PROGRAM]
//	go run ./tools/bench -suite callbacks [-quick] [-plot FILE]
//
// The suite autodiff measures derivatives, beside those of JAX. callbacks measures calls of Go from compiled code:
// their cost by payload, way of dispatch and number of concurrent runs, and the goals compared with their floors in C.
// The suite dispatch measures only these goals. procs1 is the part of dispatch for GOMAXPROCS=1. The suite embed
// measures callbacks in JAX through libcalliope, gomlx the backend for GoMLX beside go-xla's, run executions, order
// what the order of effects costs, ir work on the IR, open the part of ir that needs a process of its own, lint the
// linter, models programs that JAX lowers beside JAX, and saved how much faster a compiled program is loaded than
// compiled.
//
// Each line is name, value, unit, budget and "ok" or "over", separated by tabs. A budget of
// "-" marks a figure that is for comparison only. The exit status is 1 if a figure is over
// its budget.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
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
	"lint":      lintSuite,
	"models":    modelsSuite,
	"open":      openSuite,
	"order":     orderSuite,
	"run":       runSuite,
	"saved":     savedSuite,
	"stages":    stagesSuite,
}

// statusOver is the exit status if a figure is over its budget.
const statusOver = 1

func main() {
	os.Exit(run(os.Args[1:]))
}

func run(args []string) int {
	var names []string
	for name := range suites {
		names = append(names, name)
	}
	slices.Sort(names)
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	suite := flags.String("suite", "callbacks", "the suite to run: "+strings.Join(names, ", "))
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
	measure, ok := suites[*suite]
	var wrong string
	switch {
	case flags.NArg() > 0:
		wrong = fmt.Sprintf("%q is not a flag: bench -h lists the flags", flags.Arg(0))
	case !ok:
		wrong = fmt.Sprintf("there is no suite %q: choose from %s", *suite, strings.Join(names, ", "))
	case s.repeat < 1:
		wrong = fmt.Sprintf("-repeat %d: use 1 or more", s.repeat)
	case s.plot != "" && *suite != "callbacks":
		wrong = fmt.Sprintf("-plot draws only the suite callbacks, not %s: leave it out", *suite)
	}
	if wrong != "" {
		fmt.Fprintln(os.Stderr, "bench:", wrong)
		return 2
	}
	r := &report{out: os.Stdout}
	if err := measure(context.Background(), s, r); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		return 2
	}
	if r.over {
		return statusOver
	}
	return 0
}
