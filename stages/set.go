package stages

import (
	"encoding/binary"
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
