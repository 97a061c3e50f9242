package bridge

import (
	"fmt"
	"hash/maphash"
	"runtime"
	"unsafe"

	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/internal/run/element"
	"github.com/calliope-mlir/calliope/internal/run/pjrt"
	"github.com/calliope-mlir/calliope/internal/text/callers"
	"github.com/calliope-mlir/calliope/tensor"
)

// canBorrow reports whether XLA can use an array of the host in place.
func canBorrow(v tensor.View) bool {
	return len(v.Data) > 0 && element.PackedBits(v.Shape.DType) == 0 &&
		uintptr(unsafe.Pointer(&v.Data[0]))%engine.Align == 0
}

// A loan is a host array that a device reads.
type loan struct {
	pjrt pjrt.Event // over when the plugin does not read the array any more
	pin  runtime.Pinner
	view tensor.View

	// In debug mode:
	hash uint64
	at   string // file and line of the call that borrowed it
}

var loanSeed = maphash.MakeSeed()

// borrow makes m an array in the host array's own memory.
func (m *deviceArray) borrow(v tensor.View, dtype int32) error {
	l := &loan{view: v}
	if m.client.debug {
		l.hash, l.at = maphash.Bytes(loanSeed, v.Data), callers.Line()
	}
	l.pin.Pin(unsafe.SliceData(v.Data))
	array, done, err := m.client.pjrt.Share(v.Data, dtype, m.shape.Dims, m.device)
	if err != nil {
		l.pin.Unpin()
		return pluginError("transfer to device", err)
	}
	l.pjrt, m.pjrt, m.loan = done, array, l
	m.client.memory.lend(int64(len(v.Data)))
	return nil
}

// Borrowed implements engine.Memory.
func (m *deviceArray) Borrowed() bool { return m.loan != nil }

// check returns an error in debug mode if the array changed.
func (l *loan) check(s tensor.Shape) error {
	if l.at == "" || maphash.Bytes(loanSeed, l.view.Data) == l.hash {
		return nil
	}
	return fmt.Errorf("bridge: the host array %s that was borrowed at %s was written to before its Array was freed: copy it with Client.ArrayFromHost if it must change", s, l.at)
}

// end unpins the array when the plugin does not read it any more.
func (l *loan) end(memory *memory) {
	n := int64(len(l.view.Data))
	back := func(error) {
		l.pin.Unpin()
		memory.lend(-n)
	}
	if over, _ := l.pjrt.Notify(back); over {
		back(nil)
	}
}
