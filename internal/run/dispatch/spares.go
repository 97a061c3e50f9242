package dispatch

import (
	"sync"
	"sync/atomic"
)

// spares holds ended calls whose memory is kept for later ones. A few are kept in a list
// that every processor finds; the others are freed by the garbage collector.
type spares struct {
	kept [8]atomic.Pointer[task]
	rest sync.Pool
}

// keptBytes limits the total memory of the kept calls of a slot.
const keptBytes = 8 << 20

func (s *spares) take() *task {
	for i := range s.kept {
		if s.kept[i].Load() == nil {
			continue
		}
		if c := s.kept[i].Swap(nil); c != nil {
			return c
		}
	}
	c, _ := s.rest.Get().(*task)
	return c
}

func (s *spares) give(c *task) {
	places := len(s.kept)
	if c.bytes > 0 {
		places = min(places, keptBytes/c.bytes)
	}
	for i := range s.kept[:places] {
		if s.kept[i].Load() == nil && s.kept[i].CompareAndSwap(nil, c) {
			return
		}
	}
	s.rest.Put(c)
}
