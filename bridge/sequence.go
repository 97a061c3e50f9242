package bridge

import (
	"context"
	"fmt"

	"github.com/calliope-mlir/calliope/bridge/internal/wait"
	"github.com/calliope-mlir/calliope/internal/run/dispatch"
)

// A Sequence orders the effects of executions: of two runs in it, the callbacks of an effect
// in the run that was started first are done before those of the same effect in the other
// one begin, on whatever devices the runs are. Runs that share no effect, and runs of
// different Sequences, are independent.
//
// Only the effects for which the module has runtime tokens are ordered this way: see
// builder.Options.RuntimeTokens and passes.AddRuntimeTokens. For each of them the program
// has one parameter and one result more, which Run and Start pass from one execution to the
// next, also to another device. They are not among the inputs and outputs of an Executable.
// The tokens that main takes and returns in a module that JAX lowered, for its ordered
// callbacks, are such tokens. The module does not name their effects, so the runs of all such
// modules are in one order. XLA does not copy these tokens: a run waits in Start for one that
// has them on another device.
//
// A context carries the Sequence, see [WithSequence], because all that a task starts should
// be in one order, and because Run and Start have no options. Runs whose context has none are
// in one Sequence of their client, which goroutines thus share. If several goroutines use a
// Sequence, their runs are in the order in which Start or Run took its turn; a further
// goroutine waits while another one starts a run. XLA executes a small module while it is
// started. A run on several devices waits in Start for the earlier runs of its effects, and
// the runs after it wait for it. A run with the effect builder.AllEffects follows all earlier
// runs of the Sequence that have effects, and those after it follow it. It has one token for
// each of its effects: if it follows more runs, it waits for the others in Start.
//
// If a run fails, the runs that were started before its end and wait for its tokens are not
// executed, and fail with a *[engine.SequenceError]. Runs that are started after its end have new
// tokens. [Client.Barrier] returns the first error.
//
// A Sequence needs no Close. It is safe for concurrent use.
type Sequence struct {
	client *Client
	order  *wait.Sequence
}

// NewSequence returns a Sequence for runs of this client, in addition to the client's own.
func (c *Client) NewSequence() *Sequence {
	c.given("NewSequence")
	return &Sequence{c, wait.NewSequence(&c.behind)}
}

type sequenceKey struct{}

// WithSequence returns a context with which runs are in the Sequence s. It has no effect on
// runs of other clients than that of s: a callback has the context of its run, but the runs
// that it starts on its [InnerClient] are in that client's own Sequence. nil means the
// client's own Sequence, too.
func WithSequence(ctx context.Context, s *Sequence) context.Context {
	return context.WithValue(ctx, sequenceKey{}, s)
}

// sequenceOf returns the Sequence for a run with the context.
func (c *Client) sequenceOf(ctx context.Context) *wait.Sequence {
	if s, _ := ctx.Value(sequenceKey{}).(*Sequence); s != nil && s.client == c {
		return s.order
	}
	return c.sequence.order
}

// Order orders work of the host with runs. It waits until the runs of the context's [Sequence] that have one of the
// effects are over, and makes later ones wait until done is called, with the error of the work. So do runs that
// wait for work of the host, and calls of Order. If the work or the run that it waited for failed, Order
// returns a *[engine.SequenceError], and done is nil.
//
// Package stages orders what runs between compiled modules this way. Programs that are compiled whole are ordered by
// Run and Start.
func (c *Client) Order(ctx context.Context, effects ...string) (done func(error), err error) {
	c.given("Order")
	if err := dispatch.Ended(ctx); err != nil {
		return nil, err
	}
	if done, err = c.sequenceOf(ctx).Order(ctx, effects...); err == wait.ErrClosed {
		err = fmt.Errorf("bridge: order: %w", err)
	}
	return done, err
}
