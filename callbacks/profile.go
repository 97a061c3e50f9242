package callbacks

import (
	"context"
	"runtime/pprof"
	"runtime/trace"
)

// profile makes a call one that profiles and traces show, until done is called.
func (s *Slot) profile(f *Frame) (done func()) {
	var region *trace.Region
	if trace.IsEnabled() {
		region = trace.StartRegion(f.Context(), "callback "+s.name)
	}
	if s.engine.options.Profile {
		pprof.SetGoroutineLabels(pprof.WithLabels(f.Context(), pprof.Labels("callback", s.name, "registry", s.registry)))
	}
	return func() {
		if s.engine.options.Profile {
			pprof.SetGoroutineLabels(context.Background())
		}
		if region != nil {
			region.End()
		}
	}
}
