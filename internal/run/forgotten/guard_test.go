package forgotten

import (
	"runtime"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
)

type held struct {
	n     int
	freed chan<- int
}

func (h held) Forgotten() { h.freed <- h.n }

type object struct{ guard *Guard[held] }

func TestGuard(t *testing.T) {
	freed := make(chan int, 8)
	var guards Guards[held]
	kept := object{guards.Watch(held{1, freed})}
	dropped := object{guards.Watch(held{2, freed})}
	guards.Drop(&dropped.guard)
	_ = object{guards.Watch(held{3, freed})} // may have the guard of 2
	guards.Drop(&dropped.guard)

	Settle()
	check.Diff(t, "freed", 3, <-freed)
	Settle() // the pool has nothing now
	check.Diff(t, "further ones", 0, len(freed))
	runtime.KeepAlive(kept)
}

func BenchmarkWatch(b *testing.B) {
	var guards Guards[held]
	b.ReportAllocs()
	for range b.N {
		g := guards.Watch(held{})
		guards.Drop(&g)
	}
}
