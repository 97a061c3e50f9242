package command

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/calliope-mlir/calliope/internal/host/bounded"
	"github.com/calliope-mlir/calliope/lint/command/internal/config"
	"github.com/calliope-mlir/calliope/lint/command/internal/report"
)

// options are the values of the flags.
type options struct {
	rules      string
	strict     bool
	target     string // version of StableHLO
	allowed    bool
	werror     bool
	format     string
	config     string
	baseline   string
	writeBase  bool
	newFrom    string
	shard      shard
	split      bool
	engine     string
	workers    int
	limit      time.Duration
	max        bounded.Size
	memory     bounded.Size
	list       bool
	version    bool
	statistics bool
	explain    string
	fixing     fixing
	quick      bool
	noCache    bool
	addIgnores string // the reason
	settings   bool
	watching   bool
	stdinName  string
	gitIgnored bool // check what git ignores
	flags      *flag.FlagSet
}

// newQuickOptions returns the options of a run with -quick.
func newQuickOptions(program string) *options {
	o := newSharedOptions(program)
	o.addReporting()
	return o
}

// newSharedOptions returns the options that say how one module is checked, with -quick and without.
func newSharedOptions(program string) *options {
	o := &options{max: bounded.GiB, flags: flag.NewFlagSet(program, flag.ContinueOnError)}
	f := o.flags
	f.SetOutput(io.Discard) // errors are printed on one line
	f.StringVar(&o.rules, "rules", "", "run only the rules in this `list`, separated by commas")
	f.StringVar(&o.config, "config", "", "read the configuration from this `file` instead of from "+config.Name)
	addTimeout(f, &o.limit, "the `time` limit for reading and checking one input, or one part of it if its parts are checked one by one")
	f.Var(&o.max, maxFlag, "the largest `size` of one input")
	return o
}

// addReporting adds the options that say which inputs are checked, and how findings are reported.
func (o *options) addReporting() {
	f := o.flags
	f.BoolVar(&o.werror, "werror", false, "exit with status 1 on warnings, too")
	f.StringVar(&o.format, "format", "text", "print the findings in this `format`: "+strings.Join(report.Formats, ", "))
	f.StringVar(&o.newFrom, "new-from-rev", "", "report only findings in lines that changed since this git `revision`")
	f.Var(&o.shard, "shard", "check only the part `i/n` of the files, for example 1/4")
	f.StringVar(&o.stdinName, "stdin-filename", "",
		"report the findings in standard input as those of this `file`, and use its configuration")
	f.BoolVar(&o.gitIgnored, "no-gitignore", false, "check files in folders that git ignores, too")
	f.IntVar(&o.workers, "j", runtime.GOMAXPROCS(0), "the `number` of files that are checked at the same time")
	f.BoolVar(&o.list, "list", false, "list the rules and exit")
	f.BoolVar(&o.statistics, "statistics", false,
		"print how many findings each rule has, instead of the findings, in the format text or json")
	f.BoolVar(&o.version, "version", false, "print the version and exit")
	f.BoolVar(&o.quick, quickFlag, false, quickDoc)
}

// parseFlags parses the flags. note ends the error about an unknown one.
func (o *options) parseFlags(args []string, note string) error {
	if err := o.flags.Parse(args); errors.Is(err, flag.ErrHelp) {
		return err
	} else if err != nil {
		return flagError(err, o.flags, note)
	}
	return nil
}

// parse parses the arguments of the command. note ends the error about an unknown flag.
func (o *options) parse(args []string, note string) error {
	var unfit []string // flags that -quick does not have
	if err := o.parseFlags(args, note); err != nil {
		return err
	}
	paths := o.flags.Args()
	if o.quick {
		fit := newQuickOptions(o.flags.Name()).flags
		o.flags.Visit(func(f *flag.Flag) {
			if fit.Lookup(f.Name) == nil {
				unfit = append(unfit, "-"+f.Name)
			}
		})
	}
	switch {
	case unfit != nil:
		return fmt.Errorf("-quick only finds operations, and does not parse modules: leave out %s", strings.Join(unfit, ", "))
	case o.statistics && o.format != "text" && o.format != "json":
		return errors.New("-statistics has the formats text and json only")
	case o.workers < 1:
		return errors.New("-j must be at least 1")
	case o.writeBase && o.baseline == "":
		return errors.New("-write-baseline needs -baseline, which names the file to write")
	case o.writeBase && o.newFrom != "":
		return errors.New("-write-baseline needs all findings: leave out -new-from-rev")
	case o.fixing.on() && o.writeBase:
		return errors.New("-write-baseline needs the findings of files as they are: leave out -fix and -diff")
	case o.fixing.Reprint && !o.fixing.on():
		return errors.New("-reprint says how -fix writes files: add -fix")
	case o.addIgnores != "" && (o.fixing.on() || o.baseline != "" || stdinNamed(paths)):
		return errors.New("-add-ignores writes comments into files for all findings: give paths, and leave out -fix, -diff and -baseline")
	case strings.ContainsFunc(o.addIgnores, unicode.IsControl),
		o.addIgnores != "" && strings.TrimSpace(o.addIgnores) == "":
		return errors.New("-add-ignores needs a reason of one line, which the comments give")
	case o.watching && (o.fixing.on() || o.addIgnores != "" || o.writeBase || o.settings || stdinNamed(paths)):
		return errors.New("-watch checks files again and again: give paths, and leave out what writes files, and -show-settings")
	case o.shard.n > 0 && stdinNamed(paths):
		return errors.New("-shard needs paths: standard input cannot be divided")
	case o.stdinName != "" && !stdinNamed(paths):
		return errors.New(`-stdin-filename names standard input: give "-" or no path`)
	case o.newFrom != "" && stdinNamed(paths):
		return errors.New("-new-from-rev needs paths: git does not know standard input")
	case !slices.Contains(report.Formats, o.format):
		_, err := report.New(o.format, io.Discard, report.Options{})
		return err
	}
	return nil
}

// help returns the usage and the flags.
func (o *options) help(usage string) *bytes.Buffer {
	var text bytes.Buffer
	fmt.Fprintf(&text, usage, o.flags.Name())
	o.flags.SetOutput(&text)
	o.flags.PrintDefaults()
	return &text
}
