package command

import (
	"flag"
	"fmt"
	"slices"
	"strings"
)

// The exit statuses. The greatest one of a run is returned.
const (
	exitClean    = 0
	exitFindings = 1
	exitInvalid  = 2
)

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
