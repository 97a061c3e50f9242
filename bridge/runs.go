package bridge

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync/atomic"

	"github.com/calliope-mlir/calliope/c"
)

// maxRuns is the number of runs that may be under way at once in the process.
const maxRuns = 1 << 14

// runs finds a run by the number that its calls carry through XLA, without a lock
// and without keeping a run that is over.
var runs runTable

type runTable struct {
	last  atomic.Uint32
	slots [maxRuns]atomic.Pointer[Run]
}

// add gives r its number.
func (t *runTable) add(r *Run) error {
	for range maxRuns {
		r.id = int32(t.last.Add(1) & math.MaxInt32)
		// To XLA 0 is no number.
		if r.id != 0 && t.slots[r.id%maxRuns].CompareAndSwap(nil, r) {
			return nil
		}
	}
	return fmt.Errorf("bridge: %d runs are under way; wait for some before starting more", maxRuns)
}

// get is the run with a number, nil where there is none.
func (t *runTable) get(id int64) *Run {
	if id <= 0 {
		return nil
	}
	if r := t.slots[id%maxRuns].Load(); r != nil && int64(r.id) == id {
		return r
	}
	return nil
}

func (t *runTable) remove(r *Run) { t.slots[r.id%maxRuns].Store(nil) }

// runKey is the key of the run in the context of its callbacks.
type runKey struct{}

// runOf is the run that ctx belongs to, nil outside of callbacks.
func runOf(ctx context.Context) *Run {
	r, _ := ctx.Value(runKey{}).(*Run)
	return r
}

// refuseNested refuses an execution inside a callback of a run on the same client:
// XLA would wait for ever, for the thread that waits. The thread knows a callback
// that it is in, the context one that it came from.
func refuseNested(ctx context.Context, client *Client) error {
	nested := false
	for _, id := range c.Inside() {
		outer := runs.get(id)
		nested = nested || outer != nil && outer.exec.client == client
	}
	for outer := runOf(ctx); outer != nil; outer = outer.outer {
		nested = nested || outer.exec.client == client && !outer.over()
	}
	if nested {
		return errors.New("bridge: Executable.Start: inside a callback its own client cannot execute; use the client that bridge.InnerClient(ctx) gives")
	}
	return nil
}

// InnerClient is a client that code inside a callback may execute with: XLA does
// not execute on a client that waits for a callback. ctx is the context of the
// call. The client is made on first use, with the options of the one that runs,
// and closed with it.
func InnerClient(ctx context.Context) (*Client, error) {
	run := runOf(ctx)
	if run == nil {
		return nil, errors.New("bridge: InnerClient: the context is not one of a callback")
	}
	client := run.exec.client
	client.innerMu.Lock()
	defer client.innerMu.Unlock()
	if client.life.closed() {
		return nil, errors.New("bridge: InnerClient: the client is closed")
	}
	if client.inner == nil {
		inner, err := client.plugin.NewClient(client.options)
		if err != nil {
			return nil, err
		}
		client.inner = inner
	}
	return client.inner, nil
}
