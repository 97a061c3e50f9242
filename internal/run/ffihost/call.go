package ffihost

// #include "host.h"
import "C"

import (
	"slices"
	"unsafe"

	"github.com/calliope-mlir/calliope/internal/run/element"
	"github.com/calliope-mlir/calliope/tensor"
)

// A call is the memory of one call of a site: the frame, with arrays of some shapes.
type call struct {
	memory
	frame         *C.ffi_frame
	run           *C.host_run
	buffers       []C.ffi_buffer // of the arguments and the results
	args, results []tensor.Shape
}

// take returns memory for a call in a stage.
func (s *Site) take(stage int, args, results []tensor.View) *call {
	if stage == execute {
		s.mu.Lock()
		var c *call
		if n := len(s.idle); n > 0 {
			c, s.idle = s.idle[n-1], s.idle[:n-1]
		}
		s.mu.Unlock()
		if c != nil && fits(c.args, args) && fits(c.results, results) {
			return c
		}
		if c != nil {
			c.free()
		}
	}
	return s.newCall(stage, args, results)
}

func fits(shapes []tensor.Shape, views []tensor.View) bool {
	return slices.EqualFunc(shapes, views, func(s tensor.Shape, v tensor.View) bool { return s.Equal(v.Shape) })
}

func (s *Site) newCall(stage int, args, results []tensor.View) *call {
	c := &call{}
	c.frame = (*C.ffi_frame)(c.bytes(C.sizeof_ffi_frame))
	c.run = (*C.host_run)(c.bytes(C.sizeof_host_run))
	c.buffers = list[C.ffi_buffer](&c.memory, len(args)+len(results))
	*c.frame = C.ffi_frame{stage: C.int32_t(stage), attrs: s.attrs}
	c.frame.args = c.values(c.buffers[:len(args)], args)
	c.frame.results = c.values(c.buffers[len(args):], results)
	if stage == execute {
		c.args, c.results = shapesOf(args), shapesOf(results)
	}
	return c
}

func shapesOf(views []tensor.View) []tensor.Shape {
	shapes := make([]tensor.Shape, len(views))
	for i, v := range views {
		shapes[i] = v.Shape.Clone()
	}
	return shapes
}

// put keeps the memory of a call that is over.
func (s *Site) put(c *call) {
	if c.frame.stage != execute {
		c.free()
		return
	}
	s.mu.Lock()
	s.idle = append(s.idle, c)
	s.mu.Unlock()
}

// values returns arrays as operands or results, without their elements.
func (c *call) values(buffers []C.ffi_buffer, views []tensor.View) C.ffi_values {
	kinds, items := list[C.int32_t](&c.memory, len(views)), list[unsafe.Pointer](&c.memory, len(views))
	for i, v := range views {
		dims := list[C.int64_t](&c.memory, v.Shape.Rank())
		for k, d := range v.Shape.Dims {
			dims[k] = C.int64_t(d)
		}
		buffers[i] = C.ffi_buffer{struct_size: C.sizeof_ffi_buffer, dtype: C.int32_t(element.ToFFI(v.Shape.DType)),
			rank: C.int64_t(len(dims)), dims: unsafe.SliceData(dims)}
		kinds[i], items[i] = C.FFI_KIND_BUFFER, unsafe.Pointer(&buffers[i])
	}
	return C.ffi_values{struct_size: C.sizeof_ffi_values, size: C.int64_t(len(views)), kinds: unsafe.SliceData(kinds),
		items: unsafe.SliceData(items)}
}

// set makes the call one of a run, with the elements of arrays. The caller keeps them alive. Addresses are numbers,
// because Go's collector would look at those of the last call.
func (c *call) set(args, results []tensor.View, r Run) {
	for i, v := range args {
		c.setArray(i, v)
	}
	for i, v := range results {
		c.setArray(len(args)+i, v)
	}
	*c.run = C.host_run{id: C.int64_t(r.ID), device: C.int32_t(r.Device), num_data: C.int64_t(len(r.Data)),
		data: C.uintptr_t(uintptr(unsafe.Pointer(unsafe.SliceData(r.Data))))}
}

// setArray sets the elements of an array, which are packed if they have less than a byte.
func (c *call) setArray(i int, v tensor.View) {
	b := &c.buffers[i]
	bits := element.PackedBits(v.Shape.DType)
	if bits == 0 {
		*(*uintptr)(unsafe.Pointer(&b.data)) = uintptr(unsafe.Pointer(unsafe.SliceData(v.Data)))
		return
	}
	n := element.PackedSize(len(v.Data), bits)
	if b.data == nil {
		b.data = c.bytes(n)
	}
	element.Packed{Values: v.Data, To: unsafe.Slice((*byte)(b.data), n), Bits: bits}.Pack()
}

// unpack gives the results what the handler has written to packed arrays.
func (c *call) unpack(results []tensor.View) {
	first := len(c.buffers) - len(results)
	for i, v := range results {
		if bits := element.PackedBits(v.Shape.DType); bits > 0 {
			copy(v.Data, element.Unpack(v.Shape.DType, c.buffers[first+i].data, len(v.Data), bits))
		}
	}
}
