package bridge

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/calliope-mlir/calliope/bridge/internal/hlo"
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/internal/run/element"
	"github.com/calliope-mlir/calliope/internal/run/pjrt"
	"github.com/calliope-mlir/calliope/tensor"
)

// hideTokens checks that the last parameters and results are the tokens of the effects, and
// removes them from the lists of parameters and results.
func (e *Executable) hideTokens(effects []string) error {
	n := len(effects)
	if n == 0 || e.leading && slices.Equal(effects, e.effects) { // of a saved program
		return nil
	}
	if e.leading {
		return fmt.Errorf("the program has runtime tokens for %d effects (%q) beside the tokens of JAX: only one of the two is possible", n, effects)
	}
	token := tensor.ShapeOf(tensor.Pred, 0)
	fail := func(what string) error {
		return fmt.Errorf("the program has runtime tokens for %d effects (%q), but the last %d %s are not all %s; make them with passes.AddRuntimeTokens", n, effects, n, what, token)
	}
	if e.outputs < n || e.known && len(e.params) < n {
		return fail("parameters and results")
	}
	if e.known {
		for _, s := range e.params[len(e.params)-n:] {
			if !s.Equal(token) {
				return fail("parameters")
			}
		}
		e.params = e.params[:len(e.params)-n]
	}
	if e.results != nil {
		for _, r := range e.results[len(e.results)-n:] {
			if !r.Shape.Equal(token) {
				return fail("results")
			}
		}
		e.results = e.results[:len(e.results)-n]
	}
	e.outputs -= n
	e.effects = effects
	return nil
}

// hideJAXTokens makes the tokens of JAX's ordered effects runtime tokens: the parameters and results
// before all others, as many of one as of the other. XLA takes an empty array for each.
func (e *Executable) hideJAXTokens() {
	n := hlo.LeadingTokens(e.params)
	if n == 0 || len(e.results) < n {
		return
	}
	for _, r := range e.results[:n] {
		if r.Shape.DType != tensor.Token {
			return
		}
	}
	for i := range n {
		e.effects = append(e.effects, contract.JAXEffect(i))
	}
	e.params, e.results, e.outputs, e.leading = e.params[n:], e.results[n:], e.outputs-n, true
}

// firstToken returns the index of the first runtime token in the parameters or results of one
// device, of which n are none.
func (e *Executable) firstToken(n int) int {
	if e.leading {
		return 0
	}
	return n
}

// afterTokens returns the number of runtime tokens before the parameters or results of one device.
func (e *Executable) afterTokens() int {
	if e.leading {
		return len(e.effects)
	}
	return 0
}

// takeTokens takes the tokens for the run from the runs before it.
func (r *Run) takeTokens(ctx context.Context) error {
	if r.order == nil {
		return nil
	}
	if err := r.order.Take(ctx); err != nil {
		if _, failed := errors.AsType[*pjrt.Error](err); failed {
			err = pluginError("copy a token to another device", err)
		}
		return err
	}
	for i := range r.exec.NumDevices() {
		if err := r.exec.client.ready.make(r.exec.client, r.deviceAt(i)); err != nil {
			return err
		}
	}
	return nil
}

// fillTokens sets the tokens as arguments on each device.
func (r *Run) fillTokens(perDevice int) {
	args := r.order.Args()
	for d := range r.exec.NumDevices() {
		ready := r.exec.client.ready.on(r.deviceAt(d))
		for i, a := range args {
			if a.IsNil() {
				a = ready
			}
			r.pjrt.SetArg(d*(perDevice+len(args))+r.exec.firstToken(perDevice)+i, a)
		}
	}
	for i := range args {
		r.pjrt.Keep(r.exec.firstToken(perDevice) + i)
	}
}

// token returns the i-th token that the run returns on its d-th device.
func (r *Run) token(d, i int) pjrt.Array {
	e := r.exec
	a := r.pjrt.Output(d*(e.outputs+len(e.effects)) + e.firstToken(e.outputs) + i)
	a.Made()
	return a
}

// passTokens passes the run's tokens to the next run, once the run is launched.
func (r *Run) passTokens(launched pjrt.Launched) {
	var tokens []pjrt.Array
	if launched == pjrt.Pending && !r.served.Several {
		for i := range r.exec.effects {
			tokens = append(tokens, r.token(0, i))
		}
	}
	r.order.Pass(launched, tokens)
}

// destroyTokens destroys the tokens of a run that is over, unless it has passed them.
func (r *Run) destroyTokens() {
	if r.order == nil || r.order.HasTokens() {
		return
	}
	for d := range r.exec.NumDevices() {
		for i := range r.exec.effects {
			_ = r.token(d, i).Destroy() // there is no caller to return the error to
		}
	}
}

// deviceAt returns the i-th device of the run.
func (r *Run) deviceAt(i int) int {
	if r.exec.devices != nil {
		return r.exec.devices[i]
	}
	return r.device
}

// readyTokens are tokens of no run, for the first runs in a Sequence.
type readyTokens struct {
	mu     sync.Mutex
	arrays []pjrt.Array // by device
}

// make makes the token of a device, if there is none.
func (t *readyTokens) make(c *Client, device int) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.arrays == nil {
		t.arrays = make([]pjrt.Array, c.NumDevices())
	}
	if !t.arrays[device].IsNil() {
		return nil
	}
	a, copied, err := c.pjrt.Put(nil, element.ToPJRT(tensor.Pred), []int{0}, device)
	if err != nil {
		return pluginError("transfer to device", err)
	}
	if !copied.IsNil() {
		_, _ = copied.Notify(func(error) {}) // XLA waits for the array itself
	}
	t.arrays[device] = a
	return nil
}

// on returns the token of a device, which make has made.
func (t *readyTokens) on(device int) pjrt.Array {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.arrays[device]
}

func (t *readyTokens) destroy() (err error) {
	for _, a := range t.arrays {
		if !a.IsNil() {
			err = errors.Join(err, a.Destroy())
		}
	}
	t.arrays = nil
	return err
}
