// Package unified compares texts line by line.
package unified

import (
	"bytes"
	"fmt"
	"slices"
	"sort"
	"strings"
)

// context is the number of equal lines around a change.
const context = 3

// Diff returns the difference of two texts in the unified format, as diff -u and gofmt -d print
// it and patch reads it. It is empty if the texts are equal. It takes time proportional to
// n log n: lines that occur once in both texts are matched, and the equal lines around them, so the
// difference is easy to read and not always the smallest.
func Diff(oldName, newName string, old, new []byte) []byte {
	if bytes.Equal(old, new) {
		return nil
	}
	a, b := lines(old), lines(new)
	var out bytes.Buffer
	fmt.Fprintf(&out, "diff %s %s\n--- %s\n+++ %s\n", oldName, newName, oldName, newName)
	matches := blocks(a, b)
	// Between two blocks of equal lines is a change. Changes with few equal lines between them
	// share a hunk.
	for i := 0; i+1 < len(matches); {
		last := i + 1 // the block after the hunk
		for last+1 < len(matches) && matches[last].n <= 2*context {
			last++
		}
		writeHunk(&out, a, b, matches[i:last+1])
		i = last
	}
	return out.Bytes()
}

// A block is a range of equal lines. The first and the last one may be empty.
type block struct{ a, b, n int }

// blocks returns the blocks of equal lines, from the start to the end of both texts. Between two
// of them the texts differ.
func blocks(a, b []string) []block {
	list := []block{{}}
	for _, m := range anchors(a, b) {
		last := &list[len(list)-1]
		if m.a < last.a+last.n {
			continue // it is in the last block
		}
		start := m
		for start.a > last.a+last.n && start.b > last.b+last.n && a[start.a-1] == b[start.b-1] {
			start.a--
			start.b--
		}
		for m.a < len(a) && m.b < len(b) && a[m.a] == b[m.b] {
			m.a++
			m.b++
		}
		start.n = m.a - start.a
		if start.a == last.a+last.n && start.b == last.b+last.n {
			last.n += start.n
			continue
		}
		list = append(list, start)
	}
	return list
}

// anchors returns lines that occur once in each text, in the longest sequence that has the same
// order in both, between the start and the end.
func anchors(a, b []string) []block {
	counts := map[string]int{} // lower four bits for a, the others for b
	for _, line := range a {
		counts[line] = min(counts[line]+1, 2)
	}
	for _, line := range b {
		counts[line] = min(counts[line]+16, 32+counts[line]&15)
	}
	at := map[string]int{}
	for i, line := range b {
		at[line] = i
	}
	var pairs []block
	for i, line := range a {
		if counts[line] == 17 {
			pairs = append(pairs, block{a: i, b: at[line]})
		}
	}
	// The longest increasing sequence of b, by patience sorting.
	var ends []int // index in pairs of the smallest end of a sequence by its length
	before := make([]int, len(pairs))
	for i, p := range pairs {
		n := sort.Search(len(ends), func(k int) bool { return pairs[ends[k]].b >= p.b })
		before[i] = -1
		if n > 0 {
			before[i] = ends[n-1]
		}
		if n == len(ends) {
			ends = append(ends, i)
		} else {
			ends[n] = i
		}
	}
	sequence := []block{{a: len(a), b: len(b)}}
	if len(ends) > 0 {
		for i := ends[len(ends)-1]; i >= 0; i = before[i] {
			sequence = append(sequence, pairs[i])
		}
	}
	sequence = append(sequence, block{})
	slices.Reverse(sequence)
	return sequence
}

// writeHunk writes the changes between the blocks.
func writeHunk(out *bytes.Buffer, a, b []string, matches []block) {
	first, last := matches[0], matches[len(matches)-1]
	lead, tail := min(first.n, context), min(last.n, context)
	startA, startB := first.a+first.n-lead, first.b+first.n-lead
	endA, endB := last.a+tail, last.b+tail
	fmt.Fprintf(out, "@@ -%s +%s @@\n", span(startA, endA), span(startB, endB))
	writeLines(out, ' ', a[startA:startA+lead])
	for i, m := range matches[:len(matches)-1] {
		next := matches[i+1]
		writeLines(out, '-', a[m.a+m.n:next.a])
		writeLines(out, '+', b[m.b+m.n:next.b])
		n := next.n
		if i+2 == len(matches) {
			n = tail
		}
		writeLines(out, ' ', a[next.a:next.a+n])
	}
}

// span returns the start and the number of lines of a hunk.
func span(start, end int) string {
	if start == end {
		return fmt.Sprintf("%d,0", start)
	}
	return fmt.Sprintf("%d,%d", start+1, end-start)
}

func writeLines(out *bytes.Buffer, mark byte, list []string) {
	for _, line := range list {
		out.WriteByte(mark)
		out.WriteString(line)
		if !strings.HasSuffix(line, "\n") {
			out.WriteString("\n\\ No newline at end of file\n")
		}
	}
}

// lines returns the lines of a text with their ends.
func lines(text []byte) []string {
	return slices.Collect(strings.Lines(string(text)))
}
