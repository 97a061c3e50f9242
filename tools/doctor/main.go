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

	"github.com/calliope-mlir/calliope/internal/host/version"
	"github.com/calliope-mlir/calliope/native"
)

// The exit statuses.
const (
	exitWell   = 0
	exitFailed = 1
	exitUsage  = 2
)

const usage = `usage: doctor [-fetch] [-check=false] [part…]
       doctor -export DIR [-platform OS/ARCH] [part…]
       doctor -import DIR|FILE…
       doctor -llvm DIR|auto
       doctor [-fetch] -table [FILE]

Says whether the toolkit works on this machine, and what to run next where it does
not. The parts are %s; those that are named are required besides the
ones that every program needs. The last line of the report is "all well", or "next: "
and what to do. With -export it only writes the files that a machine without a network
needs, and with -import it takes them into the cache of that machine before it reports.
With -llvm it makes an MLIR library of an LLVM that is on this machine, tries it, and says how
programs use it. With -table it runs the self-test on each pair of an MLIR library and a plugin, and prints
or writes the tables of compatibility of docs/compatibility.md.

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
	check := flags.Bool("check", true,
		"read the fetched libraries and compare their sha256 with the pinned ones; takes about a second")
	export := flags.String("export", "",
		"write the wheels of the named parts, or the default ones, to the folder `DIR`")
	platform := flags.String("platform", "", "with -export: the `OS/ARCH` of the machine that they are for, such as linux/arm64, if it is not this one")
	imports := flags.Bool("import", false, "take parts from the wheels that follow, or from folders with wheels")
	table := flags.Bool("table", false, "try each pair of an MLIR library and a plugin that are there, and print which work, or write that to the file that follows")
	llvm := flags.String("llvm", "", "make a library with MLIR's C API of the LLVM that is installed or built in the folder `DIR`, or of the newest that is found (auto)")
	showVersion := flags.Bool("version", false, "print the version and exit")
	vlog := flags.String("vlog", "", "show the plugin's log of the self-test on standard error: a `level`, such as 1, or modules, such as cpu_compiler=3")
	flags.SetOutput(io.Discard) // the program prints errors itself, in one line
	switch err := flags.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		fmt.Fprintf(out, usage, partNames())
		flags.SetOutput(out)
		flags.PrintDefaults()
		return out.exit(exitWell, stderr)
	case *showVersion:
		fmt.Fprintln(out, "doctor", version.Version)
		return out.exit(exitWell, stderr)
	case err != nil:
		return fail(fmt.Errorf(
			"%w: the flags are -fetch, -check, -export, -platform, -import, -llvm, -table, -version, -vlog and -h", err))
	}
	switch {
	case *fetch && (*imports || *export != "") || *imports && *export != "":
		return fail(errors.New("use only one of -fetch, -export and -import"))
	case *table && (*imports || *export != ""):
		return fail(errors.New("-table goes with -fetch only"))
	case *llvm != "" && (*fetch || *table || *imports || *export != "" || flags.NArg() > 0):
		return fail(errors.New("-llvm goes with no other flag and no part"))
	case *table && flags.NArg() > 1:
		return fail(errors.New("-table writes one file"))
	case *platform != "" && *export == "":
		return fail(errors.New("-platform is for -export only"))
	case *platform != "" && !slices.Contains(native.Platforms(), *platform):
		return fail(fmt.Errorf("there is nothing for the platform %q: choose from %s", *platform,
			strings.Join(native.Platforms(), ", ")))
	case *imports && flags.NArg() == 0:
		return fail(errors.New("-import needs files or folders"))
	}
	var named []native.Part
	var paths []string
	for _, arg := range flags.Args() {
		switch p := native.Part(arg); {
		case strings.HasPrefix(arg, "-"):
			return fail(fmt.Errorf("%s comes after a part or file: put the flags first", arg))
		case *imports, *table:
			paths = append(paths, arg)
		case !slices.Contains(native.Parts(), p):
			return fail(fmt.Errorf("there is no part %q: choose from %s", arg, partNames()))
		default:
			named = append(named, p)
		}
	}
	if *table {
		return out.exit(compatibility(ctx, out, paths, *fetch, stderr), stderr)
	}
	r := &report{out: out, vlog: *vlog, log: stderr}
	if *llvm != "" {
		r.linkLLVM(ctx, *llvm, stderr)
		return out.exit(r.end(), stderr)
	}
	r.pip, r.noPip = pip(ctx)
	switch {
	case *export != "":
		r.export(ctx, *export, *platform, named, stderr)
	case *imports:
		r.imports(ctx, paths, stderr)
	case *fetch && supported:
		r.fetch(ctx, named, stderr)
	}
	switch {
	case ctx.Err() != nil:
		return out.exit(exitFailed, stderr)
	case *export != "":
		return out.exit(r.end(), stderr)
	}
	return out.exit(diagnose(ctx, r, named, *check), stderr)
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
func diagnose(ctx context.Context, r *report, named []native.Part, check bool) int {
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
