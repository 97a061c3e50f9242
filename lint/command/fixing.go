package command

import (
	"crypto/sha256"
	"flag"
	"fmt"

	"github.com/calliope-mlir/calliope/internal/host/replace"
	"github.com/calliope-mlir/calliope/lint/command/internal/config"
)

// A fixing is what to do with repairs. The zero value only reports findings.
type fixing struct {
	Fix     bool // apply them and write the file
	Partial bool // also if findings are left
	Unsafe  bool // also apply those after which the program does something else
	Reprint bool // also if the text must be printed anew
	Diff    bool // print what they change, and write nothing

	// Rule is the rule whose findings are repaired, or "" for all. A repair of the module concerns those of
	// all rules that have it.
	Rule   string                  `json:",omitempty"`
	Levels map[string]config.Level `json:",omitempty"` // that the configuration of an input sets, by rule
}

// register adds the flags.
func (f *fixing) register(flags *flag.FlagSet) {
	flags.BoolVar(&f.Fix, "fix", false, "repair findings and write the files, unless something is left to do by hand; standard input goes to standard output")
	flags.BoolVar(&f.Partial, "fix-partial", false, "-fix that also writes files in which something is left")
	flags.BoolVar(&f.Unsafe, "fix-unsafe", false, "-fix that also makes repairs after which the program does something else")
	flags.BoolVar(&f.Reprint, "reprint", false, "with -fix, also write files that must be printed anew, without their comments")
	flags.BoolVar(&f.Diff, "diff", false, "print what -fix would change as a unified diff, and write nothing; exit status 1 if there is a difference")
}

// write replaces a file that was read, but no file to which a link leads out of its tree.
func write(path string, was [sha256.Size]byte, data []byte) error {
	if root := config.Outside(path); root != "" {
		return fmt.Errorf("it is a link out of the tree %s: name the file itself", root)
	}
	return replace.If(path, was, data)
}

func (f fixing) on() bool { return f.Fix || f.Partial || f.Unsafe || f.Diff }

// aside reports whether findings go to standard error, because standard output gets something else.
func (f fixing) aside(paths []string) bool {
	return f.Diff || f.on() && stdinNamed(paths)
}
