package report

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"regexp"

	"github.com/calliope-mlir/calliope/internal/text/lazyregexp"
	"github.com/calliope-mlir/calliope/lint/finding"
)

// positions are the parts of a message that change if lines move: those of other operations. The address
// of a buffer, in an error about bytecode, changes in each run.
var positions = lazyregexp.New(`:\d+:\d+|\b(?:line|lines|column|columns) \d+|\bbuffer 0x[0-9a-f]+`)

// origin is a position in the text that bytecode was made from.
const origin = `line \d+, column \d+ of the text that the module was made from`

// Fingerprints sets the fingerprints of the findings of one file.
func Fingerprints(findings []finding.Finding) {
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
