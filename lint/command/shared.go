package command

import (
	"flag"
	"slices"
	"strings"
)

// The exit statuses. The greatest one of a run is returned.
const (
	exitClean    = 0
	exitFindings = 1
	exitInvalid  = 2
)

func flagList(flags *flag.FlagSet) string {
	names := []string{"-h"}
	flags.VisitAll(func(f *flag.Flag) { names = append(names, "-"+f.Name) })
	return strings.Join(names, ", ")
}

// stdinNamed reports whether the arguments name standard input.
func stdinNamed(paths []string) bool { return len(paths) == 0 || slices.Contains(paths, "-") }
