package record

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"time"

	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/internal/run/dispatch"
	"github.com/calliope-mlir/calliope/internal/text/errtext"
	"github.com/calliope-mlir/calliope/tensor"
)

// A Tracer writes calls as a Chrome trace while they are made. The trace is JSON for
// Perfetto and chrome://tracing. It is safe for concurrent use.
//
// The tracks are the runs that make calls (from their start until XLA is done with them),
// the devices, and the callbacks. Overlapping entries of a track are shown in additional
// tracks. A run that was in flight before the Tracer was made is shown from its first call
// to the end of its last call, as are runs of a recording. While calls are made, counters
// show the queues of their registries and the values given to Count.
//
// Calls are written when they end, and runs by Close. A viewer also accepts the file of a
// process that died before Close.
type Tracer struct {
	start time.Time

	mu    sync.Mutex
	out   io.Writer
	any   bool // an event was written
	added bool // an entry of Add was written
	lanes map[track]*laneSet
	names map[track]int // numbers of the tracks within their group
	runs  []*span
	open  map[*dispatch.Run]*span // runs that have started and not ended
	byID  map[int64]*span         // runs that made calls, the latest for each id
	stop  func()                  // stops observing runs
	err   error                   // the first write error, or errClosed

	counters []counter
	sampled  time.Duration // time of the last sample
}

// The groups of tracks; a viewer calls them processes.
const (
	groupRuns = 1 + iota
	groupDevices
	groupCallbacks
	groupAdded
)

var groupNames = map[int]string{groupRuns: "runs", groupDevices: "devices", groupCallbacks: "callbacks"}

// track is one track, with its lanes.
type track struct {
	group int
	name  string
}

// span is the time of a run.
type span struct {
	run        int64
	begin, end time.Duration
	calls      int
	over       bool // end is the end of the run and not of a call
}

// NewTracer starts a trace in w. It does not close w.
func NewTracer(w io.Writer) (*Tracer, error) {
	if w == nil {
		return nil, errors.New("record: the writer is nil: give one")
	}
	t := newTracer(w)
	if t.err == nil {
		t.stop = dispatch.ObserveRuns(t.runBegins, t.runEnds)
		t.sampled = -sampleEvery
	}
	return t, t.err
}

func newTracer(w io.Writer) *Tracer {
	t := &Tracer{start: time.Now(), out: w, lanes: map[track]*laneSet{}, names: map[track]int{},
		open: map[*dispatch.Run]*span{}, byID: map[int64]*span{}, stop: func() {}}
	for _, group := range []int{groupRuns, groupDevices, groupCallbacks} {
		t.write(event{Name: "process_name", Phase: "M", Group: group, Args: map[string]any{"name": groupNames[group]}})
		t.write(event{Name: "process_sort_index", Phase: "M", Group: group, Args: map[string]any{"sort_index": group}})
	}
	return t
}

// Wrap is a callbacks.Middleware. The function that it returns calls next and traces the
// call. If writing fails, the functions go on, and Close returns the error.
func (t *Tracer) Wrap(next callbacks.Func) callbacks.Func {
	return func(f *callbacks.Frame) error {
		open := t.begin(f.Name, f.Device, dispatch.RunOf(f.Context()), f.RunID, time.Since(t.start))
		t.sample()
		finished, failure := false, ""
		defer func() {
			if !finished {
				failure = "panic"
			}
			t.end(open, time.Since(t.start), f.Args, failure)
			t.sample()
		}()
		err := next(f)
		finished = true
		if err != nil {
			failure = errtext.Of(err)
		}
		return err
	}
}

func (t *Tracer) runBegins(r *dispatch.Run) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.open[r] = &span{begin: time.Since(t.start)}
}

func (t *Tracer) runEnds(r *dispatch.Run) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if s := t.open[r]; s != nil {
		s.end, s.over = time.Since(t.start), true
		delete(t.open, r)
	}
}

// Add writes an entry of a track that is none of calls, such as an operation of compiled code, which was done from
// begin to end.
func (t *Tracer) Add(name, entry string, begin, end time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.added {
		t.added = true
		t.write(event{Name: "process_name", Phase: "M", Group: groupAdded, Args: map[string]any{"name": "code"}})
	}
	t.write(event{Name: entry, Phase: "X", Group: groupAdded, Thread: t.thread(place{track: track{groupAdded, name}}),
		Begin: micros(begin.Sub(t.start)), Length: micros(end.Sub(begin))})
}

// Close writes the runs and ends the trace. It returns the first error of writing.
func (t *Tracer) Close() error {
	t.stop()
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.err == errClosed {
		return nil
	}
	for _, s := range t.open {
		s.end = time.Since(t.start) // it is still running
	}
	slices.SortFunc(t.runs,
		func(a, b *span) int { return cmp.Or(cmp.Compare(a.begin, b.begin), cmp.Compare(a.run, b.run)) })
	var lanes laneSet
	for _, s := range t.runs {
		lane := lanes.take(s.begin)
		lanes.give(lane, s.end)
		t.write(event{Name: fmt.Sprintf("run %d", s.run), Phase: "X", Group: groupRuns, Thread: t.thread(
			place{track{groupRuns, "runs"}, lane}), Begin: micros(s.begin), Length: micros(s.end - s.begin),
			Args: map[string]any{"calls": s.calls}})
	}
	if t.err == nil {
		_, err := io.WriteString(t.out, "\n]\n")
		t.fail(err)
	}
	err := t.err
	t.err = errClosed
	return err
}

// WriteTrace writes a recording as a Chrome trace; see Tracer for its contents. Calls that
// did not end are left out.
func (r *Recording) WriteTrace(w io.Writer) error {
	t := newTracer(w)
	type point struct {
		at   time.Duration
		call int
		end  bool
	}
	var points []point
	for i := range r.Calls {
		if c := &r.Calls[i]; c.Finished {
			points = append(points, point{c.Begin, i, false}, point{c.End, i, true})
		}
	}
	slices.SortStableFunc(points, func(a, b point) int { return cmp.Compare(a.at, b.at) })
	opened := map[int]opened{}
	for _, p := range points {
		c := &r.Calls[p.call]
		if !p.end {
			opened[p.call] = t.begin(c.Name(), c.Device, nil, c.RunID, p.at)
			continue
		}
		failure := c.Err
		if c.Panicked {
			failure = "panic"
		}
		t.end(opened[p.call], p.at, c.Args, failure)
		delete(opened, p.call)
	}
	return t.Close()
}

// opened is a call that has begun, with its places in the tracks.
type opened struct {
	name   string
	device int
	run    *span
	begin  time.Duration
	places [2]place
}

type place struct {
	track track
	lane  int
}

func (t *Tracer) begin(name string, device int, run *dispatch.Run, id int64, at time.Duration) opened {
	t.mu.Lock()
	defer t.mu.Unlock()
	o := opened{name: name, device: device, run: t.spanOf(run, id, at), begin: at}
	o.run.calls++
	for i, tr := range []track{{groupDevices, fmt.Sprintf("device %d", device)}, {groupCallbacks, name}} {
		set := t.lanes[tr]
		if set == nil {
			set = &laneSet{}
			t.lanes[tr] = set
		}
		o.places[i] = place{tr, set.take(at)}
	}
	return o
}

// spanOf returns the run of a call. A tap may be called after its run has ended.
func (t *Tracer) spanOf(run *dispatch.Run, id int64, at time.Duration) *span {
	s := t.open[run]
	if s == nil {
		s = t.byID[id]
	}
	if s == nil {
		s = &span{begin: at}
	}
	if s.calls == 0 {
		s.run = id
		t.byID[id] = s
		t.runs = append(t.runs, s)
	}
	return s
}

func (t *Tracer) end(o opened, at time.Duration, arguments []tensor.View, failure string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if s := o.run; !s.over {
		s.end = max(s.end, at)
	}
	shapes := make([]string, len(arguments))
	for i, v := range arguments {
		shapes[i] = v.Shape.String()
	}
	args := map[string]any{"run": o.run.run, "device": o.device, "arguments": shapes}
	if failure != "" {
		args["error"] = failure
	}
	for _, p := range o.places {
		t.lanes[p.track].give(p.lane, at)
		t.write(event{Name: o.name, Phase: "X", Group: p.track.group, Thread: t.thread(p), Begin: micros(o.begin),
			Length: micros(at - o.begin), Args: args})
	}
}

// thread returns the number of a lane within its group. It writes the name of a new lane.
func (t *Tracer) thread(p place) int {
	name := p.track.name
	if p.lane > 0 {
		name = fmt.Sprintf("%s (%d)", name, p.lane+1)
	}
	key := track{p.track.group, name}
	n, known := t.names[key]
	if !known {
		n = len(t.names)
		t.names[key] = n
		t.write(event{Name: "thread_name", Phase: "M", Group: key.group, Thread: n, Args: map[string]any{"name": name}})
	}
	return n
}

// event is an event of Chrome's trace event format.
type event struct {
	Name   string         `json:"name"`
	Phase  string         `json:"ph"`
	Group  int            `json:"pid"`
	Thread int            `json:"tid"`
	Begin  float64        `json:"ts"`  // µs
	Length float64        `json:"dur"` // µs; for calls and runs
	Args   map[string]any `json:"args,omitempty"`
}

func micros(d time.Duration) float64 { return float64(d) / 1e3 }

// write writes an event. The caller holds the lock.
func (t *Tracer) write(e event) {
	if t.err != nil {
		return
	}
	line, err := json.Marshal(e)
	if err == nil {
		before := ",\n"
		if !t.any {
			before = "[\n"
		}
		t.any = true
		_, err = t.out.Write(append([]byte(before), line...))
	}
	t.fail(err)
}

func (t *Tracer) fail(err error) {
	if err != nil && t.err == nil {
		t.err = fmt.Errorf("record: the trace: %w", err)
	}
}
