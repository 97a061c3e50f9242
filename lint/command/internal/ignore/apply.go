package ignore

import "github.com/calliope-mlir/calliope/lint/command/internal/report"

// Apply marks the findings of one text that comments ignore, which have a place in it, and returns findings about the
// comments themselves. ran reports whether a rule ran: an ignore of a rule that did not run is not
// without effect.
func Apply(file string, findings []report.Finding, comments []Comment, ran func(rule string) bool) []report.Finding {
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
			f.Suppression = &report.Suppression{Reason: reason}
			used[at] = true
		}
	}
	var about []report.Finding
	add := func(c Comment, message string) {
		about = append(about, report.Finding{File: file, Line: c.Line, Column: c.Column, Severity: report.Warning,
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
