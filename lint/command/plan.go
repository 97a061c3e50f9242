package command

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/calliope-mlir/calliope/lint/command/internal/config"
	"github.com/calliope-mlir/calliope/lint/command/internal/gitdiff"
	"github.com/calliope-mlir/calliope/lint/command/internal/report"
	"github.com/calliope-mlir/calliope/lint/finding"
)

// A plan decides which inputs are checked, and how.
type plan struct {
	selection
	finder  *config.Finder
	changes *gitdiff.Changes // or nil
	strict  bool
	target  string // version of StableHLO, or ""
	split   bool
	allowed bool // all dialects that the library does not have
	edits   bool
}

// plan returns the plan that the flags make. known are the names of the rules that configurations may
// have, or nil if they are not known.
func (o *options) plan(rules []report.Rule, known []string) (p plan, err error) {
	p = plan{selection: selection{all: rules}, strict: o.strict, target: o.target, split: o.split,
		allowed: o.allowed, edits: report.HasEdits(o.format)}
	if o.rules != "" {
		if p.chosen, err = choose(o.rules, rules); err != nil {
			return p, err
		}
	}
	p.finder = config.NewFinder(known)
	if o.config != "" {
		if p.finder, err = config.Fixed(o.config, known); err != nil {
			return p, err
		}
	}
	if o.newFrom != "" {
		if p.changes, err = gitdiff.Since(".", o.newFrom); err != nil {
			return p, fmt.Errorf("-new-from-rev: %w", err)
		}
	}
	return p, nil
}

// apply returns the inputs to check, with their requests and the severities that their
// configurations set. A mistake in a configuration is reported once, and the inputs below it are
// not checked.
func (p plan) apply(all []input) []input {
	var planned []input
	reported := map[string]bool{}
	common := map[*config.Config][]string{} // the rules of most files of a configuration
	for _, in := range all {
		if in.problem != "" {
			planned = append(planned, in)
			continue
		}
		c, mistake := p.configOf(in)
		if mistake != nil {
			if place := mistake.String(); !reported[place] {
				reported[place] = true
				planned = append(planned, input{Name: mistake.File, mistake: mistake})
			}
			continue
		}
		rules, skipped := c.Ignored(absolute(in))
		if skipped {
			continue
		}
		if p.changes != nil {
			changed, err := p.changes.Changed(in.Name)
			if err != nil {
				in.problem = "-new-from-rev: " + err.Error()
			} else if !changed {
				continue
			}
		}
		names, ok := common[c]
		switch {
		case rules != nil:
			names = p.names(c, rules)
		case !ok:
			names = p.names(c, nil)
			common[c] = names
		}
		in.request = request{
			Rules:             names,
			Strict:            p.strict || c.Strict,
			KnownTargets:      c.KnownTargets,
			Target:            cmp.Or(p.target, c.TargetStableHLO),
			AllowUnregistered: c.AllowUnregistered,
			Split:             p.split,
			Edits:             p.edits,
		}
		if p.allowed {
			in.AllowUnregistered = []string{config.AnyDialect}
		}
		in.levels = c.Levels
		planned = append(planned, in)
	}
	return planned
}

func (p plan) configOf(in input) (*config.Config, *finding.Finding) {
	c, err := p.finder.For(filepath.Dir(absolute(in)))
	if err == nil {
		return c, nil
	}
	f := unable(in.Name, "%v", err)
	if mistake, ok := errors.AsType[*config.Error](err); ok {
		f = unable(mistake.File, "%s", mistake.Message)
		f.Line, f.Column, f.NoPlace = mistake.Line, mistake.Column, false
	}
	return nil, &f
}

// absolute returns the absolute path of an input. Standard input is in the working directory.
func absolute(in input) string {
	path, err := filepath.Abs(in.Name)
	if err != nil {
		return in.Name
	}
	return path
}

// finish returns the findings to report: with the severities of the configuration, and only those
// in changed lines. The place of an error in an invalid module need not be that of the change.
func (p plan) finish(in input, o outcome) []finding.Finding {
	var kept []finding.Finding
	for _, f := range o.findings {
		if f.OfRun() {
			kept = append(kept, f)
			continue
		}
		config.SetSeverity(&f, in.levels)
		switch {
		case f.Rule == finding.Invalid:
			if !slices.Contains(in.Rules, f.Rule) {
				continue
			}
		case p.changes != nil && o.text && !f.NoPlace && !p.changes.In(f.File, f.Line):
			continue
		}
		kept = append(kept, f)
	}
	return kept
}
