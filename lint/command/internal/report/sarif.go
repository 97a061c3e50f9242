package report

import (
	"cmp"
	"io"
	"net/url"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/calliope-mlir/calliope/lint/finding"
)

// The versions of SARIF that is written, and its schema.
const (
	sarifVersion = "2.1.0"
	sarifSchema  = "https://json.schemastore.org/sarif-2.1.0.json"
)

// fingerprintKey names the way in which fingerprints are made. Another way needs another name.
const fingerprintKey = "mlirLint/v1"

// InvalidDoc is one line that says what the rule finding.Invalid finds.
const InvalidDoc = "the input could not be read, parsed, verified or checked"

// Home is the address of the linter's documentation.
const Home = "https://github.com/calliope-mlir/calliope"

// newSARIF returns a writer of SARIF. It includes ignored and known findings, marked as such.
func newSARIF(w io.Writer, o Options) Writer { return &sarif{collector{w: w, o: o}} }

type sarif struct{ collector }

// The types below are the parts of the format that are written. The types of the standard have
// the same names with the prefix removed.
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool        sarifTool         `json:"tool"`
		Invocations []sarifInvocation `json:"invocations"`
		ColumnKind  string            `json:"columnKind"`
		Results     []sarifResult     `json:"results"`
	}
	sarifTool struct {
		Driver sarifDriver `json:"driver"`
	}
	sarifDriver struct {
		Name           string      `json:"name"`
		Version        string      `json:"version"`
		InformationURI string      `json:"informationUri"`
		Rules          []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID               string    `json:"id"`
		ShortDescription sarifText `json:"shortDescription"`
		FullDescription  sarifText `json:"fullDescription"` // GitHub wants it
		Help             sarifText `json:"help"`
		HelpURI          string    `json:"helpUri,omitempty"`
		// DefaultConfiguration is what counts without a configuration.
		DefaultConfiguration sarifConfiguration `json:"defaultConfiguration"`
	}
	sarifConfiguration struct {
		Enabled bool             `json:"enabled"`
		Level   finding.Severity `json:"level"`
	}
	sarifText struct {
		Text     string `json:"text"`
		Markdown string `json:"markdown,omitempty"`
	}
	sarifInvocation struct {
		ExecutionSuccessful bool `json:"executionSuccessful"`
	}
	sarifResult struct {
		RuleID              string             `json:"ruleId"`
		RuleIndex           int                `json:"ruleIndex"`
		Level               string             `json:"level"`
		Message             sarifText          `json:"message"`
		Locations           []sarifLocation    `json:"locations"`
		RelatedLocations    []sarifLocation    `json:"relatedLocations,omitempty"`
		PartialFingerprints map[string]string  `json:"partialFingerprints,omitempty"`
		BaselineState       string             `json:"baselineState,omitempty"`
		Suppressions        []sarifSuppression `json:"suppressions,omitempty"`
		Fixes               []sarifFix         `json:"fixes,omitempty"`
	}
	sarifLocation struct {
		PhysicalLocation *sarifPhysical `json:"physicalLocation,omitempty"`
		Message          *sarifText     `json:"message,omitempty"`
	}
	sarifPhysical struct {
		ArtifactLocation sarifArtifact `json:"artifactLocation"`
		Region           sarifRegion   `json:"region"`
	}
	sarifArtifact struct {
		URI string `json:"uri"`
	}
	sarifRegion struct {
		StartLine   int `json:"startLine"`
		StartColumn int `json:"startColumn"`
		EndLine     int `json:"endLine,omitempty"`
		EndColumn   int `json:"endColumn,omitempty"`
	}
	sarifSuppression struct {
		Kind          string `json:"kind"`
		Justification string `json:"justification,omitempty"`
	}
	sarifFix struct {
		Description     sarifText     `json:"description"`
		ArtifactChanges []sarifChange `json:"artifactChanges"`
	}
	sarifChange struct {
		ArtifactLocation sarifArtifact      `json:"artifactLocation"`
		Replacements     []sarifReplacement `json:"replacements"`
	}
	sarifReplacement struct {
		DeletedRegion   sarifRegion `json:"deletedRegion"`
		InsertedContent sarifText   `json:"insertedContent"`
	}
)

func (s *sarif) Close() error {
	run := sarifRun{
		Tool: sarifTool{sarifDriver{Name: "mlir-lint", Version: s.o.Version, InformationURI: Home,
			Rules: []sarifRule{}}},
		Invocations: []sarifInvocation{{true}},
		ColumnKind:  "unicodeCodePoints",
		Results:     []sarifResult{},
	}
	index := map[string]int{}
	for _, r := range s.o.Rules {
		index[r.Name] = len(run.Tool.Driver.Rules)
		help := sarifText{Text: r.Doc, Markdown: r.Details}
		if r.Details != "" {
			help.Text = r.Details
		}
		run.Tool.Driver.Rules = append(run.Tool.Driver.Rules,
			sarifRule{r.Name, sarifText{Text: r.Doc}, sarifText{Text: r.Doc}, help, r.URL,
				sarifConfiguration{!r.Off, r.Severity}})
	}
	for _, f := range s.findings {
		if f.Rule == finding.Invalid && f.Severity == finding.Error && f.Open() {
			run.Invocations[0].ExecutionSuccessful = false
		}
		run.Results = append(run.Results, resultOf(f, index[f.Rule]))
	}
	inOrder(run.Results)
	return indented(s.w, sarifLog{sarifSchema, sarifVersion, []sarifRun{run}})
}

func resultOf(f finding.Finding, rule int) sarifResult {
	file := sarifArtifact{uri(f.File)}
	r := sarifResult{
		RuleID: f.Rule, RuleIndex: rule, Level: string(f.Severity), Message: sarifText{Text: f.Message},
		Locations: []sarifLocation{{PhysicalLocation: &sarifPhysical{file,
			sarifRegion{StartLine: f.Line, StartColumn: characterOf(f)}}}},
		BaselineState: f.Baseline,
	}
	for _, at := range f.Related {
		r.RelatedLocations = append(r.RelatedLocations, locationOf(at))
	}
	if f.Fingerprint != "" {
		r.PartialFingerprints = map[string]string{fingerprintKey: f.Fingerprint}
	}
	if f.Suppression != nil {
		r.Suppressions = []sarifSuppression{{"inSource", f.Suppression.Reason}}
	}
	if f.Fix != nil && len(f.Fix.Edits) > 0 {
		change := sarifChange{ArtifactLocation: file}
		for _, e := range f.Fix.Edits {
			change.Replacements = append(change.Replacements, sarifReplacement{
				regionOf(e), sarifText{Text: e.Text}})
		}
		r.Fixes = []sarifFix{{sarifText{Text: f.Fix.Title()}, []sarifChange{change}}}
	}
	return r
}

func locationOf(r finding.Related) (l sarifLocation) {
	if r.Message != "" {
		l.Message = &sarifText{Text: r.Message}
	}
	if r.File != "" {
		l.PhysicalLocation = &sarifPhysical{sarifArtifact{uri(r.File)},
			sarifRegion{StartLine: r.Line, StartColumn: max(r.Column, 1)}}
	}
	return l
}

// regionOf returns the range of an edit, in characters if they are known.
func regionOf(e finding.Edit) sarifRegion {
	if e.Characters == [2]int{} {
		return sarifRegion{e.Line, e.Column, e.EndLine, e.EndColumn}
	}
	return sarifRegion{e.Line, e.Characters[0], e.EndLine, e.Characters[1]}
}

// characterOf returns the column in characters, as the report states it, or in bytes if the line
// is not known.
func characterOf(f finding.Finding) int {
	if f.Source != nil {
		return f.Source.Character
	}
	return f.Column
}

// inOrder sorts results, so that the merged reports of parts of the files equal the report of all.
func inOrder(results []sarifResult) {
	slices.SortStableFunc(results, func(a, b sarifResult) int {
		p, q := a.Locations[0].PhysicalLocation, b.Locations[0].PhysicalLocation
		return cmp.Or(
			cmp.Compare(p.ArtifactLocation.URI, q.ArtifactLocation.URI),
			cmp.Compare(p.Region.StartLine, q.Region.StartLine),
			cmp.Compare(p.Region.StartColumn, q.Region.StartColumn),
			cmp.Compare(a.RuleID, b.RuleID),
			cmp.Compare(a.PartialFingerprints[fingerprintKey], b.PartialFingerprints[fingerprintKey]),
		)
	})
}

// uri returns the reference to a file: relative to the working directory, or absolute.
func uri(file string) string {
	file = slashed(file)
	if path.IsAbs(file) || filepath.IsAbs(filepath.FromSlash(file)) { // of Linux, in a report made on Windows
		return (&url.URL{Scheme: "file", Path: "/" + strings.TrimPrefix(file, "/")}).String()
	}
	// A colon in the first element would make it a scheme.
	return (&url.URL{Path: file}).String()
}
