package jit

import (
	"context"
	"fmt"
	"maps"
	goruntime "runtime"
	"sync"
	"unsafe"

	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/internal/host/trim"
	"github.com/calliope-mlir/calliope/internal/run/dispatch"
	"github.com/calliope-mlir/calliope/jit/internal/callback"
	"github.com/calliope-mlir/calliope/jit/internal/product"
	"github.com/calliope-mlir/calliope/jit/internal/runtime"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/mlir/execution"
	"github.com/calliope-mlir/calliope/tensor"
)

// ErrClosed is in the error of a call of a closed Executable.
var ErrClosed = callbacks.ErrClosed

// An Executable is a compiled module. It is safe for concurrent use: calls at the same time have memory of their own,
// which later calls use again.
type Executable struct {
	inputs, outputs []tensor.Shape
	donors          map[int]int // by result, the parameter whose memory it takes; see Donor
	arena           int         // bytes that a run needs besides its inputs and outputs
	calls           *callback.Calls
	engine          *execution.Engine
	main            unsafe.Pointer
	compiler        *compiler // until the module is compiled
	profiler        *profiler // nil if runs are not measured
	level           int       // of LLVM's optimizations
	copies          bool      // arrays that are changed in place are copies: see rewrite

	mu     sync.Mutex
	idle   []*frame
	runs   int
	closed bool
	over   bool // closed, and nothing runs
	then   []func()
}

// Inputs returns the shapes of the parameters.
func (e *Executable) Inputs() []tensor.Shape { return engine.Cloned(e.inputs) }

// Outputs returns the shapes of the results.
func (e *Executable) Outputs() []tensor.Shape { return engine.Cloned(e.outputs) }

// Temporaries returns how many bytes a run needs besides those of its inputs and outputs.
func (e *Executable) Temporaries() int { return e.arena }

// NumDevices returns 1.
func (e *Executable) NumDevices() int { return 1 }

// Call runs the module on arrays, which it reads in place, and returns the results in new ones. If a callback fails,
// the run ends, and the error is a *callbacks.CallError. ctx is the context of the callbacks. If it ends, so does the
// run: it leaves a callback that goes on, and otherwise ends at its next callback or the next iteration of a while,
// for compiled code cannot be stopped elsewhere. Therefore callbacks get copies of their arrays, on another goroutine,
// if ctx can end.
func (e *Executable) Call(ctx context.Context, inputs ...tensor.View) ([]tensor.View, error) {
	outputs := make([]tensor.View, len(e.outputs))
	for i, s := range e.outputs {
		outputs[i] = tensor.View{Shape: s.Clone(), Data: aligned(s.NumBytes())}
	}
	if err := e.CallInto(ctx, outputs, inputs...); err != nil {
		return nil, err
	}
	return outputs, nil
}

// aligned returns memory that is aligned for every element type.
func aligned(n int) []byte {
	words := make([]uint64, (n+7)/8)
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(words))), len(words)*8)[:n]
}

// CallInto is like Call, and stores the results in the memory of outputs, which must be aligned for their elements and
// must overlap neither one another nor the inputs. But a result may be in the memory of its [Executable.Donor], which
// the run then overwrites. Otherwise that parameter is copied to the result first. After the first call CallInto
// allocates nothing, unless the module has callbacks, or ctx can end and the module has loops that end with it.
func (e *Executable) CallInto(ctx context.Context, outputs []tensor.View, inputs ...tensor.View) error {
	return e.CallInPlace(ctx, outputs, inputs, func(int) bool { return false })
}

// CallInPlace is like CallInto, and callbacks get the memory of the inputs for which inPlace is true. Of others they
// get copies, so that a function that writes to its arguments, which it may not, does not change the caller's arrays.
func (e *Executable) CallInPlace(
	ctx context.Context, outputs, inputs []tensor.View, inPlace func(input int) bool,
) error {
	if err := dispatch.Ended(ctx); err != nil {
		return err
	}
	if err := hold("input", inputs, e.inputs); err != nil {
		return err
	}
	if err := hold("output", outputs, e.outputs); err != nil {
		return err
	}
	f, err := e.take()
	if err != nil {
		return err
	}
	for result, parameter := range e.donors {
		copy(outputs[result].Data, inputs[parameter].Data) // returns at once if they are the same memory
	}
	defer e.put(f)
	var kept []tensor.View
	for i, v := range inputs {
		f.set(i, v, true)
		if e.calls.Any() && !inPlace(i) && !e.donated(i, v, outputs) {
			kept = append(kept, v)
		}
	}
	for i, v := range outputs {
		f.set(len(inputs)+i, v, false)
	}
	if e.profiler == nil {
		err = e.calls.Run(ctx, e.main, &f.addresses[0], kept)
	} else {
		err = e.profiler.run(func() error { return e.calls.Run(ctx, e.main, &f.addresses[0], kept) })
	}
	goruntime.KeepAlive(inputs)
	goruntime.KeepAlive(outputs)
	return err
}

// donated reports whether a result is in the memory of an input.
func (e *Executable) donated(parameter int, in tensor.View, outputs []tensor.View) bool {
	for result, donor := range e.donors {
		if donor == parameter && unsafe.SliceData(outputs[result].Data) == unsafe.SliceData(in.Data) {
			return true
		}
	}
	return false
}

// Barrier waits until every callback of every earlier call is done, and returns the errors of taps since the last one,
// as callbacks.Barrier does for all.
func (e *Executable) Barrier(ctx context.Context, name string) error {
	return e.calls.Barrier(ctx, name)
}

// hold returns an error if arrays do not have the shapes that the module states.
func hold(what string, got []tensor.View, want []tensor.Shape) error {
	if len(got) != len(want) {
		return fmt.Errorf("jit: call: there are %d %ss, and the module has %d", len(got), what, len(want))
	}
	for i, v := range got {
		if !v.Shape.Equal(want[i]) {
			return fmt.Errorf("jit: call: %s %d is %s, and the module has %s", what, i, v.Shape, want[i])
		}
		if err := v.Check(); err != nil {
			return fmt.Errorf("jit: call: %s %d: %w", what, i, err)
		}
	}
	return nil
}

// link gives the code of a module the functions that it calls, and compiles it.
func (e *Executable) link(m *mlir.Module) error {
	symbols, err := product.Kernels(m)
	if err != nil {
		return err
	}
	maps.Copy(symbols, runtime.Math())
	maps.Copy(symbols, runtime.Symbols())
	for name, address := range symbols {
		if err := e.engine.Register(name, address); err != nil {
			return err
		}
	}
	if err = e.engine.Initialize(); err != nil {
		return err
	}
	e.main, err = e.engine.Packed("main")
	return err
}

// Run runs the module as Call does. It takes the inputs of package engine, arrays in the host's memory, and reads them
// in place. A result of a donated parameter is in its memory; see Donor. The results are in the host's memory, too, and
// the caller must close them. The error for an input is an *engine.InputError.
func (e *Executable) Run(ctx context.Context, inputs ...engine.Input) ([]*engine.Array, error) {
	if err := dispatch.Ended(ctx); err != nil {
		return nil, err
	}
	in, err := engine.TakeOnHost(inputs, e.inputs)
	if err != nil {
		return nil, err
	}
	defer in.Release()
	results, memory, err := in.Results(e.outputs, e.Donor)
	if err != nil {
		return nil, err
	}
	if err := e.CallInPlace(ctx, memory, in.Views, in.InPlace); err != nil {
		engine.CloseAll(results)
		return nil, err
	}
	return results, nil
}

// OnClose registers a function to be called when the executable is closed and its last run is over, or at once if that
// has happened. If f is nil, OnClose does nothing.
func (e *Executable) OnClose(f func()) {
	if f == nil {
		return
	}
	e.mu.Lock()
	over := e.over
	if !over {
		e.then = append(e.then, f)
	}
	e.mu.Unlock()
	if over {
		f()
	}
}

// Close releases the module. Runs in flight go on. Closing it again does nothing.
func (e *Executable) Close() error {
	e.mu.Lock()
	if e.closed {
		e.mu.Unlock()
		return nil
	}
	e.closed = true
	return e.unlock()
}

// unlock unlocks mu. It frees the memory if the executable is closed, and once nothing runs the rest.
func (e *Executable) unlock() (err error) {
	var then []func()
	if e.closed {
		for _, f := range e.idle {
			f.free()
		}
		e.idle = nil
		if e.over = e.runs == 0; e.over {
			e.calls.Close()
			err = e.engine.Close()
			trim.Soon()
			then, e.then = e.then, nil
		}
	}
	e.mu.Unlock()
	for _, f := range then {
		f()
	}
	return err
}

// take returns the memory for a run.
func (e *Executable) take() (*frame, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return nil, fmt.Errorf("jit: the executable is %w", ErrClosed)
	}
	e.runs++
	if n := len(e.idle); n > 0 {
		f := e.idle[n-1]
		e.idle = e.idle[:n-1]
		return f, nil
	}
	f, err := newFrame(len(e.inputs)+len(e.outputs), e.arena)
	if err != nil {
		e.runs--
	}
	return f, err
}

// put takes the memory back.
func (e *Executable) put(f *frame) {
	f.pins.Unpin()
	e.mu.Lock()
	e.runs--
	e.idle = append(e.idle, f)
	_ = e.unlock() // never an error
}
