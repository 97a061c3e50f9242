package engine

import (
	"github.com/calliope-mlir/calliope/internal/run/forgotten"
	"github.com/calliope-mlir/calliope/internal/run/lifetime"
)

// An unclosed is what an Array holds that is garbage without having been closed.
type unclosed struct {
	memory Memory
	life   *lifetime.Lifetime
	of     *Array
	at     string // in debug mode, the line that made the Array
}

var unclosedArrays forgotten.Guards[unclosed]

// Watch has the memory freed if the Array becomes garbage without having been closed. at is the line that made it, or
// "". It is for engines, and is called once, before others have the Array.
func (a *Array) Watch(at string) {
	a.given("Watch")
	a.guard = unclosedArrays.Watch(unclosed{a.memory, a.life, a.of, at})
}

// watch is Watch for an Array that this package makes, if the memory needs it.
func (a *Array) watch() {
	if at, ok := a.memory.Watched(); ok {
		a.Watch(at)
	}
}

// Forgotten is Array.Close. A view that was forgotten, too, keeps the memory.
func (u unclosed) Forgotten() {
	var err error
	if _, last := u.life.Close(); last {
		err = free(u.memory, u.of)
	}
	u.memory.NotClosed(u.at, err)
}
