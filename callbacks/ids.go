package callbacks

import "sync"

// A Past says why a registry does not hold an id.
type Past string

// The values of Past. It is empty for a name.
const (
	Released   Past = "released"
	Elsewhere  Past = "another registry's"
	NeverGiven Past = "never given"
)

// An id is made of the number of a registry and a count. So no id is ever mistaken for one
// of another registry, and pastOf needs no list of released ids.
const countBits = 32

// given holds the last count of each registry, by number. The default registry has number
// 1.
var given = struct {
	sync.Mutex
	last []int64
}{last: []int64{0}}

// nextID returns the next id. The caller holds the registry's lock.
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

// pastOf returns the Past of an id that the registry does not hold. The caller holds the
// registry's lock.
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
