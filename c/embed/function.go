package embed

/*
#include <stdlib.h>
#include "api.h"
*/
import "C"

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/tensor"
)

// A function is a C function that is registered as a callback.
type function struct {
	fn   C.calliope_function
	user C.uintptr_t
	drop func()

	// The template. signature is "" if there is none.
	signature     string
	args, results []tensor.Shape

	// uses is the number of calls that run, and 1 more while it is registered.
	uses  atomic.Int64
	calls sync.Pool // of *call
}

func newFunction(
	what string, fn C.calliope_function, user C.uintptr_t, in *C.calliope_options,
) (*function, callbacks.Options, error) {
	if fn == nil {
		return nil, callbacks.Options{}, invalid("%s: the function is NULL", what)
	}
	o, err := optionsOf(what, in)
	if err != nil {
		return nil, o, err
	}
	f := &function{fn: fn, user: user}
	if in != nil && in.has_template != 0 {
		if f.args, err = shapesOf(what, "args", in.args, in.num_args); err != nil {
			return nil, o, err
		}
		if f.results, err = shapesOf(what, "results", in.results, in.num_results); err != nil {
			return nil, o, err
		}
		f.signature = contract.Signature(f.args, f.results)
		o.Signature = f.signature
	}
	if in != nil && in.drop != nil {
		drop := in.drop
		f.drop = func() { C.calliope_shared_drop(drop, user) }
	}
	return f, o, nil
}

func (f *function) hold() { f.uses.Add(1) }

// release undoes hold. The last one drops the function.
func (f *function) release() {
	if f.uses.Add(-1) == 0 && f.drop != nil {
		f.drop()
	}
}

// enter is hold for a call. It returns false if the function was dropped: a call may have
// found it just before it was unregistered.
func (f *function) enter() bool {
	for {
		n := f.uses.Load()
		if n == 0 {
			return false
		}
		if f.uses.CompareAndSwap(n, n+1) {
			return true
		}
	}
}

// call is the callbacks.Func of the function.
func (f *function) call(frame *callbacks.Frame) error {
	if !f.enter() {
		return fmt.Errorf("callback %q was unregistered", frame.Name)
	}
	defer f.release()
	if err := f.check(frame); err != nil {
		return err
	}
	c, _ := f.calls.Get().(*call)
	if c == nil {
		c = newCall()
	}
	c.fill(frame)
	stop := c.stopWith(frame.Context())
	status := C.calliope_shared_invoke(f.fn, f.user, c.shared)
	err := c.end(status)
	if stop() {
		f.calls.Put(c)
	}
	return err
}

// check compares a call with the template. Many modules do not say what types they call with, so
// nothing compares these when the module is compiled, and a function in C would read
// and write outside of the arrays.
func (f *function) check(frame *callbacks.Frame) error {
	if f.signature == "" || same(f.args, frame.Args) && same(f.results, frame.Results) {
		return nil
	}
	return &callbacks.SignatureError{
		Callback: frame.Name, Have: f.signature, Want: contract.Signature(shapes(frame.Args), shapes(frame.Results)),
	}
}

func same(want []tensor.Shape, views []tensor.View) bool {
	return slices.EqualFunc(want, views, func(s tensor.Shape, v tensor.View) bool {
		return s.Equal(v.Shape)
	})
}

func shapes(views []tensor.View) []tensor.Shape {
	list := make([]tensor.Shape, len(views))
	for i, v := range views {
		list[i] = v.Shape
	}
	return list
}

// A call is the memory in C that a function gets. It is used again for other calls.
type call struct {
	shared *C.calliope_shared_call
	name   string
	room   int // arrays
	dims   int
	pinned runtime.Pinner
}

func newCall() *call {
	c := &call{shared: (*C.calliope_shared_call)(C.calloc(1, C.sizeof_calliope_shared_call))}
	c.shared.call.struct_size = C.sizeof_calliope_call
	runtime.AddCleanup(c, func(shared *C.calliope_shared_call) { free(shared) }, c.shared)
	return c
}

func free(shared *C.calliope_shared_call) {
	C.free(unsafe.Pointer(shared.call.name))
	C.free(unsafe.Pointer(shared.call.args)) // results and dims are in this block
	C.free(unsafe.Pointer(shared))
}

// fill writes a frame. Arrays of Go's memory are pinned until end.
func (c *call) fill(frame *callbacks.Frame) {
	s := &c.shared.call
	if c.name != frame.Name || s.name == nil {
		C.free(unsafe.Pointer(s.name))
		c.name, s.name = frame.Name, C.CString(frame.Name)
	}
	s.run_id, s.device = C.int64_t(frame.RunID), C.int32_t(frame.Device)
	arrays, dims := len(frame.Args)+len(frame.Results), 0
	for _, views := range [2][]tensor.View{frame.Args, frame.Results} {
		for i := range views {
			dims += len(views[i].Shape.Dims)
		}
	}
	if s.args == nil || arrays > c.room || dims > c.dims {
		C.free(unsafe.Pointer(s.args))
		c.room, c.dims = max(arrays, 1), dims
		s.args = (*C.calliope_array)(C.malloc(C.size_t(c.room*C.sizeof_calliope_array + c.dims*8)))
	}
	list := unsafe.Slice(s.args, c.room)
	next := (*C.int64_t)(unsafe.Add(unsafe.Pointer(s.args), c.room*C.sizeof_calliope_array))
	n := 0
	for _, views := range [2][]tensor.View{frame.Args, frame.Results} {
		for i := range views {
			next = c.array(&list[n], &views[i], next)
			n++
		}
	}
	s.num_args, s.num_results = C.size_t(len(frame.Args)), C.size_t(len(frame.Results))
	s.results = (*C.calliope_array)(unsafe.Add(unsafe.Pointer(s.args), len(frame.Args)*C.sizeof_calliope_array))
}

// array writes one array, and its dimensions at next. It returns where the next ones go.
func (c *call) array(to *C.calliope_array, v *tensor.View, next *C.int64_t) *C.int64_t {
	data := unsafe.Pointer(unsafe.SliceData(v.Data))
	if data != nil {
		c.pinned.Pin(data) // does nothing for XLA's memory
	}
	store(unsafe.Pointer(&to.data), data)
	store(unsafe.Pointer(&to.dims), unsafe.Pointer(next))
	to.size, to.rank = C.size_t(len(v.Data)), C.int32_t(len(v.Shape.Dims))
	to.dtype = C.calliope_dtype(numbers[v.Shape.DType])
	for _, d := range v.Shape.Dims {
		*next = C.int64_t(d)
		next = (*C.int64_t)(unsafe.Add(unsafe.Pointer(next), 8))
	}
	return next
}

// stopWith has calliope_stopped return 1 when the context ends. The result ends this. It returns
// false if the context has ended: then another goroutine may be about to write to the call, which must
// not be used again.
func (c *call) stopWith(ctx context.Context) (end func() bool) {
	if ctx.Done() == nil {
		return func() bool { return true }
	}
	return context.AfterFunc(ctx, func() {
		C.calliope_shared_stop(c.shared)
		runtime.KeepAlive(c)
	})
}

// end returns the error of a call, and clears what belongs to the call alone.
func (c *call) end(status C.calliope_status) error {
	c.pinned.Unpin()
	var message string
	if m := c.shared.message; m != nil {
		message = cText(string(unsafe.Slice((*byte)(unsafe.Pointer(m)), c.shared.message_size)))
		C.free(unsafe.Pointer(m))
		c.shared.message, c.shared.message_size = nil, 0
	}
	switch {
	case status == C.CALLIOPE_OK:
		return nil
	case message != "":
		return errors.New(message)
	}
	return fmt.Errorf("it returned the status %d, and no message", int32(status))
}
