package bridge

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync/atomic"

	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/internal/ffi"
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
		if !r.called.Load() { // a look costs nothing, and most calls are not the first
			r.called.Store(true)
		}
		return r
	}
	return nil
}

func (t *runTable) remove(r *Run) { t.slots[r.id%maxRuns].Store(nil) }

// runOf is the run that ctx belongs to, nil outside of callbacks.
func runOf(ctx context.Context) *Run {
	if r := callbacks.RunOf(ctx); r != nil {
		owner, _ := r.Owner().(*Run)
		return owner
	}
	return nil
}

// group is what the callbacks of the run have in common; nil of nil.
func (r *Run) group() *callbacks.Run {
	if r == nil {
		return nil
	}
	return &r.calls
}

// enter makes the thread one inside a callback of a run, for functions that are not
// called on XLA's, until leave. The run may be over before such a function is, so that
// what the thread keeps is the client.
func enter(r *callbacks.Run) (entered any) {
	return ffi.Enter(-r.Owner().(*Run).exec.client.number)
}

func leave(entered any) { ffi.Leave(entered.(*ffi.Entered)) }

// within says whether the caller is inside of a callback of one of the client's runs:
// its thread knows, by ffi.Inside, and so does ctx.
func (client *Client) within(ctx context.Context, inside []int64) bool {
	for _, id := range inside {
		outer := runs.get(id)
		if id == -client.number || outer != nil && outer.exec.client == client {
			return true
		}
	}
	for outer := callbacks.RunOf(ctx); outer != nil; outer = callbacks.RunOf(outer.Outer()) {
		if run, _ := outer.Owner().(*Run); run != nil && run.exec.client == client {
			return true
		}
	}
	return false
}

// refuseNested refuses an execution inside a callback of a run on the same client:
// XLA would wait for ever, for the thread that waits.
func refuseNested(ctx context.Context, client *Client, inside []int64) error {
	if client.within(ctx, inside) {
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
