package dispatch

import (
	"slices"
	"unsafe"

	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/internal/host/cached"
	"github.com/calliope-mlir/calliope/internal/run/dispatch/access"
	"github.com/calliope-mlir/calliope/tensor"
)

// copies is a frame with its own memory: operands and ids are copied, and results are zero,
// or have the elements of the operand whose memory is theirs. In the passthrough form the
// results are the operands. The memory is reused for a later call with arrays of the same types.
type copies struct {
	frame callbacks.Frame // the function's frame
	own   *access.Frame   // the part of frame that a runtime sets

	// memory holds Args, IDs and Results, unaffected by what the function does to its
	// frame; lists are the slices in the frame.
	memory, lists [3][]tensor.View
	bytes         int // size of the memory

	away func() // releases memory of the runtime; see RunOptions.Memory
}

// copyAlign is an alignment that suffices for every element type.
const copyAlign = 16

// copyAlone is the size from which an operand gets its own memory: append does not clear
// what it fills, and clearing large memory takes as long as copying it.
const copyAlone = 32 << 10

func aligned(n int) int { return (n + copyAlign - 1) &^ (copyAlign - 1) }

// copySize returns the size of a copy of the operands, in bytes.
func (f *Call) copySize() int {
	n := 0
	for _, v := range f.Args {
		n += aligned(len(v.Data))
	}
	for _, v := range f.IDs {
		n += aligned(len(v.Data))
	}
	return n
}

// fill copies f.
func (c *copies) fill(s *Slot, f *Call, run *Run) {
	passthrough := f.Config.Form == contract.Passthrough
	results := f.Results
	if passthrough {
		results = nil
	}
	from := [3][]tensor.View{f.Args, f.IDs, results}
	if fresh := run.memory(); fresh != nil {
		c.make(from, func(n int) ([]byte, func()) { return fresh(s, n) })
	} else if c.fits(from) {
		for i, list := range c.memory {
			for j, v := range list {
				if i < 2 {
					cached.Copy(v.Data, from[i][j].Data)
				} else {
					clear(v.Data)
				}
			}
		}
	} else {
		c.make(from, nil)
	}
	for i, v := range results { // one in the memory of an operand has its elements
		same := func(a tensor.View) bool { return unsafe.SliceData(a.Data) == unsafe.SliceData(v.Data) }
		if len(v.Data) > 0 && slices.ContainsFunc(f.Args, same) {
			cached.Copy(c.memory[2][i].Data, v.Data)
		}
	}
	lists := c.memory
	if passthrough {
		lists[2] = lists[0]
	}
	for i, list := range lists {
		c.lists[i] = append(c.lists[i][:0], list...)
	}
	c.frame = callbacks.Frame{
		Name: f.Name, Config: f.Config, Device: f.Device, RunID: f.RunID,
		Args: slices.Clip(c.lists[0]), IDs: slices.Clip(c.lists[1]), Results: slices.Clip(c.lists[2]),
		Attributes: f.Attributes,
	}
	c.own = access.FrameOf(&c.frame)
	c.own.Aliased = f.own.Aliased
}

// fits reports whether the memory fits arrays of these types.
func (c *copies) fits(from [3][]tensor.View) bool {
	for i, list := range c.memory {
		if len(list) != len(from[i]) {
			return false
		}
		for j, v := range list {
			if len(v.Data) != len(from[i][j].Data) || !v.Shape.Equal(from[i][j].Shape) {
				return false
			}
		}
	}
	return c.away == nil
}

// make allocates the memory. fresh is RunOptions.Memory, or nil.
func (c *copies) make(from [3][]tensor.View, fresh func(n int) ([]byte, func())) {
	total := 0
	for i, list := range from {
		for _, v := range list {
			if i == 2 || fresh != nil || len(v.Data) < copyAlone {
				total += aligned(len(v.Data))
			}
		}
	}
	var memory []byte
	if fresh != nil {
		memory, c.away = fresh(total)
	}
	if len(memory) < total {
		words := make([]complex128, total/copyAlign)
		memory = unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(words))), total)
	}
	c.bytes = 0
	for i, list := range from {
		for _, v := range list {
			c.bytes += len(v.Data)
		}
		c.memory[i] = make([]tensor.View, len(list))
		for j, v := range list {
			n := len(v.Data)
			var data []byte
			if i < 2 && fresh == nil && n >= copyAlone {
				data = slices.Clip(append([]byte(nil), v.Data...))
			} else {
				data, memory = memory[:n:n], memory[aligned(n):]
				if i < 2 {
					cached.Copy(data, v.Data)
				}
			}
			c.memory[i][j] = tensor.View{Shape: tensor.Shape{DType: v.Shape.DType, Dims: slices.Clone(v.Shape.Dims)},
				Data: data}
		}
	}
}

// give copies the results into the runtime's memory.
func (c *copies) give(origin *Call) error {
	from := c.memory[2]
	if origin.Config.Form == contract.Passthrough {
		from = c.memory[0]
	}
	if err := inPlace(&c.frame, from); err != nil {
		return err
	}
	for i, v := range from {
		cached.Copy(origin.Results[i].Data, v.Data)
	}
	return nil
}

// inPlace returns an error if a result is not in its expected memory.
func inPlace(f *callbacks.Frame, want []tensor.View) error {
	if len(f.Results) != len(want) {
		return &callbacks.ReplacedError{Result: min(len(f.Results), len(want))}
	}
	for i, v := range want {
		if got := f.Results[i].Data; unsafe.SliceData(got) != unsafe.SliceData(v.Data) || len(got) != len(v.Data) {
			return &callbacks.ReplacedError{Result: i}
		}
	}
	return nil
}

// release records that the function has returned, and reports whether the memory may be
// reused.
func (c *copies) release() bool {
	c.frame = callbacks.Frame{}
	if c.away != nil {
		c.away()
		*c = copies{}
		return false
	}
	return true
}
