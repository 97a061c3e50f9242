package bridge

import (
	"fmt"
	"log/slog"
	"runtime"
	"slices"
	"sync"
	"unsafe"

	"github.com/calliope-mlir/calliope/internal/dispatch"

	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/tensor"
)

// poisonedKept is the number of calls whose memory stays inaccessible. After that its
// address may be used again, and a late use is not detected any more.
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

// An original is the state of a frame before its views were replaced by copies.
type original struct {
	operandMemory, resultMemory []byte
	results, copies             []tensor.View // in XLA's memory, and the copies
	args                        int           // of the frame
	addresses                   []unsafe.Pointer
}

// debug gives copies to a function that would get views of XLA's memory. The copies become
// inaccessible when the call is over. A function on a worker goroutine gets copies in any
// case; see debugMemory.
func (f *frame) debug() error {
	s := f.site
	s.logCall(f)
	if !s.slot.InPlace(&f.run.calls) {
		return nil
	}
	m := &original{results: f.call.Results, args: f.args, addresses: f.addresses}
	var err error
	if m.operandMemory, m.resultMemory, err = f.move(s); err != nil {
		f.clearRun()
		return fmt.Errorf("memory for the debug mode: %w", err)
	}
	m.copies = slices.Clone(f.call.Results)
	f.original, f.args, f.addresses = m, -1, nil
	f.saveAddresses()
	return nil
}

// endDebug copies the results back, and makes the copies inaccessible.
func (f *frame) endDebug(err error) error {
	m, s := f.original, f.site
	if m == nil {
		return explainFault(region{slot: s.slot}, err)
	}
	err = explainFault(region{s.slot, m.operandMemory}, err)
	if err == nil {
		for i := range m.results {
			copy(m.results[i].Data, m.copies[i].Data)
		}
	}
	f.call.Results = m.results
	f.original, f.args, f.addresses = nil, m.args, m.addresses
	poison(region{s.slot, m.operandMemory})
	poison(region{s.slot, m.resultMemory})
	return err
}

// logCall logs a call.
func (s *site) logCall(f *frame) {
	s.slot.Log(slog.LevelDebug, "bridge: callback", "callback", s.name, "device", f.call.Device, "run", f.call.RunID,
		"operands", len(f.call.Args), "results", len(f.call.Results), "aliased", slices.Clone(f.aliased))
}

// warnUnprotected logs that memory could not be made inaccessible.
func warnUnprotected(s *dispatch.Slot, err error) {
	s.Log(slog.LevelWarn, "bridge: a late use of this call's views will not be caught", "callback", s.Name(), "error", err)
}

const debugAlign = 64

func debugSize(n int) int { return (n + debugAlign - 1) &^ (debugAlign - 1) }

// debugMemory is dispatch.RunOptions.Memory. The memory of a call on a worker goroutine
// becomes inaccessible when its function has returned.
func debugMemory(s *dispatch.Slot, n int) (memory []byte, over func()) {
	memory, err := mapMemory(n)
	if err != nil {
		warnUnprotected(s, err)
		return nil, nil
	}
	return memory, func() { poison(region{s, memory}) }
}

// move replaces the call's views by copies in new memory. Operands that are not results
// become read-only.
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
	var own []tensor.View // results that are not operands
	if !passthrough {
		own = f.call.Results
	}
	if operands, err = mapMemory(size(f.call.Args, f.call.IDs)); err != nil {
		return nil, nil, err
	}
	if results, err = mapMemory(size(own)); err != nil {
		unmapMemory(operands)
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
		if err := readOnly(operands); err != nil {
			return nil, nil, err
		}
	}
	return operands, results, nil
}

// poison makes the memory of a call inaccessible.
func poison(g region) {
	if err := noAccess(g.memory); err != nil {
		warnUnprotected(g.slot, err)
	}
	poisoned.Lock()
	defer poisoned.Unlock()
	poisoned.all = append(poisoned.all, g)
	if len(poisoned.all) > poisonedKept {
		unmapMemory(poisoned.all[0].memory)
		poisoned.all = poisoned.all[1:]
	}
}

// explainFault adds the reason to the error of a panic if a function accessed memory of
// debug mode. call is the call that panicked, with its operands.
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
			return fmt.Errorf("a view that callback %q was called with was used after that call: Clone what you keep: %w", g.slot.Name(), err)
		}
	}
	if call.holds(fault.Addr()) {
		return fmt.Errorf("the function wrote to its operands, which it may only read: Clone what you change: %w", err)
	}
	return err
}

func (g region) holds(address uintptr) bool {
	start := uintptr(unsafe.Pointer(unsafe.SliceData(g.memory)))
	return address >= start && address < start+uintptr(len(g.memory))
}
