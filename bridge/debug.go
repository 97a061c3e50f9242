package bridge

import (
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync"
	"syscall"
	"unsafe"

	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/tensor"
)

// gravesKept is for how many calls the memory stays taken away. Later the address may
// be something else's, and a late use is not caught any more.
const gravesKept = 256

// grave is the memory of a call that is over. Nobody may touch it.
type grave struct {
	callback string
	logger   *slog.Logger
	memory   []byte
}

var graves struct {
	sync.Mutex
	all []grave // the oldest first
}

// debug makes a call that would see XLA's memory on a copy, which is taken away when
// it is over.
func (s *site) debug(f *frame, run *Run) error {
	s.slot.Logger().Debug("bridge: callback", "callback", s.name, "device", f.call.Device, "run", f.call.RunID,
		"operands", len(f.call.Args), "results", len(f.call.Results), "aliased", f.aliased)
	if !s.slot.InPlace(&run.calls) {
		return s.slot.Invoke(&f.call)
	}
	home := f.call.Results
	memory, err := f.move()
	if err != nil {
		return fmt.Errorf("bridge: callback %s: memory for the debug mode: %w", s.name, err)
	}
	kept := f.call.Results
	// A late use in this very goroutine then is an error of the call that it is in.
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	err = explainFault(s.slot.Invoke(&f.call))
	if err == nil {
		for i := range home {
			copy(home[i].Data, kept[i].Data)
		}
	}
	f.call.Results = home
	bury(grave{s.name, s.slot.Logger(), memory})
	return err
}

// move gives the call views of memory of its own.
func (f *frame) move() ([]byte, error) {
	const align = 64
	up := func(n int) int { return (n + align - 1) &^ (align - 1) }
	size := 0
	for _, v := range f.views {
		size += up(len(v.Data))
	}
	memory, err := syscall.Mmap(-1, 0, max(size, 1), syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		return nil, err
	}
	rest := memory
	take := func(views []tensor.View) []tensor.View {
		out := make([]tensor.View, len(views))
		for i, v := range views {
			n := len(v.Data)
			copy(rest, v.Data)
			out[i] = tensor.View{Shape: v.Shape, Data: rest[:n:n]}
			rest = rest[min(up(n), len(rest)):]
		}
		return out
	}
	shared := len(f.call.Results) > 0 && len(f.call.Args) > 0 && &f.call.Results[0] == &f.call.Args[0]
	f.call.Args, f.call.IDs = take(f.call.Args), take(f.call.IDs)
	if shared {
		f.call.Results = f.call.Args
	} else {
		f.call.Results = take(f.call.Results)
	}
	return memory, nil
}

// bury takes the memory of a call away.
func bury(g grave) {
	if err := syscall.Mprotect(g.memory, syscall.PROT_NONE); err != nil {
		g.logger.Warn("bridge: a late use of this call's views will not be caught", "callback", g.callback, "error", err)
	}
	graves.Lock()
	defer graves.Unlock()
	graves.all = append(graves.all, g)
	if len(graves.all) > gravesKept {
		_ = syscall.Munmap(graves.all[0].memory) // it was mapped by us
		graves.all = graves.all[1:]
	}
}

// explainFault says of a panic in a grave whose it is.
func explainFault(err error) error {
	var p *callbacks.PanicError
	if !errors.As(err, &p) {
		return err
	}
	fault, ok := p.Value.(interface{ Addr() uintptr })
	if !ok {
		return err
	}
	graves.Lock()
	defer graves.Unlock()
	for _, g := range graves.all {
		start := uintptr(unsafe.Pointer(unsafe.SliceData(g.memory)))
		if at := fault.Addr(); at >= start && at < start+uintptr(len(g.memory)) {
			return fmt.Errorf("bridge: a view that callback %q was called with was used after that call: Clone what is kept: %w", g.callback, err)
		}
	}
	return err
}
