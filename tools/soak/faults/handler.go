package faults

import (
	"context"
	"log/slog"

	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/contract"
)

// oddHandler is a slog.Handler that misbehaves.
type oddHandler struct {
	slog.Handler
	handle func()
}

func (h oddHandler) Enabled(context.Context, slog.Level) bool  { return true }
func (h oddHandler) Handle(context.Context, slog.Record) error { h.handle(); return nil }
func (h oddHandler) WithAttrs([]slog.Attr) slog.Handler        { return h }
func (h oddHandler) WithGroup(string) slog.Handler             { return h }

// failingHandler makes taps fail whose registry has such a handler. The run goes on, and
// the barrier returns the error.
func failingHandler(handle func()) func(*scene) func(int) error {
	return func(s *scene) func(int) error {
		s.useRegistry(callbacks.RegistryOptions{Logger: slog.New(oddHandler{handle: handle})})
		s.register(faulty, callbacks.Options{}, func(f *callbacks.Frame) error { return &numbered{numberOf(f)} })
		programs := s.sizes(func(size int) string { return calling(contract.Observe, s.bound(faulty), size) })
		return func(i int) error {
			s.fails(faulty)
			s.tapFails(isNumbered)
			_, err := s.run(s.ctx, programs[i%2], i, float32(i))
			return err
		}
	}
}
