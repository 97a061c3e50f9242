package bridge

import (
	"errors"
	"fmt"
	"slices"

	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/internal/run/element"
	"github.com/calliope-mlir/calliope/internal/run/ffi/serve"
	"github.com/calliope-mlir/calliope/internal/run/pjrt"
	"github.com/calliope-mlir/calliope/tensor"
)

// finish is called once, when XLA has finished the run or refused it.
func (r *Run) finish(refused bool) {
	err := r.pjrt.Error()
	if failed := r.served.Calls.Err(); failed != nil {
		err = failed
	} else if err != nil {
		err = r.order.Cause(pluginError("execute", err))
	}
	var outputs []*engine.Array
	switch {
	case refused:
	case err != nil:
		r.destroyOutputs()
	default:
		r.destroyTokens()
		outputs, err = r.wrap()
	}
	if r.order != nil && err != nil {
		r.exec.client.failed.add(r, err)
	}
	r.order.End(err)
	// Wait returns the error of a callback, Start does not.
	if r.outcome.Settle(outputs, err, refused && r.served.Calls.Err() == nil) {
		for _, b := range outputs {
			_ = b.Close() // there is no caller to return the error to
		}
	}
	r.release()
	// What the run held is freed before waits for all runs end.
	serve.Remove(&r.served)
	r.served.Calls.End()
	r.outcome.End()
}

// release ends the use of everything that the run needed.
func (r *Run) release() {
	e := r.exec
	for _, in := range r.inputs {
		if err := in.use.End(); err != nil && in.array.loan != nil {
			e.client.logError("bridge: the end of a run", "run", r.served.ID(), "executable", e.name(), "error", err)
		}
	}
	r.inputs = nil
	clear(r.few[:])
	r.order.Release()
	if r.reserved > 0 {
		e.client.memory.release(r.reserved, e.resultBytes)
	}
	if !r.pjrt.IsNil() {
		e.runMemory.Put(r.pjrt)
		r.pjrt = pjrt.Run{}
	}
	if e.devices == nil {
		if r.gates > 0 {
			e.client.gates[r.device].Leave()
		}
	} else {
		for _, device := range e.ordered[:r.gates] {
			e.client.gates[device].Leave()
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

// wrap makes the Arrays of the outputs of a run.
func (r *Run) wrap() ([]*engine.Array, error) {
	e := r.exec
	client := e.client
	n := e.outputs * e.NumDevices()
	memories := make([]deviceArray, n)
	for i := range memories {
		m := &memories[i]
		m.client, m.device, m.pjrt = client, r.device, r.output(i)
		m.ready.Store(true)
		if e.devices != nil {
			m.device = e.devices[i/e.outputs]
		}
		m.pjrt.Made()
		client.life.AddUse()
	}
	err := r.shape(memories)
	list := engine.NewArrays(memories)
	for _, a := range list {
		a.Watch(r.at)
	}
	if err != nil {
		engine.CloseAll(list)
		return nil, err
	}
	return list, nil
}

// shape sets the shapes and layouts of the outputs, and counts their memory.
func (r *Run) shape(memories []deviceArray) (err error) {
	e := r.exec
	if e.results != nil {
		for i := range memories {
			result := &e.results[i%e.outputs]
			memories[i].shape, memories[i].order = result.Shape, result.Order
		}
		r.reserved = 0 // from now on each array counts itself
		return nil
	}
	for i := range memories {
		m := &memories[i]
		if m.shape, err = shapeOf(m.pjrt); err == nil {
			m.order, err = orderIn(m.pjrt)
		}
		if err != nil {
			m.shape = tensor.Shape{}
			break
		}
		m.asked = true
	}
	for i := range memories {
		_ = e.client.memory.reserve("", 1, 0, 0)
		e.client.memory.bytes.Add(deviceBytes(memories[i].shape))
	}
	return err
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
