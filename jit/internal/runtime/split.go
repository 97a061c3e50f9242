package runtime

// #include "split.h"
import "C"

import (
	"runtime"
	"sync"
	"sync/atomic"
	"unsafe"
)

// A split is a loop whose ranges a run computes together with helpers.
type split struct {
	help   func() // of this split
	mu     sync.Mutex
	loop   *C.calliope_jit_loop // nil once the run found no more ranges to take
	inside sync.WaitGroup       // the helpers that compute ranges
}

var splits = sync.Pool{New: func() any {
	s := &split{}
	s.help = s.assist
	return s
}}

// helpers is the number of goroutines of all runs that help, or will. With one run they take all processors.
var helpers atomic.Int64

// calliopeJITSplit returns when all ranges are computed. The thread of the run computes what no helper takes, so it
// waits for ranges that are being computed alone.
//
//export calliopeJITSplit
func calliopeJITSplit(loop *C.calliope_jit_loop) {
	s := splits.Get().(*split)
	s.set(loop)
	ranges, most := (loop.size+loop.grain-1)/loop.grain, int64(runtime.GOMAXPROCS(0)-1)
	for range min(most, int64(ranges)-1) {
		if helpers.Add(1) > most {
			helpers.Add(-1)
			break
		}
		go s.help()
	}
	C.calliope_jit_take(loop, nil)
	s.set(nil)
	s.inside.Wait()
	splits.Put(s)
}

func (s *split) set(loop *C.calliope_jit_loop) {
	s.mu.Lock()
	s.loop = loop
	s.mu.Unlock()
}

// assist helps with the loop. If the goroutine starts too late for it, there is none, or that of a later run.
func (s *split) assist() {
	defer helpers.Add(-1)
	s.mu.Lock()
	loop := s.loop
	if loop == nil {
		s.mu.Unlock()
		return
	}
	s.inside.Add(1)
	s.mu.Unlock()
	if loop.memory == 0 {
		C.calliope_jit_take(loop, nil)
	} else {
		own, _ := memories.Get().(*[]byte)
		if own == nil || len(*own) < int(loop.memory)+lineSize {
			own = new(make([]byte, int(loop.memory)+lineSize))
		}
		C.calliope_jit_take(loop, aligned(*own))
		memories.Put(own)
	}
	s.inside.Done()
}

// memories has memory of helpers, *[]byte, which later ones use again.
var memories sync.Pool

// lineSize is the size of a cache line, or of the widest vector, in bytes.
const lineSize = 64

// aligned returns the first line in memory.
func aligned(memory []byte) unsafe.Pointer {
	skip := -uintptr(unsafe.Pointer(unsafe.SliceData(memory))) & (lineSize - 1)
	return unsafe.Pointer(&memory[skip])
}
