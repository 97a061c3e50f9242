package legacy

import (
	"fmt"

	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/internal/run/legacycall"
	"github.com/calliope-mlir/calliope/tensor"
)

// A Value is an operand or the result of a function in a Host form: an array, or a tuple of Values. It is
// valid until the function returns.
type Value struct {
	tensor.View         // of an array
	Elements    []Value // of a tuple; nil for an array
}

// A Stream is the handle of a GPU stream. It is 0 on CPU.
type Stream uintptr

// GoFunc is a function of Go in one of the forms, in their order: Host, HostStatus, HostOpaque, GPU and
// GPUStatus. An error is the failure of the status. The function writes to the memory of out, or to that of the
// buffers after the operands, and must not write to operands. buffers are valid until it returns.
type GoFunc interface {
	func(out Value, in []Value) |
		func(out Value, in []Value) error |
		func(out Value, in []Value, opaque string) error |
		func(stream Stream, buffers []tensor.View, opaque string) |
		func(stream Stream, buffers []tensor.View, opaque string) error
}

// Go returns a function of Go, with the form of its type. It panics if the function is nil.
func Go[F GoFunc](function F) *Function {
	f := &Function{}
	set := func(form Form, call func(*callbacks.Frame, *call) error, isNil bool) {
		if isNil {
			panic(fmt.Sprintf("callbacks/legacy: the function of the form %s is nil", form))
		}
		f.form, f.call = form, call
	}
	switch fn := any(function).(type) {
	case func(Value, []Value):
		set(Host, func(frame *callbacks.Frame, c *call) error {
			fn(c.values(frame))
			return nil
		}, fn == nil)
	case func(Value, []Value) error:
		set(HostStatus, func(frame *callbacks.Frame, c *call) error { return fn(c.values(frame)) }, fn == nil)
	case func(Value, []Value, string) error:
		set(HostOpaque, func(frame *callbacks.Frame, c *call) error {
			out, in := c.values(frame)
			return fn(out, in, c.key.opaque)
		}, fn == nil)
	case func(Stream, []tensor.View, string):
		set(GPU, func(frame *callbacks.Frame, c *call) error {
			fn(0, buffers(frame), c.key.opaque)
			return nil
		}, fn == nil)
	case func(Stream, []tensor.View, string) error:
		set(GPUStatus, func(frame *callbacks.Frame, c *call) error { return fn(0, buffers(frame), c.key.opaque) },
			fn == nil)
	}
	return f
}

// buffers returns the arrays of a call in the order of the GPU forms.
func buffers(f *callbacks.Frame) []tensor.View {
	list := make([]tensor.View, 0, len(f.Args)+len(f.Results))
	return append(append(list, f.Args...), f.Results...)
}

// values returns the result and the operands of a call.
func (c *call) values(f *callbacks.Frame) (out Value, in []Value) {
	rest := f.Args
	for _, n := range c.in {
		in = append(in, valueOf(n, &rest))
	}
	rest = f.Results
	return valueOf(c.out, &rest), in
}

// valueOf takes the arrays of a value off a list.
func valueOf(n legacycall.Nest, rest *[]tensor.View) Value {
	if !n.Tuple {
		v := Value{View: (*rest)[0]}
		*rest = (*rest)[1:]
		return v
	}
	v := Value{Elements: make([]Value, len(n.Elements))}
	for i, e := range n.Elements {
		v.Elements[i] = valueOf(e, rest)
	}
	return v
}
