package mutants

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
)

// A tally counts outcomes. Several goroutines may use it.
type tally struct {
	mu        sync.Mutex
	start     time.Time
	inputs    int
	outcomes  map[string]int
	causes    map[string]int // of crashes
	compared  int            // files on which -quick was held against the library
	agreed    int            // operations that both found in them
	repaired  int            // files that -fix wrote
	edits     int            // findings whose edits were applied
	documents int            // in the language server
	problems  []string
}

// cause is the cause of a crash in its message.
var cause = regexp.MustCompile(`\(([^()]*(?:\([^()]*\)[^()]*)*)\): `)

func (t *tally) add(found []finding) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.inputs++
	t.outcomes[outcome(found)]++
	for _, f := range found {
		if m := cause.FindStringSubmatch(f.Message); m != nil && f.isCrash() {
			t.causes[digits.ReplaceAllString(m[1], "N")]++
		}
	}
}

// count adds to one of the numbers.
func (t *tally) count(number *int, n int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	*number += n
}

// String returns one line of progress.
func (t *tally) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	var b strings.Builder
	seconds := time.Since(t.start).Seconds()
	fmt.Fprintf(&b, "%d inputs in %.0f s, %.0f in a second:", t.inputs, seconds, float64(t.inputs)/seconds)
	for _, o := range outcomes {
		fmt.Fprintf(&b, " %s %d,", o, t.outcomes[o])
	}
	fmt.Fprintf(&b, " problems %d; -quick compared on %d with %d operations, %d repaired, %d with edits, %d documents",
		len(t.problems), t.compared, t.agreed, t.repaired, t.edits, t.documents)
	return b.String()
}

// crashes returns the causes of the crashes, the most frequent ones first.
func (t *tally) crashes() string {
	var b strings.Builder
	for _, c := range slices.SortedFunc(maps.Keys(t.causes),
		func(a, b string) int { return cmp.Or(t.causes[b]-t.causes[a], cmp.Compare(a, b)) }) {
		fmt.Fprintf(&b, "%d\t%s\n", t.causes[c], c)
	}
	return b.String()
}
