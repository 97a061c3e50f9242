package bridge

import (
	"errors"
	"fmt"
	"slices"

	"github.com/calliope-mlir/calliope/bridge/internal/element"
	"github.com/calliope-mlir/calliope/internal/pjrt"
	"github.com/calliope-mlir/calliope/tensor"
)

// finish is called once, when XLA has finished the run or refused it.
func (r *Run) finish(refused bool) {
	err := r.pjrt.Error()
	if failed := r.calls.Err(); failed != nil {
		err = failed
	} else if err != nil {
		err = r.order.cause(pluginError("execute", err))
	}
	var outputs []*Buffer
	switch {
	case refused:
	case err != nil:
		r.destroyOutputs()
	default:
		r.destroyTokens()
		outputs, err = r.wrap()
	}
	r.order.over(r, err)
	r.mu.Lock()
	abandoned := r.abandoned
	if !abandoned {
		// Wait returns the error of a callback, Start does not.
		r.outputs, r.err, r.refused = outputs, err, refused && r.calls.Err() == nil
		r.settled = true
	}
	r.mu.Unlock()
	if abandoned {
		for _, b := range outputs {
			_ = b.Close() // there is no caller to return the error to
		}
	}
	r.release()
	// What the run held is freed before waits for all runs end.
	runs.remove(r)
	r.calls.End()
	r.mu.Lock()
	r.over = true
	if r.ended != nil {
		close(r.ended)
	}
	if r.wake != nil && !abandoned {
		close(r.wake)
	}
	r.mu.Unlock()
}

// release ends the use of everything that the run needed.
func (r *Run) release() {
	e := r.exec
	for _, in := range r.inputs {
		if err := in.buffer.done(); err != nil && in.buffer.loan != nil {
			e.client.logError("bridge: the end of a run", "run", r.id, "executable", e.name(), "error", err)
		}
	}
	r.inputs = nil
	clear(r.few[:])
	r.order.release()
	if r.reserved > 0 {
		e.client.memory.release(r.reserved, e.resultBytes)
	}
	if !r.pjrt.IsNil() {
		e.runMemory.Put(r.pjrt)
		r.pjrt = pjrt.Run{}
	}
	if e.devices == nil {
		if r.gates > 0 {
			e.client.gates[r.device].leave()
		}
	} else {
		for _, device := range e.ordered[:r.gates] {
			e.client.gates[device].leave()
		}
	}
	_ = e.done()
}

// destroyOutputs destroys the outputs of a run that failed.
func (r *Run) destroyOutputs() {
	for i := range r.exec.outputs * r.exec.NumDevices() {
		array := r.output(i)
		array.Made()
		_ = array.Destroy() // the run's error says more
	}
	r.destroyTokens()
}

// output returns output i, counted over all devices, without the tokens.
func (r *Run) output(i int) pjrt.Array {
	return r.pjrt.Output(i + i/r.exec.outputs*len(r.exec.effects) + r.exec.afterTokens())
}

// wrap makes the Buffers of the outputs of a run.
func (r *Run) wrap() ([]*Buffer, error) {
	e := r.exec
	client := e.client
	n := e.outputs * e.NumDevices()
	list, made := newBuffers(n)
	lives := make([]lifetime, n)
	for i := range list {
		b := &made[i]
		list[i] = b
		b.life, b.client, b.device, b.pjrt = &lives[i], client, r.device, r.output(i)
		b.ready.Store(true)
		if e.devices != nil {
			b.device = e.devices[i/e.outputs]
		}
		b.pjrt.Made()
		client.life.addUse()
	}
	if e.results != nil {
		for i := range made {
			result := &e.results[i%e.outputs]
			made[i].shape, made[i].order = result.Shape, result.Order
			made[i].watch(r.at)
		}
		r.reserved = 0 // from now on each Buffer counts itself
		return list, nil
	}
	var err error
	for i := range made {
		b := &made[i]
		if b.shape, err = shapeOf(b.pjrt); err == nil {
			b.order, err = orderIn(b.pjrt)
		}
		if err != nil {
			b.shape = tensor.Shape{}
			break
		}
		b.asked = true
	}
	for i := range made {
		_ = client.memory.reserve("", 1, 0, 0)
		client.memory.bytes.Add(deviceBytes(made[i].shape))
		made[i].watch(r.at)
	}
	if err != nil {
		for _, b := range list {
			_ = b.Close() // the error of the shape says more
		}
		return nil, err
	}
	return list, nil
}

// newBuffers returns buffers and a list of them. Most runs have one, which takes one
// allocation.
func newBuffers(n int) ([]*Buffer, []Buffer) {
	if n == 1 {
		one := new(struct {
			made [1]Buffer
			list [1]*Buffer
		})
		return one.list[:], one.made[:]
	}
	return make([]*Buffer, n), make([]Buffer, n)
}

func shapeOf(a pjrt.Array) (tensor.Shape, error) {
	dtype, dims, err := a.Shape()
	if err != nil {
		return tensor.Shape{}, pluginError("shape of an output", err)
	}
	of := element.OfPJRT(dtype)
	if of == tensor.Invalid {
		return tensor.Shape{},
			fmt.Errorf("bridge: an output has the unknown element type %d of PJRT_Buffer_Type", dtype)
	}
	return tensor.ShapeOf(of, dims...), nil
}

// orderIn returns the order of an array's dimensions in memory, as in hlo.Result.
func orderIn(a pjrt.Array) ([]int, error) {
	order, ok, err := a.MinorToMajor()
	if err != nil {
		return nil, pluginError("layout of an output", err)
	}
	if !ok {
		return nil, errors.New("bridge: an output has a layout that is not an order of its dimensions: remove mhlo.layout_mode from the module")
	}
	slices.Reverse(order)
	if slices.IsSorted(order) {
		return nil, nil
	}
	return order, nil
}
