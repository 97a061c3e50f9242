package dispatch

import (
	"sync"
	"sync/atomic"
)

// spares are calls that are over and whose memory waits for later ones. The few that are
// kept are found whichever processor asks; those beyond go when memory is collected.
type spares struct {
	kept [8]atomic.Pointer[task]
	rest sync.Pool
}

// keptBytes is how much memory the kept calls of a slot may have together.
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
