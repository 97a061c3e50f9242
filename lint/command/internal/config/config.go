package config

import (
	"fmt"
	"path/filepath"
	"slices"

	"github.com/calliope-mlir/calliope/internal/text/lazyregexp"
	"github.com/calliope-mlir/calliope/lint/finding"
)

// Name is the name of the file.
const Name = ".mlir-lint.yaml"

// A Config is a configuration. The zero Config changes nothing.
type Config struct {
	File         string           // absolute path; the paths of ignores are relative to its folder
	Levels       map[string]Level // by rule
	Ignores      []Ignore
	KnownTargets []string
	// TargetStableHLO is the version of StableHLO that the program which runs the modules reads, or "".
	TargetStableHLO string
	Strict          bool
	// AllowUnregistered are the dialects that the library need not have, or AnyDialect.
	AllowUnregistered []string
	base              *Config // that it extends, or nil; its ignores hold, too
}

// AnyDialect stands for all dialects.
const AnyDialect = "*"

// A Level is the severity of all findings of a rule, or Off.
type Level string

// Off is the level of a rule that does not run.
const Off Level = "off"

// SetSeverity sets the severity of a finding to the level of its rule, if there is one.
func SetSeverity(f *finding.Finding, levels map[string]Level) {
	if level, ok := levels[f.Rule]; ok && level != Off {
		f.Severity = finding.Severity(level)
	}
}

// levels are the levels, in the order of messages.
var levels = []string{string(finding.Error), string(finding.Warning), string(finding.Note), string(Off)}

// An Ignore turns rules off in some files.
type Ignore struct {
	Path   string   // a pattern; see Match
	Rules  []string // all rules if it is nil
	Reason string
}

// Ignored returns the rules that are off in a file, which is an absolute path, and whether all
// are.
func (c *Config) Ignored(file string) (rules []string, all bool) {
	if c.base != nil {
		if rules, all = c.base.Ignored(file); all {
			return nil, true
		}
	}
	if len(c.Ignores) == 0 {
		return rules, false
	}
	path, err := filepath.Rel(filepath.Dir(c.File), file)
	if err != nil {
		return rules, false // on another volume
	}
	path = filepath.ToSlash(path)
	for _, i := range c.Ignores {
		if !Match(i.Path, path) {
			continue
		}
		if i.Rules == nil {
			return nil, true
		}
		rules = append(rules, i.Rules...)
	}
	slices.Sort(rules)
	return slices.Compact(rules), false
}

var versionForm = lazyregexp.New(`^\d{1,4}\.\d{1,4}\.\d{1,4}$`)

// CheckVersion returns an error unless text is a version of StableHLO.
func CheckVersion(text string) error {
	if !versionForm().MatchString(text) {
		return fmt.Errorf("%q is not a version of StableHLO: use the form 1.13.3", text)
	}
	return nil
}

// An Error is a mistake in a configuration.
type Error struct {
	File         string
	Line, Column int
	Message      string
}

func (e *Error) Error() string {
	return fmt.Sprintf("%s:%d:%d: %s", e.File, e.Line, e.Column, e.Message)
}
