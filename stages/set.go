package stages

import (
	"encoding/binary"
	"math/bits"
	"slices"
)

// A set is a set of small numbers. It is not changed: with and union return new sets.
type set []uint64

func (s set) with(i int) set {
	t := slices.Clone(s)
	for len(t) <= i/64 {
		t = append(t, 0)
	}
	t[i/64] |= 1 << (i % 64)
	return t
}

func (s set) union(o set) set {
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

func (s set) has(i int) bool { return i/64 < len(s) && s[i/64]>>(i%64)&1 == 1 }

// holds reports whether all of o is in s.
func (s set) holds(o set) bool {
	for i, word := range o {
		if i >= len(s) && word != 0 || i < len(s) && word&^s[i] != 0 {
			return false
		}
	}
	return true
}

// first returns the smallest number, or -1.
func (s set) first() int {
	for i, word := range s {
		if word != 0 {
			return 64*i + bits.TrailingZeros64(word)
		}
	}
	return -1
}

// key returns a text that equal sets share.
func (s set) key() string {
	var key []byte
	for _, word := range s {
		key = binary.LittleEndian.AppendUint64(key, word)
	}
	for len(key) > 0 && key[len(key)-1] == 0 {
		key = key[:len(key)-1]
	}
	return string(key)
}
