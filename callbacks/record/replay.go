package record

import (
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/contract"
)

// A Replay answers calls from a recording, without the functions. Each call gets the
// results, or the error, of the recorded call that it is matched with. It is safe for
// concurrent use.
//
// Calls are matched separately for each callback and each device:
//
//   - Calls that are ordered by a token must come in the order of the recording, run by
//     run. A new run is matched with the first recorded run that is not matched yet and
//     whose first call had the same arguments.
//   - Other calls may come in any order. Each is matched with the next recorded call if its
//     arguments are the same, and otherwise with the first remaining call that had the same
//     arguments. If two calls with equal arguments had different results, the order in
//     which they come decides which one gets which.
//   - Arguments are the same if they are equal bit by bit.
//   - A call without a match fails with a [*DifferenceError]. Finish returns these errors
//     again, and an error for the recorded calls that were not made.
//
// The order between different callbacks and the times are ignored: a replay runs as fast as
// it can.
type Replay struct {
	recording *Recording

	mu          sync.Mutex
	lines       map[line]*queue
	order       []line // keys of lines, in the order of the recording
	differences []error
	more        int // differences that were not kept
}

// line is the key of the calls that are matched with each other.
type line struct {
	registry, callback string
	device             int
	ordered            bool
}

func lineOf(config contract.Config, device int) line {
	return line{config.Registry, config.Name(), device, config.NumTokens > 0}
}

func (l line) String() string { return fmt.Sprintf("callback %q on device %d", l.callback, l.device) }

// NewReplay returns a replay of a recording, from its beginning. It does not change the
// recording, which may be replayed several times. The arrays of the recording must not
// change meanwhile.
func NewReplay(r *Recording) *Replay {
	p := &Replay{recording: r, lines: map[line]*queue{}}
	for i := range r.Calls {
		c := &r.Calls[i]
		l := lineOf(c.Config, c.Device)
		q := p.lines[l]
		if q == nil {
			q = &queue{calls: r.Calls, ordered: l.ordered}
			p.lines[l] = q
			p.order = append(p.order, l)
		}
		q.add(i)
	}
	return p
}

// Bind makes a registry answer from the recording, until release is called. It replaces
// every function of the registry and registers the recorded callbacks that have no
// function. Callbacks that are bound by an id need a function with that id.
func (p *Replay) Bind(r *callbacks.Registry) (release func(), err error) {
	var names []string
	remove := r.Use(p.Wrap)
	release = func() {
		remove()
		for _, name := range names {
			_ = r.Unregister(name) // fails if the registry is closed, which is fine
		}
	}
	registered := map[string]bool{}
	for _, info := range r.List() {
		registered[info.Name] = true
	}
	for _, l := range p.order {
		i := slices.IndexFunc(p.recording.Calls, func(c Call) bool {
			return c.Config.ByName() && c.Config.Callback == l.callback && c.Config.Registry == l.registry
		})
		if l.registry != r.Name() || i < 0 || registered[l.callback] {
			continue
		}
		registered[l.callback] = true
		if err := r.Register(l.callback, p.answer, callbacks.Options{}); err != nil {
			release()
			return nil, err
		}
		names = append(names, l.callback)
	}
	return release, nil
}

// Registries returns the names of the registries whose calls are in the recording.
func (r *Recording) Registries() []string {
	var names []string
	for _, c := range r.Calls {
		if !slices.Contains(names, c.Config.Registry) {
			names = append(names, c.Config.Registry)
		}
	}
	return names
}

// Wrap is a callbacks.Middleware. The function that it returns answers from the recording
// and never calls next.
func (p *Replay) Wrap(callbacks.Func) callbacks.Func { return p.answer }

func (p *Replay) answer(f *callbacks.Frame) error {
	n, err := p.match(f)
	if err != nil {
		return err
	}
	c := &p.recording.Calls[n]
	switch {
	case !c.Finished:
		return p.differ(f, n, "the recording ends within this call, so it has no results")
	case c.Panicked:
		return &RecordedError{Callback: c.Name(), Text: "it panicked"}
	case c.Err != "":
		return &RecordedError{Callback: c.Name(), Text: c.Err}
	}
	if text := compareShapes("result", f.Results, c.Results); text != "" {
		return p.differ(f, n, text)
	}
	for i, v := range c.Results {
		copy(f.Results[i].Data, v.Data)
	}
	return nil
}

// match takes the recorded call for f.
func (p *Replay) match(f *callbacks.Frame) (call int, err error) {
	l := lineOf(f.Config, f.Device)
	p.mu.Lock()
	defer p.mu.Unlock()
	q := p.lines[l]
	if q == nil {
		return -1, p.keep(
			&DifferenceError{Call: -1, Callback: f.Name, Device: f.Device, Text: "the recording has no such call"})
	}
	taken, best := q.take(f)
	switch {
	case taken >= 0:
		return taken, nil
	case best < 0:
		return -1, p.keep(&DifferenceError{Call: -1, Callback: f.Name, Device: f.Device,
			Text: fmt.Sprintf("it is called more often than in the recording, which has %d such calls", len(q.order))})
	}
	return -1, p.keep(
		&DifferenceError{Call: best, Callback: f.Name, Device: f.Device, Text: compare(f, &p.recording.Calls[best])})
}

func (p *Replay) differ(f *callbacks.Frame, call int, text string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.keep(&DifferenceError{Call: call, Callback: f.Name, Device: f.Device, Text: text})
}

// maxDifferences limits how many differences are kept, because the first ones matter most.
const maxDifferences = 20

// keep stores a difference. The caller holds the lock.
func (p *Replay) keep(e *DifferenceError) error {
	if len(p.differences) < maxDifferences {
		p.differences = append(p.differences, e)
	} else {
		p.more++
	}
	return e
}

// Finish returns nil if everything that was replayed was as recorded. Otherwise it returns
// the first 20 differences of calls, and for each callback and device the number of
// recorded calls that were not made. It may be called at any time and changes nothing.
func (p *Replay) Finish() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	errs := slices.Clone(p.differences)
	if p.more > 0 {
		errs = append(errs, fmt.Errorf("record: %d more calls differ from the recording", p.more))
	}
	for _, l := range p.order {
		if first, left := p.lines[l].left(); left > 0 {
			errs = append(errs, &DifferenceError{Call: first, Callback: l.callback, Device: l.device,
				Text: fmt.Sprintf("%d of its %d recorded calls were not made, of which this is the first", left,
					len(p.lines[l].order))})
		}
	}
	return errors.Join(errs...)
}
