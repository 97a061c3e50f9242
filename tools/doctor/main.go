package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"

	"github.com/calliope-mlir/calliope/native"
)

// The exit statuses.
const (
	exitWell   = 0
	exitFailed = 1
	exitUsage  = 2
)

const usage = `usage: doctor [-fetch] [-check=false] [part…]

Says whether the toolkit works on this machine, and what to run next where it does
not. The parts are %s; those that are named are required besides the
ones that every program needs. The last line of the report is "all well", or "next: "
and what to do.

Exit status: 0 all is well, 1 something is missing or failed, 2 wrong usage.

Flags:
`

func main() {
	serveChild()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	fail := func(err error) int {
		fmt.Fprintf(stderr, "doctor: %v\n", err)
		return exitUsage
	}
	out := &sink{to: stdout}
	flags := flag.NewFlagSet("doctor", flag.ContinueOnError)
	fetch := flags.Bool("fetch", false, "fetch the named parts, or the default ones, if they are missing")
	check := flags.Bool("check", true, "read the fetched libraries and compare their sha256 with the pinned ones; takes about a second")
	vlog := flags.String("vlog", "", "show the plugin's log of the self-test on standard error: a `level`, such as 1, or modules, such as cpu_compiler=3")
	flags.SetOutput(io.Discard) // the program prints errors itself, in one line
	switch err := flags.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		fmt.Fprintf(out, usage, partNames())
		flags.SetOutput(out)
		flags.PrintDefaults()
		return out.exit(exitWell, stderr)
	case err != nil:
		return fail(fmt.Errorf("%w: the flags are -fetch, -check, -vlog and -h", err))
	}
	var named []native.Part
	for _, arg := range flags.Args() {
		switch p := native.Part(arg); {
		case strings.HasPrefix(arg, "-"):
			return fail(fmt.Errorf("%s comes after a part: put the flags first", arg))
		case !slices.Contains(native.Parts(), p):
			return fail(fmt.Errorf("there is no part %q: choose from %s", arg, partNames()))
		default:
			named = append(named, p)
		}
	}
	return out.exit(diagnose(ctx, &report{out: out, vlog: *vlog, log: stderr}, named, *fetch, *check, stderr), stderr)
}

// sink keeps the first error of writing.
type sink struct {
	to  io.Writer
	err error
}

func (s *sink) Write(b []byte) (int, error) {
	n, err := s.to.Write(b)
	if s.err == nil {
		s.err = err
	}
	return n, err
}

// exit returns the exit status. It is a failure if the report was not written completely.
func (s *sink) exit(status int, stderr io.Writer) int {
	if s.err == nil {
		return status
	}
	fmt.Fprintf(stderr, "doctor: writing the report: %v\n", s.err)
	return exitFailed
}

// diagnose prints the report and returns the exit status.
func diagnose(ctx context.Context, r *report, named []native.Part, fetch, check bool, stderr io.Writer) int {
	r.pip, r.noPip = pip(ctx)
	if fetch && supported {
		r.fetch(ctx, named, stderr)
		if ctx.Err() != nil {
			return exitFailed
		}
	}
	r.machine(ctx)
	r.environment()
	if !supported {
		r.unsupported()
		return r.end()
	}
	found := r.parts(named)
	if check {
		r.check(found)
	}
	r.try(ctx, found, check)
	if ctx.Err() != nil {
		return exitFailed // interrupted: later failures mean nothing
	}
	return r.end()
}

func partNames() string {
	var names []string
	for _, p := range native.Parts() {
		names = append(names, string(p))
	}
	return strings.Join(names, ", ")
}
