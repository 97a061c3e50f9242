package ffi

// #include "ffi_handler.h"
import "C"

import "unsafe"

// Call is the frame of one call. It is in C memory and belongs to XLA.
type Call C.calliope_call

// RunID returns the launch id of the run that the call belongs to, 0 if none was given.
func (c *Call) RunID() int64 { return int64(c.run_id) }

// Hosted reports whether the run is one of a host, whose launch ids this module did not give.
func (c *Call) Hosted() bool { return c.host != 0 }

// Device returns the ordinal of the device that the call runs on.
func (c *Call) Device() int { return int(c.device) }

// Stream returns the stream (CUstream) of a call whose operands and results are in the
// device's memory. ok is false if they are in host memory.
func (c *Call) Stream() (stream unsafe.Pointer, ok bool) { return c.stream, c.on_device != 0 }

// Args returns the operands.
func (c *Call) Args() *Buffers { return (*Buffers)(&c.frame.args) }

// Results returns the results.
func (c *Call) Results() *Buffers { return (*Buffers)(&c.frame.results) }

// Narrow reduces the call's operands to those from first up to end, for calls whose outer
// operands are not data. The function that it returns must be called to undo this: the
// frame is XLA's, for this call alone.
func (c *Call) Narrow(first, end int) (restore func()) {
	return c.Args().narrow(first, end)
}

// SkipTokens removes the tokens from the beginning of the operands and of the results. The
// function that it returns must be called to undo this. It is nil if there are none.
func (c *Call) SkipTokens() (restore func()) {
	args, results := (*Buffers)(&c.frame.args).tokens(), (*Buffers)(&c.frame.results).tokens()
	if args == 0 && results == 0 {
		return nil
	}
	undoArgs := (*Buffers)(&c.frame.args).narrow(args, c.Args().Len())
	undoResults := (*Buffers)(&c.frame.results).narrow(results, c.Results().Len())
	return func() { undoArgs(); undoResults() }
}

// tokens returns the number of tokens at the beginning.
func (b *Buffers) tokens() (n int) {
	for n < b.Len() {
		if t := b.At(n); t == nil || t.DType() != TokenType {
			break
		}
		n++
	}
	return n
}

// narrow reduces the buffers to those from first up to end.
func (b *Buffers) narrow(first, end int) (restore func()) {
	was := *b
	b.kinds = (*C.int32_t)(unsafe.Add(unsafe.Pointer(b.kinds), first*4))
	b.items = (*unsafe.Pointer)(unsafe.Add(unsafe.Pointer(b.items), first*8))
	b.size = C.int64_t(end - first)
	return func() { *b = was }
}

// Future is a call that is not over when its handler returns.
type Future struct {
	api    *C.ffi_api
	future *C.ffi_future
}

// Defer makes the call go on after Execute returns, until Finish. XLA keeps the memory of
// its operands and results, and nothing else of the call. The result is false if XLA
// cannot wait.
func (c *Call) Defer() (Future, bool) {
	if c.api == nil {
		return Future{}, false // made by package ffitest
	}
	future := C.calliope_ffi_defer((*C.calliope_call)(c))
	return Future{c.api, future}, future != nil
}

// Finish ends the call, with an error if code, an absl status code, is not 0. It must be
// called once, on any thread. XLA may go on with the run before Finish returns.
func (f Future) Finish(code int32, message string) {
	var text *C.char
	if code != 0 {
		text = cMessage(message)
	}
	C.calliope_ffi_finish(f.api, f.future, C.int32_t(code), text)
}

// Buffers are the operands or the results of a call.
type Buffers C.ffi_values

// Len returns the number of operands or results.
func (b *Buffers) Len() int { return max(int(b.size), 0) }

// At returns operand or result i, which must be below Len, or nil if it is not a
// buffer. It stands in the path of every call, and uses addresses because slices
// made of C's pointers cost a multiple of what it does.
func (b *Buffers) At(i int) *Buffer {
	kind := *(*C.int32_t)(unsafe.Add(unsafe.Pointer(b.kinds), i*4))
	buffer := *(**Buffer)(unsafe.Add(unsafe.Pointer(b.items), i*8))
	if kind != C.FFI_KIND_BUFFER || buffer == nil || buffer.struct_size < C.sizeof_ffi_buffer {
		return nil
	}
	return buffer
}

// Buffer is an operand or a result in XLA's memory.
type Buffer C.ffi_buffer

// DType returns the number of the element type in XLA's PrimitiveType.
func (b *Buffer) DType() int32 { return int32(b.dtype) }

// Data returns the address of the elements. It may be nil if there are none.
func (b *Buffer) Data() unsafe.Pointer { return b.data }

// SetData sets the address of the elements, for a call whose elements are copied elsewhere. It
// must be set back before Execute returns: the buffer is XLA's, for this call alone. The
// address must be C's.
func (b *Buffer) SetData(p unsafe.Pointer) { b.data = p }

// Rank returns the number of dimensions that the buffer says it has. It may make no sense.
func (b *Buffer) Rank() int { return int(b.rank) }

// Dim returns dimension i, which must be below Rank, or -1 if there are no dimensions.
func (b *Buffer) Dim(i int) int {
	if b.dims == nil {
		return -1
	}
	return *(*int)(unsafe.Add(unsafe.Pointer(b.dims), i*8))
}

// Dims returns the dimensions in XLA's own memory, and false if their number makes no
// sense.
func (b *Buffer) Dims() ([]int, bool) {
	if b.rank == 0 {
		return nil, true
	}
	if b.rank < 0 || b.rank > 1<<16 || b.dims == nil {
		return nil, false
	}
	return unsafe.Slice((*int)(unsafe.Pointer(b.dims)), int(b.rank)), true
}
