package structs

import (
	"math/rand/v2"
	"regexp"
	"slices"
)

// Lessons are what the cases of an operation have shown: the random numbers of those that the library refused for a new
// reason, or took. Later cases change these, and so get further.
type lessons struct {
	known map[string]bool // reasons of refusals
	cases [][]uint64
}

// kept is how many cases an operation keeps.
const kept = 24

// A drawn is a source of numbers, of which the first ones are given.
type drawn struct {
	numbers []uint64
	at      int
	fresh   *rand.Rand
}

func (d *drawn) Uint64() uint64 {
	if d.at == len(d.numbers) {
		d.numbers = append(d.numbers, d.fresh.Uint64())
	}
	d.at++
	return d.numbers[d.at-1]
}

// next returns the numbers of the next case.
func (l *lessons) next(r *rand.Rand) *drawn {
	d := &drawn{fresh: r}
	if len(l.cases) == 0 || r.IntN(8) == 0 {
		return d
	}
	i := len(l.cases) - 1
	if r.IntN(2) == 0 {
		i = r.IntN(i + 1)
	}
	d.numbers = slices.Clone(l.cases[i])
	for range 1 + r.IntN(3) {
		switch at := r.IntN(len(d.numbers)); r.IntN(8) {
		case 0:
			d.numbers = slices.Delete(d.numbers, at, at+1)
		case 1:
			d.numbers = slices.Insert(d.numbers, at, r.Uint64())
		case 2:
			d.numbers = slices.Clip(d.numbers[:at+1])
		case 3:
			d.numbers[at] = d.numbers[r.IntN(len(d.numbers))]
		default:
			d.numbers[at] = r.Uint64()
		}
		if len(d.numbers) == 0 {
			break
		}
	}
	return d
}

// particulars are parts of errors that say no reason: what was given, types, large numbers, places and notes.
var particulars = regexp.MustCompile(`(but got|, not ).*|'[^']*[<!][^']*'|\d{3,}|\n  .*|\S+\.go:\d+:`)

// learn keeps the numbers of a case if its error, or nil, has a reason that is new.
func (l *lessons) learn(d *drawn, err error) {
	if err != nil {
		reason := particulars.ReplaceAllString(err.Error(), "")
		if l.known[reason] {
			return
		}
		l.known[reason] = true
	}
	if len(l.cases) == kept {
		l.cases = slices.Delete(l.cases, 0, 1)
	}
	l.cases = append(l.cases, slices.Clip(d.numbers[:d.at]))
}
