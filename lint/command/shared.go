package command

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/calliope-mlir/calliope/internal/host/version"
)

// The exit statuses. The greatest one of a run is returned.
const (
	exitClean    = 0
	exitFindings = 1
	exitInvalid  = 2
)

// A console is what the command prints to.
type console struct {
	program        string
	stdout, stderr io.Writer
}

// exit returns the exit status, after it printed the error, if there is one.
func (c console) exit(status int, err error) int {
	if err != nil {
		return c.fail(err)
	}
	return status
}

func (c console) fail(err error) int {
	fmt.Fprintf(c.stderr, "%s: %v\n", c.program, err)
	return exitInvalid
}

// show prints a text, unless there is an error, and returns the exit status.
func (c console) show(text *bytes.Buffer, err error) int {
	if err != nil {
		return c.fail(err)
	}
	if _, err := text.WriteTo(c.stdout); err != nil {
		return c.fail(fmt.Errorf("writing: %w", err))
	}
	return exitClean
}

// showVersion prints the version of the command.
func (c console) showVersion() int {
	return c.show(bytes.NewBufferString(c.program+" "+version.Version+"\n"), nil)
}

// flagError adds the known flags, and a note, to an error of parsing flags if one is unknown.
func flagError(err error, flags *flag.FlagSet, note string) error {
	if !strings.HasPrefix(err.Error(), "flag provided but not defined") {
		return err
	}
	names := []string{"-h"}
	flags.VisitAll(func(f *flag.Flag) { names = append(names, "-"+f.Name) })
	return fmt.Errorf("%w: the flags are %s%s", err, strings.Join(names, ", "), note)
}

// stdinNamed reports whether the arguments name standard input.
func stdinNamed(paths []string) bool { return len(paths) == 0 || slices.Contains(paths, "-") }
