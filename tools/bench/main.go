// Bench measures what Calliope costs beside the floor or the peer of each figure, in
// one run on one machine:
//
//	go run ./tools/bench [-suite callbacks|dispatch|ir|procs1|run] [-repeat N] [-python PROGRAM]
//	go run ./tools/bench -suite callbacks [-quick] [-plot FILE]
//
// The suite callbacks measures calls of Go from compiled code: what they cost by payload,
// way of dispatch and runs at once, and, as the suite dispatch alone, the goals beside
// their floors in C. procs1 is the part of dispatch that is for GOMAXPROCS=1. The suite
// run measures executions, and ir work on the IR.
//
// Each line is name, value, unit, budget and "ok" or "over", separated by tabs; a
// budget of "-" is a figure that only stands beside another one. The exit status is
// 1 where something is over its budget.
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

// settings are the flags that suites look at.
type settings struct {
	repeat int
	python string
	quick  bool
	plot   string // the file to draw into, "" for none
}

var suites = map[string]func(context.Context, settings, *report) error{
	"callbacks": callbackSuite,
	"dispatch":  dispatchSuite,
	"procs1":    oneProcSuite,
	"ir":        irSuite,
	"run":       runSuite,
}

// statusOver is the exit status where something is over its budget.
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
	suite := flags.String("suite", "callbacks", "what to measure: "+strings.Join(names, ", "))
	var s settings
	flags.IntVar(&s.repeat, "repeat", 7, "how often each measurement is repeated; the medians are compared, or the least times")
	flags.StringVar(&s.python, "python", "python3", "the Python whose JAX is measured, where it has one")
	flags.BoolVar(&s.quick, "quick", false, "fewer payloads, and one run at a time")
	flags.StringVar(&s.plot, "plot", "", "an SVG `file` for the latency of callbacks over their payload")
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
		wrong = fmt.Sprintf("%q is no flag: bench -h lists them", flags.Arg(0))
	case !ok:
		wrong = fmt.Sprintf("there is no suite %q: choose from %s", *suite, strings.Join(names, ", "))
	case s.repeat < 1:
		wrong = fmt.Sprintf("-repeat %d: give 1 or more", s.repeat)
	case s.plot != "" && *suite != "callbacks":
		wrong = fmt.Sprintf("-plot draws the suite callbacks, not %s: leave it out", *suite)
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
