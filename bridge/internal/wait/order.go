package wait

import (
	"context"

	"github.com/calliope-mlir/calliope/internal/run/pjrt"
)

// An Order is what a run has to do with its Sequence. Its methods other than Args may be called on nil, for a run
// without runtime tokens.
type Order struct {
	sequence *Sequence
	effects  []string
	at       Place
	turn     bool         // whether it has the turn of the Sequence
	args     []pjrt.Array // for each effect; nil arrays for runs on several devices
	taken    []*handover  // to which args belong
	copies   []pjrt.Array // args that no other run uses
	passed   *handover    // nil if the run was over, or refused, when it was launched
}

// A Place says where a run is.
type Place struct {
	Client  *pjrt.Client
	Device  int  // -1 if it is on several devices
	Leading bool // whether its tokens are those of JAX, which XLA cannot copy
}

// Enter waits for the turn of a run with some effects. The error may be ErrClosed.
func (s *Sequence) Enter(ctx context.Context, effects []string, at Place) (*Order, error) {
	if err := s.enter(ctx); err != nil {
		return nil, err
	}
	return &Order{sequence: s, effects: effects, at: at, turn: true}, nil
}

func (o *Order) leave() {
	if o.turn {
		o.turn = false
		o.sequence.leave()
	}
}

// Take takes the tokens for the run, or waits for the runs that return them. The error may be ErrClosed, or one of the
// plugin.
func (o *Order) Take(ctx context.Context) error {
	if o == nil {
		return nil
	}
	tokens, others := o.sequence.find(o.effects)
	for _, t := range tokens {
		if t.of != nil {
			o.taken = append(o.taken, t.of)
		}
	}
	o.taken = append(o.taken, others...)
	for _, t := range tokens {
		var a pjrt.Array // see Args
		if t.of != nil {
			var err error
			if a, err = o.arg(ctx, t); err != nil {
				return err
			}
		}
		o.args = append(o.args, a)
	}
	for _, h := range others {
		if err := o.sequence.behind.WaitFor(ctx, h.over); err != nil {
			return err
		}
	}
	return nil
}

// arg returns the token as an array on the run's device. It returns the zero Array if the
// run that returns the token is over.
func (o *Order) arg(ctx context.Context, t lastToken) (pjrt.Array, error) {
	device := o.at.Device
	switch {
	case device < 0 || t.of.device < 0 || t.of.leading && (t.of.device != device || !o.at.Leading):
		return pjrt.Array{}, o.sequence.behind.WaitFor(ctx, t.of.over)
	case t.of.device == device:
		return t.of.arrays[t.i], nil
	}
	a, err := o.at.Client.CopyTo(t.of.arrays[t.i], device)
	if err == nil {
		o.copies = append(o.copies, a)
	}
	return a, err
}

// Args returns the token for each effect. It is the zero Array if the run that returns it is over: then a token of no
// run takes its place.
func (o *Order) Args() []pjrt.Array { return o.args }

// Pass passes the run's tokens to the next run, once the run is launched, and ends its turn. tokens are those that a
// run on one device returns, if it is not over.
func (o *Order) Pass(launched pjrt.Launched, tokens []pjrt.Array) {
	if o == nil {
		return
	}
	switch launched {
	case pjrt.Over:
		o.sequence.set(o.effects, nil)
	case pjrt.Pending:
		h := newHandover()
		h.device, h.leading, h.arrays = o.at.Device, o.at.Leading, tokens
		o.passed = h
		o.sequence.set(o.effects, h)
	}
	o.leave()
}

// HasTokens reports whether Pass got the tokens that the run returns. Otherwise the run destroys them.
func (o *Order) HasTokens() bool { return o != nil && o.passed != nil && o.passed.arrays != nil }

// Cause returns a *engine.SequenceError instead of err if the run was not executed because one
// before it failed. err is XLA's error of the run, which is over. So the runs before it are
// over in XLA, too, and here soon.
func (o *Order) Cause(err error) error {
	if o == nil {
		return err
	}
	for _, h := range o.taken {
		<-h.over
		if h.failure != nil && h.device >= 0 { // the run waited for others before its launch
			return sequenceError(h.failure)
		}
	}
	return err
}

// End records the end of the run, with its error.
func (o *Order) End(err error) {
	if o != nil && o.passed != nil {
		o.sequence.end(o.passed, err)
	}
}

// Exited records that XLA never reports the end of the run.
func (o *Order) Exited(err error) {
	o.End(err)
	if o != nil {
		o.leave()
	}
}

// Release ends the use of the tokens that the run has taken and passed.
func (o *Order) Release() {
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
