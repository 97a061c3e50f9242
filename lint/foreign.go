package lint

import (
	"fmt"
	"slices"
	"strings"

	"github.com/calliope-mlir/calliope/internal/ir/notmlir"
	"github.com/calliope-mlir/calliope/lint/finding"
	"github.com/calliope-mlir/calliope/lint/quick"
	"github.com/calliope-mlir/calliope/mlir"
)

// AnyDialect in Options.AllowUnregistered stands for all dialects.
const AnyDialect = "*"

// parseForeign parses an input that the library refuses because of dialects that it does not have. It returns the
// module, or nil and an error to report.
func (c *check) parseForeign(context *mlir.Context, refusal error) (*mlir.Module, error) {
	if context.AllowsUnregistered() {
		return nil, refusal
	}
	context.SetAllowUnregistered(true)
	m, err := context.Parse("", c.data)
	if err != nil {
		return nil, refusal
	}
	c.allowed, c.refusal = []string{}, refusal
	return m, nil // foreign reports the refusal
}

// foreign reports the dialects that the library does not have, each at its first operation, except
// those that are allowed.
func (c *check) foreign(context *mlir.Context) {
	if slices.Contains(c.allowed, AnyDialect) {
		return
	}
	seen := map[string]bool{} // names of operations, and dialects
	before := len(c.found)
	for _, op := range c.index.All() {
		name := op.Name()
		dialect, _, _ := strings.Cut(name, ".")
		if seen[name] || seen[dialect] {
			continue
		}
		seen[name] = true
		if !context.Registered(name) && !slices.Contains(c.allowed, dialect) {
			seen[dialect] = true
			f := finding.OfInput(c.file, "%s", unknownDialect(context, name, dialect))
			setPlace(&f, c.placeOf(op), op.Location())
			c.found = append(c.found, f)
		}
	}
	if len(c.found) == before {
		c.refused(context, c.refusal)
	}
}

const allowForeign = "if it is right, allow it with -allow-unregistered-dialect, or with allow-unregistered in the " +
	"configuration"

// unknownDialect returns the message about an operation of a dialect that the library does not have.
func unknownDialect(context *mlir.Context, name, dialect string) string {
	message := fmt.Sprintf("%s is of the dialect %s, which the library does not have: %s", name, dialect, allowForeign)
	if hint := context.HintFor(name); hint != "" {
		message += "; " + forCommand(hint)
	}
	return message
}

// quick runs those of the rules that need no module, after the library refused the input. The first finding says so.
// What package quick finds without being sure is left out: the file has an error already.
func (c *check) quick(analyzers []*Analyzer) {
	var ran []string
	for _, r := range quick.Rules() {
		runs := func(a *Analyzer) bool { return a.Name == r.Name }
		if r.Severity == finding.Error && slices.ContainsFunc(analyzers, runs) {
			ran = append(ran, r.Name)
		}
	}
	if _, reason := notmlir.Reason(c.data); ran == nil || reason != "" {
		return
	}
	c.found[0].Message += fmt.Sprintf(" (only these rules ran, without the library: %s)", strings.Join(ran, ", "))
	found, _ := quick.Check(c.file, c.data) // an error is about what the library refuses, too
	c.found = append(c.found,
		slices.DeleteFunc(found, func(f finding.Finding) bool { return !slices.Contains(ran, f.Rule) })...)
	c.sort()
}
