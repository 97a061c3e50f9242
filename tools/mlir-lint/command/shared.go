package command

import (
	"flag"
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
