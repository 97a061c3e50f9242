package mutants

import (
	"bytes"
	"fmt"
	"math/rand/v2"
)

// An input is a file to check.
type input struct {
	name string
	seed seed // what it was made of
	data []byte
}

// A mutator makes inputs. The same numbers make the same inputs.
type mutator struct {
	*rand.Rand
	texts, binaries []seed
}

func newMutator(seeds []seed, number, batch uint64) *mutator {
	m := &mutator{Rand: rand.New(rand.NewPCG(number, batch))}
	for _, s := range seeds {
		if s.isText() {
			m.texts = append(m.texts, s)
		} else {
			m.binaries = append(m.binaries, s)
		}
	}
	return m
}

// names are added to some names of files.
var names = []string{" ", "ü", "%20", "'", `"`, "&amp;", "$(x)", "#", "[a]", "..", "@", "~"}

// input returns the input of a number.
func (m *mutator) input(i int) input {
	in := input{name: fmt.Sprintf("%05d", i)}
	if m.IntN(50) == 0 {
		in.name += pick(m, names)
	}
	if m.IntN(4) == 0 {
		in.seed, in.data = m.changed(m.binaries, binaryChanges)
		in.name += ".mlirbc"
	} else {
		in.seed, in.data = m.changed(m.texts, textChanges)
		in.name += ".mlir"
	}
	return in
}

// A change returns a changed copy of a module. other is another module.
type change func(m *mutator, data, other []byte) []byte

// changed returns a module that is changed in a few places, most of the time in one.
func (m *mutator) changed(seeds []seed, changes []change) (seed, []byte) {
	s := m.choose(seeds)
	data := bytes.Clone(s.data)
	for n := 1; n == 1 || n < 5 && m.IntN(2) == 0; n++ {
		data = pick(m, changes)(m, data, m.choose(seeds).data)
	}
	return s, data
}

// choose returns one of the seeds, most of the time a small one.
func (m *mutator) choose(seeds []seed) seed {
	for {
		if s := pick(m, seeds); len(s.data) <= small || m.IntN(100) == 0 {
			return s
		}
	}
}

func pick[T any](m *mutator, list []T) T { return list[m.IntN(len(list))] }

// span returns the start and the end of a part of up to n bytes.
func (m *mutator) span(data []byte, n int) (start, end int) {
	start = m.IntN(len(data) + 1)
	return start, min(start+m.IntN(n+1), len(data))
}

// splice returns data with the part from start to end replaced.
func splice(data []byte, start, end int, by ...byte) []byte {
	return append(append(bytes.Clone(data[:start]), by...), data[end:]...)
}

// anyChanges are those of all kinds of files.
var anyChanges = []change{
	func(m *mutator, data, _ []byte) []byte { // flip a bit
		if len(data) > 0 {
			data[m.IntN(len(data))] ^= 1 << m.IntN(8)
		}
		return data
	},
	func(m *mutator, data, _ []byte) []byte { // another byte
		if len(data) > 0 {
			data[m.IntN(len(data))] = byte(m.Uint32())
		}
		return data
	},
	func(m *mutator, data, _ []byte) []byte { // remove bytes
		start, end := m.span(data, 16)
		return splice(data, start, end)
	},
	func(m *mutator, data, _ []byte) []byte { // repeat bytes
		start, end := m.span(data, 64)
		return splice(data, start, start, data[start:end]...)
	},
	func(m *mutator, data, _ []byte) []byte { // end early
		return data[:m.IntN(len(data)+1)]
	},
	func(m *mutator, data, other []byte) []byte { // join halves
		return splice(other, 0, m.IntN(len(other)+1), data[:m.IntN(len(data)+1)]...)
	},
}
