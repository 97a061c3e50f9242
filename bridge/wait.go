package bridge

import (
	"context"

	"github.com/calliope-mlir/calliope/internal/dispatch"
	"github.com/calliope-mlir/calliope/internal/pjrt"
)

// wait waits until the array is computed, or until ctx ends. Most arrays are computed, and
// wait only reads a flag.
func (b *Buffer) wait(ctx context.Context, op string) error {
	if err := dispatch.Ended(ctx); err != nil || b.ready.Load() {
		return err
	}
	computed, err := b.pjrt.Ready()
	if err != nil {
		return pluginError(op, err)
	}
	if err := b.await(ctx, op, computed, nil); err != nil {
		return err
	}
	b.ready.Store(true)
	return nil
}

// await waits until e is over, or until ctx ends. Then the buffer stays in use until e is
// over. over, which may be nil, is called once e is over, perhaps after await returns.
func (b *Buffer) await(ctx context.Context, op string, e pjrt.Event, over func()) error {
	if over == nil {
		over = func() {}
	}
	if e.IsNil() {
		over()
		return nil
	}
	ended := make(chan error, 1)
	already, err := e.Notify(func(err error) { ended <- err })
	if !already {
		select {
		case err = <-ended:
		case <-ctx.Done():
			b.life.addUse()
			go func() {
				<-ended
				over()
				_ = b.done() // there is no caller to return the error to
			}()
			return ctx.Err()
		}
	}
	over()
	if err != nil {
		return pluginError(op, err)
	}
	return nil
}
