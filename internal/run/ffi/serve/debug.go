package serve

import (
	"fmt"
	"log/slog"
	"runtime"
	"slices"
	"unsafe"

	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/internal/host/pages"
	"github.com/calliope-mlir/calliope/internal/run/dispatch"
	"github.com/calliope-mlir/calliope/tensor"
)

// A region is the memory of a call that is over. It is poisoned: an access is a fault.
type region struct {
	slot   *dispatch.Slot
	memory []byte
}

var poisoned pages.Poisoned[*dispatch.Slot]

// An original is the state of a frame before its views were replaced by copies.
type original struct {
	operandMemory, resultMemory []byte
	guards                      []guarded     // of both
	results, copies             []tensor.View // in XLA's memory, and the copies
	args                        int           // of the frame
	addresses                   []unsafe.Pointer
}

// debug gives copies to a function that would get views of XLA's memory. The copies become
// inaccessible when the call is over. A function on a worker goroutine gets copies in any
// case; see DebugMemory.
func (f *frame) debug() error {
	s := f.site
	s.logCall(f)
	if !s.slot.InPlace(&f.run.Calls) {
		return nil
	}
	m := &original{results: f.call.Results, args: f.args, addresses: f.addresses}
	if err := f.move(m, s); err != nil {
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
		return explainFault(region{slot: s.slot}, nil, err)
	}
	err = explainFault(region{s.slot, m.operandMemory}, m.guards, err)
	for i := 0; i < len(m.guards) && err == nil; i++ {
		err = m.guards[i].check()
	}
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
	s.Log(slog.LevelWarn, "bridge: a late use of this call's views will not be caught", "callback", s.Name(), "error",
		err)
}

const debugAlign = 64

func debugSize(n int) int { return (n + debugAlign - 1) &^ (debugAlign - 1) }

// DebugMemory is dispatch.RunOptions.Memory of a run in debug mode. The memory of a call on a worker goroutine
// becomes inaccessible when its function has returned. A page that cannot be accessed is at its end.
func DebugMemory(s *dispatch.Slot, n int) (memory []byte, over func()) {
	whole, err := pages.Map(guardedSize(n))
	if err == nil {
		g, _ := guard(whole, "copies", tensor.View{Data: make([]byte, n)})
		memory, err = g.data(), pages.NoAccess(g.fence())
	}
	if err != nil {
		warnUnprotected(s, err)
		return nil, nil
	}
	return memory, func() { poison(region{s, whole}) }
}

// move replaces the call's views by copies in new memory. Operands that are not results
// become read-only.
func (f *frame) move(m *original, s *site) error {
	passthrough := s.form == formPassthrough
	var own []tensor.View // results that are not operands
	if !passthrough {
		own = f.call.Results
	}
	size := func(lists ...[]tensor.View) (n int) {
		for _, list := range lists {
			for _, v := range list {
				n += guardedSize(len(v.Data))
			}
		}
		return n
	}
	var err error
	if m.operandMemory, err = pages.Map(size(f.call.Args, f.call.IDs)); err != nil {
		return err
	}
	if m.resultMemory, err = pages.Map(size(own)); err != nil {
		pages.Unmap(m.operandMemory)
		return err
	}
	take := func(rest *[]byte, name string, views []tensor.View) []tensor.View {
		out := make([]tensor.View, len(views))
		for i, v := range views {
			var g guarded
			g, *rest = guard(*rest, fmt.Sprint(name, " ", i), v)
			m.guards = append(m.guards, g)
			out[i] = tensor.View{Shape: v.Shape, Data: g.data()}
		}
		return out
	}
	rest := m.operandMemory
	f.call.Args, f.call.IDs = take(&rest, "operand", f.call.Args), take(&rest, "id", f.call.IDs)
	if passthrough {
		f.call.Results = slices.Clone(f.call.Args)
	} else {
		rest = m.resultMemory
		f.call.Results = take(&rest, "result", own)
		if err := pages.ReadOnly(m.operandMemory); err != nil {
			return err
		}
	}
	for i := range m.guards {
		if err := pages.NoAccess(m.guards[i].fence()); err != nil {
			return err
		}
	}
	return nil
}

// poison makes the memory of a call inaccessible.
func poison(g region) {
	if err := poisoned.Add(g.memory, g.slot); err != nil {
		warnUnprotected(g.slot, err)
	}
}

// explainFault adds the reason to the error of a panic if a function accessed memory of
// debug mode. call is the call that panicked, with its operands, and guards are of its arrays.
func explainFault(call region, guards []guarded, err error) error {
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
	if slot, late := poisoned.Owner(fault.Addr()); late {
		return fmt.Errorf("a view that callback %q was called with was used after that call: Clone what you keep: %w", slot.Name(), err)
	}
	for i := range guards {
		if pages.Holds(guards[i].fence(), fault.Addr()) {
			return fmt.Errorf("the function accessed memory beyond the end of %s, %s: stay within the array: %w",
				guards[i].name, guards[i].shape, err)
		}
	}
	if pages.Holds(call.memory, fault.Addr()) {
		return fmt.Errorf("the function wrote to its operands, which it may only read: Clone what you change: %w", err)
	}
	return err
}
