package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/calliope-mlir/calliope/internal/host/version"
)

// command starts this program, from any directory of any module that requires this one.
var command = strings.TrimSuffix(version.Fetch, " -fetch")

// report is the text that is printed, and the failures so far.
type report struct {
	out    io.Writer
	begun  bool
	failed bool
	next   string // command for the first failure

	pip     string // pip that fetches, with its version
	noPip   error  // why there is no pip
	noCache string // what to do if a part must be fetched, but no folder for the cache is there

	vlog string    // bridge.OpenOptions.VLog of the self-test
	log  io.Writer // where the plugin's log goes then
}

func (r *report) section(title string) {
	if r.begun {
		fmt.Fprintln(r.out)
	}
	r.begun = true
	fmt.Fprintln(r.out, title)
}

// line prints what was found under a name; more lines of text are indented below it.
func (r *report) line(name, text string) {
	const width = 22
	text = strings.ReplaceAll(strings.TrimSpace(text), "\n", "\n"+strings.Repeat(" ", width+3))
	fmt.Fprintln(r.out, strings.TrimRight(fmt.Sprintf("  %-*s %s", width, name, text), " "))
}

// fail prints a failure. The first failure is probably the cause of the others, so the
// report ends with the command for it.
func (r *report) fail(name, problem, next string) {
	r.line(name, "FAILED: "+problem)
	r.mustRun(next)
}

// mustRun makes the report end in failure.
func (r *report) mustRun(next string) {
	r.failed = true
	if r.next == "" {
		r.next = next
	}
}

// end prints the last line and returns the exit status.
func (r *report) end() int {
	if r.failed {
		fmt.Fprintf(r.out, "\nnext: %s\n", r.next)
		return exitFailed
	}
	fmt.Fprintln(r.out, "\nall well")
	return exitWell
}
