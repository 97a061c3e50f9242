package main

import (
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"github.com/calliope-mlir/calliope/bridge"
	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/engine"
)

// showStats prints the outcomes of the calls as a table.
func showStats(out io.Writer, stats []callbacks.Stat) {
	if len(stats) == 0 {
		fmt.Fprintln(out, "no callbacks")
		return
	}
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "fired\tdelivered\tdropped\tfailed\tmean\tlongest\t  callback")
	for _, s := range stats {
		mean, longest := "-", "-"
		if n := s.Latency.Count; n > 0 {
			mean = short(s.Latency.Total / time.Duration(n))
			longest = short(s.Latency.Max)
		}
		name := s.Callback
		if s.Registry != "" {
			name = s.Registry + "/" + name
		}
		fmt.Fprintf(table, "%d\t%d\t%d\t%d\t%s\t%s\t  %s\n", s.Fired, s.Delivered, s.Dropped, s.Failed, mean, longest,
			name)
	}
	_ = table.Flush() // a closed output is not an error of the run
}

// showMemory prints what a module that XLA has compiled needs.
func showMemory(out io.Writer, e engine.Executable) {
	executable, ok := e.(*bridge.Executable)
	if !ok {
		return
	}
	m, _, err := executable.Memory()
	if err != nil {
		fmt.Fprintln(out, "memory is not known:", err)
		return
	}
	fmt.Fprintf(out, "memory of a device in bytes: arguments %d, outputs %d, in the memory of arguments %d, "+
		"temporaries %d, code %d\n", m.Arguments, m.Outputs, m.Aliases, m.Temporaries, m.Code)
}

// short formats a duration with about three digits.
func short(d time.Duration) string {
	unit := time.Nanosecond
	for d >= 1000*unit {
		unit *= 10
	}
	return d.Round(unit).String()
}
