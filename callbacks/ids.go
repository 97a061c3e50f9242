package callbacks

import "sync"

// Past is what became of an id that is not there.
type Past string

// The empty Past is that of a name.
const (
	Released   Past = "released"
	Elsewhere  Past = "another registry's"
	NeverGiven Past = "never given"
)

// An id is the number of a registry and a count, so that none is ever taken for
// another registry's, and what became of it can be told without keeping it.
const countBits = 32

// given is the last count of each registry, by number. The default one has the first.
var given = struct {
	sync.Mutex
	last []int64
}{last: []int64{0}}

// nextID counts. The caller holds the registry's lock.
func (r *Registry) nextID() int64 {
	given.Lock()
	defer given.Unlock()
	if r.number == 0 {
		given.last = append(given.last, 0)
		r.number = int64(len(given.last))
	}
	given.last[r.number-1]++
	return (r.number-1)<<countBits | given.last[r.number-1]
}

// pastOf says what became of an id that the registry does not hold. The caller holds
// the registry's lock.
func (r *Registry) pastOf(id int64) Past {
	number, count := id>>countBits+1, id&(1<<countBits-1)
	given.Lock()
	defer given.Unlock()
	switch {
	case id <= 0 || number > int64(len(given.last)) || count == 0 || count > given.last[number-1]:
		return NeverGiven
	case number != r.number:
		return Elsewhere
	}
	return Released
}
