package report

import (
	"io"

	"github.com/calliope-mlir/calliope/lint/finding"
)

// newGitLab returns a writer of GitLab's code quality report.
func newGitLab(w io.Writer, o Options) Writer { return &gitlab{collector{w: w, o: o}} }

type gitlab struct{ collector }

type gitlabIssue struct {
	Description string         `json:"description"`
	CheckName   string         `json:"check_name"`
	Fingerprint string         `json:"fingerprint"`
	Severity    string         `json:"severity"`
	Location    gitlabLocation `json:"location"`
}

type gitlabLocation struct {
	Path  string      `json:"path"`
	Lines gitlabLines `json:"lines"`
}

type gitlabLines struct {
	Begin int `json:"begin"`
}

var gitlabSeverities = map[finding.Severity]string{finding.Error: "major", finding.Warning: "minor",
	finding.Note: "info"}

func (g *gitlab) Close() error {
	issues := []gitlabIssue{}
	for _, f := range g.open() {
		severity := gitlabSeverities[f.Severity]
		if f.Rule == finding.Invalid && f.Severity == finding.Error {
			severity = "critical"
		}
		issues = append(issues, gitlabIssue{
			Description: f.Text(), CheckName: f.Rule, Severity: severity,
			// It has to be unique in the report.
			Fingerprint: hash(slashed(f.File) + " " + f.Fingerprint),
			Location:    gitlabLocation{slashed(f.File), gitlabLines{f.Line}},
		})
	}
	return indented(g.w, issues)
}
