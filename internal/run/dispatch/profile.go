package dispatch

import (
	"context"
	"runtime/pprof"
	"runtime/trace"

	"github.com/calliope-mlir/calliope/callbacks"
)

// profile makes a call visible in profiles and traces, until done is called. after holds
// the labels that the goroutine has afterwards.
func (s *Slot) profile(f *callbacks.Frame, after context.Context) (done func()) {
	var region *trace.Region
	ctx := f.Context()
	if trace.IsEnabled() {
		region = trace.StartRegion(ctx, "callback "+s.name)
	}
	labels := s.engine.options.Profile
	if labels {
		pprof.SetGoroutineLabels(pprof.WithLabels(ctx, pprof.Labels("callback", s.name, "registry", s.registry)))
	}
	return func() {
		if labels {
			pprof.SetGoroutineLabels(after)
		}
		if region != nil {
			region.End()
		}
	}
}
