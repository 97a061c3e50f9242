package record

import (
	"hash/maphash"

	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/tensor"
)

// queue holds the recorded calls of one line. Each is taken once. The caller holds the lock
// of the replay.
type queue struct {
	calls   []Call
	ordered bool
	order   []int // the numbers of the line's calls
	taken   map[int]bool
	next    int // index into order; all before it are taken

	byHash map[uint64][]int // for an unordered line, built when first needed

	sequences []*sequence // for an ordered line: its runs in the order of their first calls
	recorded  map[int64]*sequence
	byRun     map[int64]*sequence // runs of the replaying process
	free      int                 // index into sequences; all before it are bound
}

// sequence holds the calls of one recorded run.
type sequence struct {
	order []int
	bound bool // a replaying run is matched with it
}

func (q *queue) add(call int) {
	q.order = append(q.order, call)
	if !q.ordered {
		return
	}
	run := q.calls[call].RunID
	s := q.recorded[run]
	if s == nil {
		if q.recorded == nil {
			q.recorded = map[int64]*sequence{}
		}
		s = &sequence{}
		q.recorded[run] = s
		q.sequences = append(q.sequences, s)
	}
	s.order = append(s.order, call)
}

// take finds the recorded call for f. If there is none, taken is -1, and best is the call
// that was expected, or -1 if none is left.
func (q *queue) take(f *callbacks.Frame) (taken, best int) {
	if q.taken == nil {
		q.taken = map[int]bool{}
	}
	if q.ordered {
		taken, best = q.takeOrdered(f)
	} else {
		taken, best = q.takeAny(f)
	}
	if taken >= 0 {
		q.taken[taken] = true
	}
	return taken, best
}

func (q *queue) takeAny(f *callbacks.Frame) (taken, best int) {
	for q.next < len(q.order) && q.taken[q.order[q.next]] {
		q.next++
	}
	if q.next == len(q.order) {
		return -1, -1
	}
	best = q.order[q.next]
	if same(f, &q.calls[best]) {
		return best, best
	}
	if q.byHash == nil {
		q.byHash = map[uint64][]int{}
		for _, n := range q.order[q.next:] {
			h := hash(q.calls[n].Args, q.calls[n].IDs)
			q.byHash[h] = append(q.byHash[h], n)
		}
	}
	h := hash(f.Args, f.IDs)
	list := q.byHash[h]
	for i, n := range list {
		if !q.taken[n] && same(f, &q.calls[n]) {
			if i == 0 {
				q.byHash[h] = list[1:]
			}
			return n, n
		}
	}
	return -1, best
}

func (q *queue) takeOrdered(f *callbacks.Frame) (taken, best int) {
	s := q.byRun[f.RunID]
	if s == nil {
		best = -1
		for q.free < len(q.sequences) && q.sequences[q.free].bound {
			q.free++
		}
		for _, free := range q.sequences[q.free:] {
			if free.bound {
				continue
			}
			if best < 0 {
				best = free.order[0]
			}
			if same(f, &q.calls[free.order[0]]) {
				s = free
				break
			}
		}
		if s == nil {
			return -1, best
		}
		s.bound = true
		if q.byRun == nil {
			q.byRun = map[int64]*sequence{}
		}
		q.byRun[f.RunID] = s
	}
	if len(s.order) == 0 {
		return -1, -1
	}
	best = s.order[0]
	if !same(f, &q.calls[best]) {
		return -1, best
	}
	s.order = s.order[1:]
	return best, best
}

// left returns the number of calls that were not taken, and the first of them.
func (q *queue) left() (first, n int) {
	first = -1
	for _, call := range q.order {
		if !q.taken[call] {
			if n++; first < 0 {
				first = call
			}
		}
	}
	return first, n
}

// same reports whether a call has the arguments of a recorded one.
func same(f *callbacks.Frame, c *Call) bool {
	return sameViews(f.Args, c.Args) && sameViews(f.IDs, c.IDs)
}

func sameViews(a, b []tensor.View) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if !a[i].Shape.Equal(b[i].Shape) || string(a[i].Data) != string(b[i].Data) {
			return false
		}
	}
	return true
}

var seed = maphash.MakeSeed()

// hash returns equal values for equal arguments.
func hash(lists ...[]tensor.View) uint64 {
	var h maphash.Hash
	h.SetSeed(seed)
	for _, list := range lists {
		for _, v := range list {
			h.WriteString(v.Shape.String())
			h.Write(v.Data)
		}
		h.WriteByte(0)
	}
	return h.Sum64()
}
