package errtext

import (
	"fmt"
	"strings"
)

// mostPairs is how many lines Pairs has.
const mostPairs = 20

// Pairs compares two lists in an error: it has a line for each place, and marks the lines of places that differ. Of
// more than 20 places it has the first ones that differ. The zero value is empty.
type Pairs struct {
	all, differing []string
}

// Add adds the line of a place.
func (p *Pairs) Add(differs bool, format string, args ...any) {
	line := "\n  " + fmt.Sprintf(format, args...)
	if differs {
		line += "  <- differs"
		p.differing = append(p.differing, line)
	}
	p.all = append(p.all, line)
}

// String returns the lines. Each follows a line break.
func (p *Pairs) String() string {
	if len(p.all) <= mostPairs {
		return strings.Join(p.all, "")
	}
	shown := p.differing[:min(len(p.differing), mostPairs)]
	return strings.Join(shown, "") +
		fmt.Sprintf("\n  and %d more, of which %d differ", len(p.all)-len(shown), len(p.differing)-len(shown))
}
