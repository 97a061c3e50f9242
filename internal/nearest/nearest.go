// Package nearest finds the name that somebody who wrote an unknown one may have meant.
package nearest

import "iter"

// Name is the known name that is most alike, the first in the alphabet of several, and ""
// where even that is another word: where more than half of a short name's letters differ,
// or a third of a long one's.
func Name(name string, known iter.Seq[string]) (found string) {
	best := min(len(name)/2, len(name)/3+1) + 1
	for k := range known {
		if n := len(k) - len(name); max(n, -n) > best {
			continue // a hostile module's name may be long, and the distance slow
		}
		if d := distance(name, k); d < best || d == best && found != "" && k < found {
			best, found = d, k
		}
	}
	return found
}

// distance is the number of letters to insert, delete or replace that make b of a.
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
