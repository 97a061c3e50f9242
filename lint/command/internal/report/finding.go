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
	"github.com/calliope-mlir/calliope/internal/lazyregexp"
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
	NoPlace  bool     `json:"-"`      // the line and the column are not known, and 1
	Severity Severity `json:"severity"`
	Message  string   `json:"message"`
	Rule     string   `json:"rule"`
	// Related has the places of the operation in the program that made the module, and those of other
	// operations in the file.
	Related []Related `json:"related,omitempty"`
	// Fingerprint identifies the finding in its file, also after lines have moved. See OfRun.
	Fingerprint string `json:"fingerprint"`
	// Fix is the repair of the finding, if it has one.
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

// A Related is a place beside that of a finding. The file is "", and the line and column are 0, if they
// are not known.
type Related struct {
	Message string `json:"message,omitempty"`
	File    string `json:"file,omitempty"`
	Line    int    `json:"line,omitempty"`
	Column  int    `json:"column,omitempty"`
}

// String returns the place, or else the message.
func (r Related) String() string {
	if r.File == "" {
		return r.Message
	}
	return fmt.Sprintf("%s:%d:%d", r.File, r.Line, r.Column)
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
	Unsafe  bool   `json:"unsafe,omitempty"` // the program does something else after it
	// Whole reports whether the repair is one of the whole module, together with all others of its rule.
	Whole bool `json:"-"`
}

// Title returns the message, and says so if the repair is not safe.
func (f Fix) Title() string {
	if f.Unsafe {
		return f.Message + " (changes what the program does)"
	}
	return f.Message
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

// OfRun reports whether the finding is about what the run could not do, instead of an input: it has no
// fingerprint. No configuration, comment or baseline applies to it.
func (f Finding) OfRun() bool { return f.Fingerprint == "" }

// Open reports whether the finding is neither ignored nor known.
func (f Finding) Open() bool { return f.Suppression == nil && f.Baseline != BaselineKnown }

// String returns the finding on one line: file:line:col: severity: message (at place) [rule].
func (f Finding) String() string {
	return errtext.Line(fmt.Sprintf("%s:%d:%d: %s: %s [%s]", f.File, f.Line, f.Column, f.Severity, f.Text(), f.Rule))
}

// Text returns the message with the first position in the program that made the module, if there is one.
func (f Finding) Text() string {
	for _, r := range f.Related {
		if r.Line > 0 && r.File != f.File {
			return fmt.Sprintf("%s (at %v)", f.Message, r)
		}
	}
	return f.Message
}

// positions are the parts of a message that change if lines move: those of other operations. The address
// of a buffer, in an error about bytecode, changes in each run.
var positions = lazyregexp.New(`:\d+:\d+|\b(?:line|lines|column|columns) \d+|\bbuffer 0x[0-9a-f]+`)

// origin is a position in the text that bytecode was made from.
const origin = `line \d+, column \d+ of the text that the module was made from`

// Fingerprints sets the fingerprints of the findings of one file.
func Fingerprints(findings []Finding) {
	if len(findings) == 0 {
		return
	}
	own := regexp.MustCompile(regexp.QuoteMeta(findings[0].File) + `:\d+:\d+|` + origin)
	seen := map[string]int{}
	for i := range findings {
		f := &findings[i]
		message := positions().ReplaceAllString(own.ReplaceAllString(f.Message, "-"), "")
		key := fmt.Sprintf("%q %q %q", f.Rule, message, f.Context)
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
