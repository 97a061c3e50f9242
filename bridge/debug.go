package bridge

import (
	"fmt"
	"log/slog"
	"runtime"
	"slices"
	"sync"
	"syscall"
	"unsafe"

	"github.com/calliope-mlir/calliope/internal/dispatch"

	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/tensor"
)

// poisonedKept is the number of calls whose memory stays inaccessible. Later the address may
// be something else's, and a late use is not caught any more.
const poisonedKept = 256

// A region is the memory of a call that is over. It is poisoned: an access is a fault.
type region struct {
	slot   *dispatch.Slot
	memory []byte
}

var poisoned struct {
	sync.Mutex
	all []region // the oldest first
}

// moved is what a call had before its views were moved to memory of its own.
type moved struct {
	operands, results []byte
	home, kept        []tensor.View // Results of XLA's and of the copy
	args              int           // of the frame
	homes             []unsafe.Pointer
}

// debug has a function that would see XLA's memory see a copy, which is taken away when
// the call is over. A function on a goroutine of its own has copies that are; see
// debugMemory.
func (f *frame) debug() error {
	s := f.site
	s.logCall(f)
	if !s.slot.InPlace(&f.run.calls) {
		return nil
	}
	m := &moved{home: f.call.Results, args: f.args, homes: f.homes}
	var err error
	if m.operands, m.results, err = f.move(s); err != nil {
		f.drop()
		return fmt.Errorf("bridge: callback %s: memory for the debug mode: %w", s.name, err)
	}
	m.kept = slices.Clone(f.call.Results)
	f.moved, f.args, f.homes = m, -1, nil
	f.settle()
	return nil
}

// endDebug copies the results back, and takes the copies away.
func (f *frame) endDebug(err error) error {
	m, s := f.moved, f.site
	if m == nil {
		return explainFault(region{slot: s.slot}, err)
	}
	err = explainFault(region{s.slot, m.operands}, err)
	if err == nil {
		for i := range m.home {
			copy(m.home[i].Data, m.kept[i].Data)
		}
	}
	f.call.Results = m.home
	f.moved, f.args, f.homes = nil, m.args, m.homes
	poison(region{s.slot, m.operands})
	poison(region{s.slot, m.results})
	return err
}

// logCall tells of a call.
func (s *site) logCall(f *frame) {
	s.slot.Log(slog.LevelDebug, "bridge: callback", "callback", s.name, "device", f.call.Device, "run", f.call.RunID,
		"operands", len(f.call.Args), "results", len(f.call.Results), "aliased", slices.Clone(f.aliased))
}

// notCaught tells that memory could not be taken away.
func notCaught(s *dispatch.Slot, err error) {
	s.Log(slog.LevelWarn, "bridge: a late use of this call's views will not be caught", "callback", s.Name(), "error", err)
}

const debugAlign = 64

func debugSize(n int) int { return (n + debugAlign - 1) &^ (debugAlign - 1) }

// mapMemory is memory of its own pages.
func mapMemory(n int) ([]byte, error) {
	return syscall.Mmap(-1, 0, max(n, 1), syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
}

// debugMemory is dispatch.RunOptions.Memory: what a call on a goroutine of ours has is
// taken away when its function has returned.
func debugMemory(s *dispatch.Slot, n int) (memory []byte, over func()) {
	memory, err := mapMemory(n)
	if err != nil {
		notCaught(s, err)
		return nil, nil
	}
	return memory, func() { poison(region{s, memory}) }
}

// move gives the call views of memory of its own. Operands that are no results can only
// be read.
func (f *frame) move(s *site) (operands, results []byte, err error) {
	size := func(lists ...[]tensor.View) (n int) {
		for _, list := range lists {
			for _, v := range list {
				n += debugSize(len(v.Data))
			}
		}
		return n
	}
	passthrough := s.form == formPassthrough
	var own []tensor.View // results that are no operands
	if !passthrough {
		own = f.call.Results
	}
	if operands, err = mapMemory(size(f.call.Args, f.call.IDs)); err != nil {
		return nil, nil, err
	}
	if results, err = mapMemory(size(own)); err != nil {
		_ = syscall.Munmap(operands) // it was mapped by us
		return nil, nil, err
	}
	take := func(rest *[]byte, views []tensor.View) []tensor.View {
		out := make([]tensor.View, len(views))
		for i, v := range views {
			n := len(v.Data)
			copy(*rest, v.Data)
			out[i] = tensor.View{Shape: v.Shape, Data: (*rest)[:n:n]}
			*rest = (*rest)[min(debugSize(n), len(*rest)):]
		}
		return out
	}
	rest := operands
	f.call.Args, f.call.IDs = take(&rest, f.call.Args), take(&rest, f.call.IDs)
	if passthrough {
		f.call.Results = slices.Clone(f.call.Args)
	} else {
		rest = results
		f.call.Results = take(&rest, own)
		if err := syscall.Mprotect(operands, syscall.PROT_READ); err != nil {
			return nil, nil, err
		}
	}
	return operands, results, nil
}

// poison makes the memory of a call inaccessible.
func poison(g region) {
	if err := syscall.Mprotect(g.memory, syscall.PROT_NONE); err != nil {
		notCaught(g.slot, err)
	}
	poisoned.Lock()
	defer poisoned.Unlock()
	poisoned.all = append(poisoned.all, g)
	if len(poisoned.all) > poisonedKept {
		_ = syscall.Munmap(poisoned.all[0].memory) // it was mapped by us
		poisoned.all = poisoned.all[1:]
	}
}

// explainFault says of a panic at an address of ours what was done wrong. call is the one
// that panicked, with its operands.
func explainFault(call region, err error) error {
	p, ok := err.(*callbacks.PanicError)
	if !ok {
		return err
	}
	if _, ok := p.Value.(runtime.Error); !ok {
		return err
	}
	fault, ok := p.Value.(interface{ Addr() uintptr })
	if !ok {
		return err
	}
	poisoned.Lock()
	defer poisoned.Unlock()
	for _, g := range poisoned.all {
		if g.holds(fault.Addr()) {
			return fmt.Errorf("bridge: a view that callback %q was called with was used after that call: Clone what is kept: %w", g.slot.Name(), err)
		}
	}
	if call.holds(fault.Addr()) {
		return fmt.Errorf("bridge: callback %q wrote to its operands, which it may only read: Clone what is to be changed: %w", call.slot.Name(), err)
	}
	return err
}

func (g region) holds(address uintptr) bool {
	start := uintptr(unsafe.Pointer(unsafe.SliceData(g.memory)))
	return address >= start && address < start+uintptr(len(g.memory))
}
