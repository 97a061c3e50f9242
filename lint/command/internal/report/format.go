package report

import (
	"cmp"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/calliope-mlir/calliope/internal/text/nearest"
	"github.com/calliope-mlir/calliope/lint/finding"
)

// A Writer writes a report. File is called once for each file, also for one without findings,
// and then Close.
type Writer interface {
	File(name string, findings []finding.Finding) error
	Close() error
}

// A Rule describes a rule.
type Rule struct {
	Name    string
	Doc     string // one line
	Details string // Markdown, or ""
	Off     bool   // unless it is asked for
	// Severity is the greatest severity of its findings, unless a configuration sets another one.
	Severity finding.Severity
	URL      string // of its documentation, or ""
}

// URL returns the address of the documentation of one of the linter's rules.
func URL(rule string) string { return Home + "/blob/main/docs/reference/lint-rules.md#" + rule }

// Options are the options of a report.
type Options struct {
	Rules   []Rule
	Version string // of the linter
	Werror  bool   // warnings count as errors do
	Text    Text
	// Statistics is set to report how many findings the rules have, in the format text or json.
	Statistics bool
}

var formats = map[string]func(io.Writer, Options) Writer{
	"text":       newText,
	"json":       newJSON,
	"sarif":      newSARIF,
	"github":     newGitHub,
	"gitlab":     newGitLab,
	"junit":      newJUnit,
	"checkstyle": newCheckstyle,
}

// Formats are the names of the formats.
var Formats = []string{"text", "json", "sarif", "github", "gitlab", "junit", "checkstyle"}

// HasEdits reports whether a format has the edits of repairs.
func HasEdits(format string) bool { return format == "json" || format == "sarif" }

// New returns a writer of the format.
func New(format string, w io.Writer, o Options) (Writer, error) {
	make, ok := formats[format]
	if !ok {
		return nil, fmt.Errorf("there is no format %q%s: choose from %s", format, DidYouMean(format, Formats),
			strings.Join(Formats, ", "))
	}
	if o.Statistics {
		return &statistics{collector: collector{w: w, o: o}, json: format == "json"}, nil
	}
	return make(w, o), nil
}

// DidYouMean returns a question with the known name that is most similar, or "".
func DidYouMean(name string, known []string) string {
	if near := nearest.Name(name, slices.Values(known)); near != "" {
		return fmt.Sprintf(", did you mean %q", near)
	}
	return ""
}

// A collector keeps findings until the report is closed.
type collector struct {
	w        io.Writer
	o        Options
	files    []string
	findings []finding.Finding
}

func (c *collector) File(name string, findings []finding.Finding) error {
	c.files = append(c.files, name)
	c.findings = append(c.findings, findings...)
	return nil
}

// open returns the findings that are neither ignored nor known, in order.
func (c *collector) open() []finding.Finding {
	return slices.DeleteFunc(sorted(c.findings), func(f finding.Finding) bool { return !f.Open() })
}

// sorted returns the findings in the order of files, lines, columns and rules.
func sorted(findings []finding.Finding) []finding.Finding {
	findings = slices.Clone(findings)
	slices.SortStableFunc(findings, func(a, b finding.Finding) int {
		return cmp.Or(
			cmp.Compare(slashed(a.File), slashed(b.File)),
			cmp.Compare(a.Line, b.Line),
			cmp.Compare(a.Column, b.Column),
			cmp.Compare(a.Rule, b.Rule),
			cmp.Compare(a.Fingerprint, b.Fingerprint),
		)
	})
	return findings
}

// slashed returns a file name as reports for other programs have it.
func slashed(file string) string {
	if file == "<stdin>" {
		return "stdin"
	}
	return filepath.ToSlash(filepath.Clean(file))
}

// counts reports whether the finding makes the command fail.
func (o Options) counts(f finding.Finding) bool {
	return f.Severity == finding.Error || o.Werror && f.Severity == finding.Warning
}
