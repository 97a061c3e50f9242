package bridge

import (
	"context"
	"errors"
	"fmt"

	"github.com/calliope-mlir/calliope/internal/run/dispatch"
	"github.com/calliope-mlir/calliope/internal/run/ffi"
	"github.com/calliope-mlir/calliope/internal/run/ffi/serve"
)

// enter marks the thread to be inside a callback of the client until leave, for functions
// that are not called on XLA's threads.
func (client *Client) enter(*dispatch.Run) (entered any) { return ffi.Enter(-client.number) }

func leave(entered any) { ffi.Leave(entered.(*ffi.Entered)) }

// within reports whether the caller is inside a callback of one of the client's runs, by
// its thread (see ffi.Inside) or by ctx.
func (client *Client) within(ctx context.Context, inside []int64) bool {
	for _, id := range inside {
		if outer := serve.Find(id); id == -client.number || outer != nil && outer.Calls.Group() == client.group {
			return true
		}
	}
	for outer := dispatch.RunOf(ctx); outer != nil; outer = dispatch.RunOf(outer.Outer()) {
		if outer.Group() == client.group {
			return true
		}
	}
	return false
}

// refuseNested returns an error inside a callback of a run on the same client. XLA would
// wait forever for the thread that waits.
func refuseNested(ctx context.Context, client *Client, inside []int64) error {
	if client.within(ctx, inside) {
		return errors.New("bridge: run: a callback cannot execute on its own client; use the client that bridge.InnerClient(ctx) returns, or a calliope.Function with a session of its own")
	}
	return nil
}

// InnerClient returns a client that code inside a callback can execute with. XLA does not
// execute on a client that waits for a callback. ctx must be the context of the call. The
// inner client is made on first use, with the options of the client that runs the callback,
// and is closed with that client. A client for GPUs has no inner client.
func InnerClient(ctx context.Context) (*Client, error) {
	if ctx == nil {
		return nil, dispatch.Ended(ctx)
	}
	client := calledBy(ctx)
	if client == nil {
		return nil, errors.New("bridge: InnerClient: the context is not the context of a callback")
	}
	if client.pinned != nil {
		return nil, errors.New("bridge: InnerClient: a callback cannot execute on a GPU, which waits for it: use a client of a CPU plugin")
	}
	client.innerMu.Lock()
	defer client.innerMu.Unlock()
	if client.life.Closed() {
		return nil, fmt.Errorf("bridge: InnerClient: the client is %w", ErrClosed)
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

// calledBy returns the client whose callback the context belongs to. It returns nil for
// other contexts, and if the client is freed.
func calledBy(ctx context.Context) *Client {
	run := dispatch.RunOf(ctx)
	if run == nil {
		return nil
	}
	opened.Lock()
	defer opened.Unlock()
	for _, p := range opened.plugins {
		if c := p.clientOf(run.Group()); c != nil {
			return c
		}
	}
	return nil
}

func (p *Plugin) clientOf(g *dispatch.Group) *Client {
	p.mu.Lock()
	defer p.mu.Unlock()
	for c := range p.clients {
		if c.group == g {
			return c
		}
	}
	return nil
}
