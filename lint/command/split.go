package command

import (
	"bytes"
	"regexp"

	"github.com/calliope-mlir/calliope/internal/ir/parts"
	"github.com/calliope-mlir/calliope/internal/text/lazyregexp"
	"github.com/calliope-mlir/calliope/lint/finding"
	"github.com/calliope-mlir/calliope/lint/quick"
)

// runSplits matches a line for lit, the runner of MLIR's tests, that divides the file.
var runSplits = lazyregexp.New(`(?m)^[ \t]*//[ \t]*RUN:.*[ \t]--?split-input-file\b`)

// modules returns the modules in an input that was read: the parts of a text if a flag or its own RUN line
// says that it is divided.
func (in input) modules() []parts.Part {
	if !quick.IsBytecode(in.Data) && (in.Split || has(in.Data, "-input-file", runSplits)) {
		return parts.Of(in.Data)
	}
	return []parts.Part{{Data: in.Data}}
}

// has reports whether a text has a match, which contains a part. Most texts do not. The search for a part whose
// first byte is rare is several times faster than that for a word.
func has(text []byte, part string, match func() *regexp.Regexp) bool {
	return bytes.Contains(text, []byte(part)) && match().Match(text)
}

// expects matches what -verify-diagnostics takes for an expected error.
var expects = lazyregexp.New(`expected-error(-re)? *(@([-+]\d+|above|below|unknown))? *\{\{`)

// isExpected reports whether a module is a test of an error.
func isExpected(module []byte) bool {
	return !quick.IsBytecode(module) && has(module, "-error", expects)
}

// each returns the findings that check makes about the modules of an input, and whether one could not be
// checked. A test that expects errors may be invalid.
func (in input) each(check func(module []byte) []finding.Finding) (findings []finding.Finding, failed bool) {
	for _, m := range in.modules() {
		expected := isExpected(m.Data)
		for _, f := range check(m.Padded()) {
			failed = failed || f.Rule == finding.Invalid
			if f.Rule != finding.Invalid || !expected {
				findings = append(findings, placed(f, m))
			}
		}
	}
	return findings, failed
}

// placed returns a finding about a part of a text. If it has no position in the part, that is the first line.
func placed(f finding.Finding, p parts.Part) finding.Finding {
	if f.Line <= p.Line {
		f.Line, f.Column, f.Source = p.Line+1, 1, nil
	}
	return f
}
