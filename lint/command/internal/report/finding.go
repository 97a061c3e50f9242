package report

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"

	"github.com/calliope-mlir/calliope/internal/errtext"
)

// A Severity is error, warning or note.
type Severity string

const (
	Error   Severity = "error"
	Warning Severity = "warning"
	Note    Severity = "note"
)

// A Finding is one finding in a file.
type Finding struct {
	File     string   `json:"file"`
	Line     int      `json:"line"`   // from 1
	Column   int      `json:"column"` // in bytes, from 1
	Severity Severity `json:"severity"`
	Message  string   `json:"message"`
	Rule     string   `json:"rule"`
	// Fingerprint identifies the finding in its file, also after lines have moved.
	Fingerprint string `json:"fingerprint"`
	// Fix is the safe repair of the finding, if it has one.
	Fix *Fix `json:"fix,omitempty"`
	// Suppression is set if the source says that the finding is to be ignored.
	Suppression *Suppression `json:"suppression,omitempty"`
	// Baseline is how the finding relates to the baseline: BaselineNew, BaselineKnown, or "" if
	// there is no baseline.
	Baseline string `json:"baseline,omitempty"`
	// Context identifies the operation of the finding, or is "". It is for Fingerprints.
	Context string `json:"-"`
	// Source is the line of the finding in a text file, or a part of it, for a terminal.
	Source *Source `json:"-"`
}

// The values of Finding.Baseline, which are those of SARIF.
const (
	BaselineNew   = "new"
	BaselineKnown = "unchanged"
)

// A Fix is a repair. Edits is empty if the repair is not local to some lines of text.
type Fix struct {
	Message string `json:"message"`
	Edits   []Edit `json:"edits,omitempty"`
}

// An Edit replaces a range of a text file. Lines and columns count from 1, columns in bytes, and
// the end is exclusive.
type Edit struct {
	Line      int    `json:"line"`
	Column    int    `json:"column"`
	EndLine   int    `json:"endLine"`
	EndColumn int    `json:"endColumn"`
	Text      string `json:"text"`
	// Characters are the two columns in characters, which SARIF counts. AddSources sets them.
	Characters [2]int `json:"-"`
}

// A Suppression is a comment or an attribute that ignores a finding.
type Suppression struct {
	Reason string `json:"reason"`
}

// Open reports whether the finding is neither ignored nor known.
func (f Finding) Open() bool { return f.Suppression == nil && f.Baseline != BaselineKnown }

// String returns the finding on one line: file:line:col: severity: message [rule].
func (f Finding) String() string {
	return errtext.Line(fmt.Sprintf("%s:%d:%d: %s: %s [%s]", f.File, f.Line, f.Column, f.Severity, f.Message, f.Rule))
}

// positions are the parts of a message that change if lines move: the position that package lint
// adds at the end, and those of other operations. The address of a buffer, in an error about
// bytecode, changes in each run.
var positions = regexp.MustCompile(` \(at [^()]*\)$|:\d+:\d+|\b(?:line|lines|column|columns) \d+|\bbuffer 0x[0-9a-f]+`)

// Fingerprints sets the fingerprints of the findings of one file.
func Fingerprints(findings []Finding) {
	seen := map[string]int{}
	for i := range findings {
		f := &findings[i]
		key := fmt.Sprintf("%q %q %q", f.Rule, positions.ReplaceAllString(f.Message, ""), f.Context)
		seen[key]++ // equal findings differ in their number
		f.Fingerprint = hash(fmt.Sprintf("%s %d", key, seen[key]))
	}
}

func hash(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:16])
}

// sorted returns the findings in the order of files, lines, columns and rules.
func sorted(findings []Finding) []Finding {
	findings = slices.Clone(findings)
	slices.SortStableFunc(findings, func(a, b Finding) int {
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
