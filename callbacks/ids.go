package callbacks

import "sync"

// An IDState says why a registry does not hold an id.
type IDState string

// The values of IDState. It is empty for a name.
const (
	IDUnregistered      IDState = "unregistered"
	IDInAnotherRegistry IDState = "in another registry"
	IDNeverReturned     IDState = "never returned"
)

// An id is made of the number of a registry and a count. So no id is ever mistaken for one
// of another registry, and idStateOf needs no list of unregistered ids.
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

// idStateOf returns the IDState of an id that the registry does not hold. The caller holds
// the registry's lock.
func (r *Registry) idStateOf(id int64) IDState {
	number, count := id>>countBits+1, id&(1<<countBits-1)
	given.Lock()
	defer given.Unlock()
	switch {
	case id <= 0 || number > int64(len(given.last)) || count == 0 || count > given.last[number-1]:
		return IDNeverReturned
	case number != r.number:
		return IDInAnotherRegistry
	}
	return IDUnregistered
}
