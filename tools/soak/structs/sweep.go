package structs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/calliope-mlir/calliope/internal/host/child"
	"github.com/calliope-mlir/calliope/native"
)

// Options say what Run makes.
type Options struct {
	Libraries []string // names of native parts; none means all of Libraries
	Rounds    int      // how often each operation is made on each library
	Seed      uint64
	Only      string // a regular expression for the names of operations
}

// Libraries are those that operations are made on.
var Libraries = []string{string(native.MLIR), string(native.IREE), string(native.LLVM), string(native.Jaxlib)}

// Check returns an error if the options make no sense.
func (o Options) Check() error {
	if o.Rounds <= 0 {
		return fmt.Errorf("the number of rounds is %d: it must be at least 1", o.Rounds)
	}
	for _, name := range o.Libraries {
		if !slices.Contains(Libraries, name) {
			return fmt.Errorf("%q is no library: use some of %s", name, strings.Join(Libraries, ","))
		}
	}
	_, err := regexp.Compile(o.Only)
	return err
}

const (
	variable = "CALLIOPE_SOAK_STRUCTS" // has the batch of a child
	limit    = 20 * time.Second        // for a step, on a busy machine
	most     = 300                     // findings of a library
)

// A batch is the cases of a library from one on.
type batch struct {
	Path         string
	Start, Count int
	Options      Options
}

// A step is what a child is about to do.
type step struct {
	Case int
	What string // the operations
	Step string
	Odd  string // what is wrong, if it did not end the process
}

// Serve makes a batch of operations and ends the process, if Run started it.
func Serve() { child.Serve(variable, serve) }

// Run makes each operation in odd shapes on each library. It returns an error if one ended the process, or took too
// long, or was not read again.
func Run(ctx context.Context, o Options, out io.Writer) error {
	libraries := o.Libraries
	if len(libraries) == 0 {
		libraries = Libraries
	}
	var failed error
	for _, name := range libraries {
		at, err := native.Ensure(ctx, native.Part(name), native.EnsureOptions{})
		if err != nil {
			return err
		}
		findings, err := sweep(ctx, batch{Path: at.Path, Options: o}, name, out)
		if err != nil {
			return err
		}
		if findings > 0 {
			failed = errors.New("there are findings")
		}
	}
	return failed
}

// sweep makes the operations on one library, and starts a child again after each that ended.
func sweep(ctx context.Context, b batch, name string, out io.Writer) (findings int, err error) {
	steps := map[string]int{}
	for {
		var last step
		err := child.Run(ctx, limit, variable, b, func(s step) {
			if s.Odd != "" {
				findings++
				fmt.Fprintf(out, "%s: case %d: %s: %s: %s\n", name, s.Case, s.What, s.Step, s.Odd)
			}
			steps[s.Step]++
			last = s
		})
		if err == nil {
			fmt.Fprintf(out, "%s: %d cases, %d created, %d verified, %d read again; %d findings\n", name,
				steps[creating], steps[verifying], steps[printing], steps[ended], findings)
			return findings, nil
		}
		if ctx.Err() != nil || last.What == "" {
			return findings, err
		}
		findings++
		fmt.Fprintf(out, "%s: case %d: %s: %s: %s\n", name, last.Case, last.What, last.Step, head(err.Error()))
		if b.Start = last.Case + 1; findings >= most {
			return findings, fmt.Errorf("%s has more than %d findings", name, most)
		}
	}
}

// head returns the first lines of a crash.
func head(text string) string {
	var lines []string
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" && len(lines) < 4 {
			lines = append(lines, line[:min(len(line), 200)])
		}
	}
	return strings.Join(lines, " | ")
}
