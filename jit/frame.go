package jit

import (
	"fmt"
	"runtime"
	"unsafe"

	"github.com/calliope-mlir/calliope/experimental/capi"
	"github.com/calliope-mlir/calliope/tensor"
)

// A frame is the memory of a run: what the packed function takes, and the arena.
type frame struct {
	memory    unsafe.Pointer // of C, for all of it
	addresses []unsafe.Pointer
	// What the addresses lead to: the arrays and, last, the arena. They are numbers because those of arrays stay after
	// a run: Go's collector, which looks at a pointer that is overwritten, would find one to memory that it has freed.
	buffers []uintptr
	pins    runtime.Pinner
}

func newFrame(arrays, arena int) (*frame, error) {
	const word = int(unsafe.Sizeof(uintptr(0)))
	n := arrays + 1
	table := (2*n*word + alignment - 1) &^ (alignment - 1)
	f := &frame{memory: capi.Alloc(alignment + table + arena)}
	if f.memory == nil {
		return nil, fmt.Errorf("jit: call: there is no memory for temporaries of %d bytes", arena)
	}
	start := unsafe.Add(f.memory, -uintptr(f.memory)&(alignment-1))
	f.addresses = unsafe.Slice((*unsafe.Pointer)(start), n)
	f.buffers = unsafe.Slice((*uintptr)(unsafe.Add(start, n*word)), n)
	for i := range f.addresses {
		f.addresses[i] = unsafe.Pointer(&f.buffers[i])
		f.buffers[i] = uintptr(unsafe.Add(start, table))
	}
	return f, nil
}

// set gives the code an array. A copy stands in for an input that is not aligned.
func (f *frame) set(i int, v tensor.View, input bool) {
	if len(v.Data) == 0 {
		f.buffers[i] = f.buffers[len(f.buffers)-1]
		return
	}
	if input && uintptr(unsafe.Pointer(&v.Data[0]))%uintptr(v.Shape.DType.Size()) != 0 {
		v = v.Clone()
	}
	f.pin(&v.Data[0])
	f.buffers[i] = uintptr(unsafe.Pointer(&v.Data[0]))
}

// pin pins Go memory until the run ends. It ignores C memory, for which Pin panics.
func (f *frame) pin(p *byte) {
	defer func() { _ = recover() }()
	f.pins.Pin(p)
}

func (f *frame) free() { capi.Free(f.memory) }
