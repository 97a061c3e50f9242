package ignore

import (
	"fmt"
	"slices"
	"strings"

	"github.com/calliope-mlir/calliope/lint/command/internal/report"
)

// Rule is the name of the rule of findings about ignores.
const Rule = "ignore"

// Doc is one line that says what the rule finds.
const Doc = "an ignore has no reason, names an unknown rule, or has no effect"

// Attribute is the name of the attribute.
const Attribute = "mlir_lint.ignore"

// A Directive is what one comment or attribute says.
type Directive struct {
	Rules  []string
	Reason string
}

// Parse parses the text "rule[,rule] reason". The error is one about the text, and the
// directive has the rules that are known even then, so that they are ignored. If known is nil, any
// name may be that of a rule.
func Parse(text string, known []string) (Directive, error) {
	var d Directive
	var problem error
	rest := strings.TrimSpace(text)
	for {
		name := rest
		if end := strings.IndexAny(rest, ", \t"); end >= 0 {
			name = rest[:end]
		}
		rest = strings.TrimSpace(rest[len(name):])
		switch {
		case name == "":
			return d, fmt.Errorf("an ignore has no rule: write %q", "mlir-lint:ignore rule reason")
		case name == Rule:
			problem = fmt.Errorf("findings of %s cannot be ignored", name)
		case known != nil && !slices.Contains(known, name):
			if problem == nil {
				problem = fmt.Errorf("there is no rule %q%s, so nothing is ignored", name,
					report.DidYouMean(name, known))
			}
		case !slices.Contains(d.Rules, name):
			d.Rules = append(d.Rules, name)
		}
		after, more := strings.CutPrefix(rest, ",")
		if !more {
			break
		}
		rest = strings.TrimSpace(after)
	}
	d.Reason = rest
	if problem == nil && rest == "" {
		problem = fmt.Errorf("the ignore of %s has no reason: write it after the rule", strings.Join(d.Rules, ", "))
	}
	return d, problem
}

// Line returns a line with a comment that ignores the findings of rules on the line below it, which is indented
// in the same way.
func Line(below string, rules []string, reason string) string {
	indent := below[:len(below)-len(strings.TrimLeft(below, " \t"))]
	return indent + "// " + marker + "ignore " + strings.Join(rules, ",") + " " + reason + "\n"
}

// NoEffect returns the message about an ignore of a rule that has nothing to ignore.
func NoEffect(rule string) string {
	return fmt.Sprintf("the ignore of %s has no effect: remove it", rule)
}
