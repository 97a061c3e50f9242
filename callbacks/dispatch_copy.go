package callbacks

import (
	"slices"
	"unsafe"

	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/tensor"
)

// copyAlign is an alignment that every element type is content with.
const copyAlign = 16

// copyAlone is the size from which on an operand gets memory of its own: append does not
// clear what it fills, and large memory takes as long to clear as to copy.
const copyAlone = 32 << 10

func aligned(n int) int { return (n + copyAlign - 1) &^ (copyAlign - 1) }

// copySize is the number of bytes that a copy of the operands takes.
func (f *Frame) copySize() int {
	n := 0
	for _, v := range f.Args {
		n += aligned(len(v.Data))
	}
	for _, v := range f.IDs {
		n += aligned(len(v.Data))
	}
	return n
}

// copies makes a frame with memory of its own: operands and ids are copied, results
// are zero. In the passthrough form the results are the operands.
func (f *Frame) copies() *Frame {
	passthrough := f.Config.Form == contract.Passthrough
	total := 0
	for _, list := range [][]tensor.View{f.Args, f.IDs} {
		for _, v := range list {
			if len(v.Data) < copyAlone {
				total += aligned(len(v.Data))
			}
		}
	}
	if !passthrough {
		for _, v := range f.Results {
			total += aligned(len(v.Data))
		}
	}
	words := make([]complex128, total/copyAlign)
	memory := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(words))), total)
	take := func(list []tensor.View, fill bool) []tensor.View {
		out := make([]tensor.View, len(list))
		for i, v := range list {
			n := len(v.Data)
			var data []byte
			if fill && n >= copyAlone {
				data = slices.Clip(append([]byte(nil), v.Data...))
			} else {
				data, memory = memory[:n:n], memory[aligned(n):]
				if fill {
					copy(data, v.Data)
				}
			}
			out[i] = tensor.View{Shape: tensor.ShapeOf(v.Shape.DType, v.Shape.Dims...), Data: data}
		}
		return out
	}
	own := &Frame{Name: f.Name, Config: f.Config, Device: f.Device, RunID: f.RunID, aliased: f.aliased}
	own.Args, own.IDs = take(f.Args, true), take(f.IDs, true)
	if passthrough {
		own.Results = own.Args
	} else {
		own.Results = take(f.Results, false)
	}
	return own
}

// memories is where the views are, whatever a function does to the views.
func memories(views []tensor.View) [][]byte {
	list := make([][]byte, len(views))
	for i, v := range views {
		list[i] = v.Data
	}
	return list
}

// Aliased reports whether result i is the memory of operand i in the runtime, so that
// nothing was copied for it.
func (f *Frame) Aliased(i int) bool { return i >= 0 && i < len(f.aliased) && f.aliased[i] }

// SetAliased is for the runtime that makes the call; it may keep the slice.
func (f *Frame) SetAliased(aliased []bool) { f.aliased = aliased }
