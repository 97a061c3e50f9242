package bridge

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/calliope-mlir/calliope/bridge/internal/hlo"
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/internal/element"
	"github.com/calliope-mlir/calliope/internal/pjrt"
	"github.com/calliope-mlir/calliope/tensor"
)

// A handover has the tokens that a run in flight has passed to the runs after it.
type handover struct {
	device  int           // -1 if the run is on several devices
	leading bool          // whether the arrays are tokens of JAX, which XLA cannot copy
	arrays  []pjrt.Array  // for each effect of the run; nil if it is on several devices
	uses    atomic.Int32  // by the run, and by those that have taken a token
	over    chan struct{} // closed when the run is over
	failure error         // of the run, when it is over
}

// done ends a use.
func (h *handover) done() {
	if h.uses.Add(-1) > 0 {
		return
	}
	for _, a := range h.arrays {
		_ = a.Destroy() // there is no caller to return the error to
	}
}

// An order is what a run has to do with its Sequence. Its methods may be called on nil, for
// a run without runtime tokens.
type order struct {
	sequence *Sequence
	turn     bool         // whether it has the turn of the Sequence
	args     []pjrt.Array // for each effect; nil for runs on several devices
	taken    []*handover  // to which args belong
	copies   []pjrt.Array // args that no other run uses
	passed   *handover    // nil if the run was over, or refused, when it was launched
}

// enterSequence waits for the run's turn in its Sequence.
func (r *Run) enterSequence(ctx context.Context) error {
	o := &order{sequence: r.exec.client.sequenceOf(ctx)}
	if err := o.sequence.enter(ctx); err != nil {
		if err == errGateClosed {
			err = fmt.Errorf("bridge: run: %w", err)
		}
		return err
	}
	o.turn = true
	r.order = o
	return nil
}

func (o *order) leave() {
	if o.turn {
		o.turn = false
		o.sequence.leave()
	}
}

// take takes the tokens for the run, or waits for the runs that return them.
func (o *order) take(ctx context.Context, r *Run) error {
	if o == nil {
		return nil
	}
	tokens, others := o.sequence.find(r.exec.effects)
	for _, t := range tokens {
		if t.of != nil {
			o.taken = append(o.taken, t.of)
		}
	}
	o.taken = append(o.taken, others...)
	for _, t := range tokens {
		var a pjrt.Array // see fill
		if t.of != nil {
			var err error
			if a, err = o.arg(ctx, r, t); err != nil {
				return err
			}
		}
		o.args = append(o.args, a)
	}
	for _, h := range others {
		if err := o.wait(ctx, r, h); err != nil {
			return err
		}
	}
	for i := range r.exec.NumDevices() {
		if err := r.exec.client.ready.make(r.exec.client, r.deviceAt(i)); err != nil {
			return err
		}
	}
	return nil
}

// arg returns the token as an array on the run's device. It returns the zero Array if the
// run that returns the token is over.
func (o *order) arg(ctx context.Context, r *Run, t lastToken) (pjrt.Array, error) {
	c := r.exec.client
	switch {
	case r.served.Several || t.of.device < 0 || t.of.leading && (t.of.device != r.device || !r.exec.leading):
		return pjrt.Array{}, o.wait(ctx, r, t.of)
	case t.of.device == r.device:
		return t.of.arrays[t.i], nil
	}
	a, err := c.pjrt.CopyTo(t.of.arrays[t.i], r.device)
	if err != nil {
		return a, pluginError("copy a token to another device", err)
	}
	o.copies = append(o.copies, a)
	return a, nil
}

// wait waits until an earlier run is over.
func (o *order) wait(ctx context.Context, r *Run, h *handover) error {
	err := r.exec.client.behind.waitFor(ctx, h.over)
	if err == errGateClosed {
		err = fmt.Errorf("bridge: run: %w", err)
	}
	return err
}

// fill sets the tokens as arguments on each device.
func (o *order) fill(r *Run, perDevice int) {
	for d := range r.exec.NumDevices() {
		ready := r.exec.client.ready.on(r.deviceAt(d))
		for i, a := range o.args {
			if a.IsNil() {
				a = ready
			}
			r.pjrt.SetArg(d*(perDevice+len(o.args))+r.exec.firstToken(perDevice)+i, a)
		}
	}
	for i := range o.args {
		r.pjrt.Keep(r.exec.firstToken(perDevice) + i)
	}
}

// deviceAt returns the i-th device of the run.
func (r *Run) deviceAt(i int) int {
	if r.exec.devices != nil {
		return r.exec.devices[i]
	}
	return r.device
}

// pass passes the run's tokens to the next run, once the run is launched, and ends its turn.
func (o *order) pass(r *Run, launched pjrt.Launched) {
	e := r.exec
	switch launched {
	case pjrt.Over:
		o.sequence.set(e.effects, nil)
	case pjrt.Pending:
		h := &handover{device: -1, over: make(chan struct{})}
		h.uses.Store(1)
		if !r.served.Several {
			h.device, h.leading = r.device, e.leading
			for i := range e.effects {
				a := r.pjrt.Output(e.firstToken(e.outputs) + i)
				a.Made()
				h.arrays = append(h.arrays, a)
			}
		}
		o.passed = h
		o.sequence.set(e.effects, h)
	}
	o.leave()
}

// cause returns a *engine.SequenceError instead of err if the run was not executed because one
// before it failed. err is XLA's error of the run, which is over. So the runs before it are
// over in XLA, too, and here soon.
func (o *order) cause(err error) error {
	if o == nil {
		return err
	}
	for _, h := range o.taken {
		<-h.over
		if h.failure == nil || h.device < 0 { // the run waited for it before its launch
			continue
		}
		if earlier, ok := errors.AsType[*engine.SequenceError](h.failure); ok {
			return earlier
		}
		return &engine.SequenceError{Err: h.failure}
	}
	return err
}

// over records the end of the run, with its error.
func (o *order) over(r *Run, err error) {
	if o == nil {
		return
	}
	if err != nil {
		r.exec.client.failed.add(r, err)
	}
	if h := o.passed; h != nil {
		o.sequence.over(h)
		h.failure = err
		close(h.over)
	}
}

// exited records that XLA never reports the end of the run.
func (o *order) exited(err error) {
	if o == nil {
		return
	}
	if h := o.passed; h != nil {
		o.sequence.over(h)
		h.failure = err
		close(h.over)
	}
	o.leave()
}

// release ends the use of the tokens that the run has taken and passed.
func (o *order) release() {
	if o == nil {
		return
	}
	for _, a := range o.copies {
		_ = a.Destroy() // there is no caller to return the error to
	}
	for _, h := range o.taken {
		h.done()
	}
	if o.passed != nil {
		o.passed.done()
	}
	o.copies, o.taken, o.passed, o.args = nil, nil, nil, nil
	o.leave()
}

// destroyTokens destroys the tokens of a run that is over, unless it has passed them.
func (r *Run) destroyTokens() {
	e := r.exec
	if r.order == nil || r.order.passed != nil && r.order.passed.arrays != nil {
		return
	}
	tokens := len(e.effects)
	for d := range e.NumDevices() {
		for i := range tokens {
			array := r.pjrt.Output(d*(e.outputs+tokens) + e.firstToken(e.outputs) + i)
			array.Made()
			_ = array.Destroy() // there is no caller to return the error to
		}
	}
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
