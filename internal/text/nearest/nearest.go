// Package nearest finds the known name that is most similar to an unknown one, for error
// messages.
package nearest

import (
	"fmt"
	"iter"
)

// Name returns the known name that is most similar, the alphabetically first of several. It
// returns "" if that name is too different: if more than half of the letters of a short
// name differ, or more than about a third of those of a long one.
func Name(name string, known iter.Seq[string]) (found string) {
	best := min(len(name)/2, len(name)/3+1) + 1
	for k := range known {
		if n := len(k) - len(name); max(n, -n) > best {
			continue // an untrusted module may have long names, which make distance slow
		}
		if d := distance(name, k); d < best || d == best && found != "" && k < found {
			best, found = d, k
		}
	}
	return found
}

// Hint asks at the end of a sentence whether the nearest name is meant. It is "" if there is none.
func Hint(name string) string {
	if name == "" {
		return ""
	}
	return fmt.Sprintf(" (is it %q?)", name)
}

// distance returns the number of letters to insert, delete or replace to turn a into b.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
