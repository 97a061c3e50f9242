package record

import (
	"time"

	"github.com/calliope-mlir/calliope/callbacks"
)

// sampleEvery is the minimum time between two samples of the counters.
const sampleEvery = time.Millisecond

// counter is one counter that was given to Count.
type counter struct {
	name   string
	values func() map[string]int64
}

// Count adds counters to the trace, such as the memory of a client. values is called while
// calls are made, at most once in a millisecond, by one goroutine at a time. It must not
// wait for a call.
func (t *Tracer) Count(name string, values func() map[string]int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.counters = append(t.counters, counter{name, values})
}

// sample writes the counters, unless they were written less than sampleEvery ago.
func (t *Tracer) sample() {
	now := time.Since(t.start)
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.err != nil || now-t.sampled < sampleEvery {
		return
	}
	t.sampled = now
	for _, q := range callbacks.QueueStates() {
		name := "callbacks"
		if q.Registry != "" {
			name += " of " + q.Registry
		}
		t.count(now, name,
			map[string]int64{"queued": int64(q.Queued), "running": int64(q.Running), "lost": int64(q.Lost)})
		t.count(now, name+", bytes in the queue", map[string]int64{"bytes": int64(q.QueuedBytes)})
	}
	for _, c := range t.counters {
		t.count(now, c.name, c.values())
	}
}

func (t *Tracer) count(now time.Duration, name string, values map[string]int64) {
	args := make(map[string]any, len(values))
	for key, value := range values {
		args[key] = value
	}
	t.write(event{Name: name, Phase: "C", Group: groupCallbacks, Begin: micros(now), Args: args})
}
