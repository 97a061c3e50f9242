package ignore

import "github.com/calliope-mlir/calliope/lint/finding"

// Apply marks the findings of one text that comments ignore, which have a place in it, and returns findings about the
// comments themselves. ran reports whether a rule ran: an ignore of a rule that did not run is not
// without effect.
func Apply(file string, findings []finding.Finding, comments []Comment, ran func(rule string) bool) []finding.Finding {
	type target struct {
		line int
		rule string
	}
	reasons := map[target]string{}
	for _, c := range comments {
		for _, rule := range c.Rules {
			reasons[target{c.Target, rule}] = c.Reason
		}
	}
	used := map[target]bool{}
	for i := range findings {
		f := &findings[i]
		at := target{f.Line, f.Rule}
		if reason, ok := reasons[at]; ok && !f.NoPlace {
			f.Suppression = &finding.Suppression{Reason: reason}
			used[at] = true
		}
	}
	var about []finding.Finding
	add := func(c Comment, message string) {
		about = append(about, finding.Finding{File: file, Line: c.Line, Column: c.Column, Severity: finding.Warning,
			Message: message, Rule: Rule})
	}
	for _, c := range comments {
		if c.Problem != "" {
			add(c, c.Problem)
		}
		for _, rule := range c.Rules {
			if !used[target{c.Target, rule}] && ran(rule) {
				add(c, NoEffect(rule))
			}
		}
	}
	return about
}
