// Package set has sets of small numbers.
package set

import (
	"encoding/binary"
	"math/bits"
	"slices"
)

// A Set is a set of small numbers. It is not changed: With and Union return new sets.
type Set []uint64

// With returns the set with a number.
func (s Set) With(i int) Set {
	t := slices.Clone(s)
	for len(t) <= i/64 {
		t = append(t, 0)
	}
	t[i/64] |= 1 << (i % 64)
	return t
}

// Union returns the numbers of both.
func (s Set) Union(o Set) Set {
	if len(s) < len(o) {
		s, o = o, s
	}
	changed := false
	for i, word := range o {
		changed = changed || s[i]|word != s[i]
	}
	if !changed {
		return s
	}
	t := slices.Clone(s)
	for i, word := range o {
		t[i] |= word
	}
	return t
}

// Has reports whether a number is in the set.
func (s Set) Has(i int) bool { return i/64 < len(s) && s[i/64]>>(i%64)&1 == 1 }

// Holds reports whether all of o is in s.
func (s Set) Holds(o Set) bool {
	for i, word := range o {
		if i >= len(s) && word != 0 || i < len(s) && word&^s[i] != 0 {
			return false
		}
	}
	return true
}

// First returns the smallest number, or -1.
func (s Set) First() int {
	for i, word := range s {
		if word != 0 {
			return 64*i + bits.TrailingZeros64(word)
		}
	}
	return -1
}

// Key returns a text that equal sets share.
func (s Set) Key() string {
	var key []byte
	for _, word := range s {
		key = binary.LittleEndian.AppendUint64(key, word)
	}
	for len(key) > 0 && key[len(key)-1] == 0 {
		key = key[:len(key)-1]
	}
	return string(key)
}
