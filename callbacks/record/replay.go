package record

import (
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/contract"
)

// Replay answers calls from a recording, without the functions: each call gets the
// results, or the error, of the recorded call that it is matched with. It is safe for
// concurrent use.
//
// Calls are matched for each callback and each device by itself. What holds is:
//
//   - Calls that are ordered by a token come in the order of the recording, run by
//     run: a run that calls first takes the place of the first recorded run whose
//     first call had the same arguments and that no run took yet.
//   - Other calls may come in any order: each is matched with the next recorded one if
//     its arguments are the same, or else with the first one left that had the same
//     arguments. Which of two calls with equal arguments gets which of two different
//     results is then up to the order in which they come.
//   - Arguments are the same when they are so bit by bit.
//   - Every call that has no match is a [*DifferenceError], which fails it; Finish
//     returns these again, and an error for the recorded calls that were not made.
//
// The order between different callbacks is not looked at, and neither are times: a
// replay is as fast as it can be.
type Replay struct {
	recording *Recording

	mu          sync.Mutex
	lines       map[line]*queue
	order       []line // of lines, as they are in the recording
	differences []error
	more        int // differences that were not kept
}

// line is what calls are matched within.
type line struct {
	registry, callback string
	device             int
	ordered            bool
}

func lineOf(config contract.Config, device int) line {
	return line{config.Registry, config.Name(), device, config.NumTokens > 0}
}

func (l line) String() string { return fmt.Sprintf("callback %q on device %d", l.callback, l.device) }

// NewReplay makes a replay of a recording, from its beginning. The recording is not
// changed and may be replayed several times; its arrays must not change meanwhile.
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

// Bind has a registry answer from the recording: what is recorded of it and has no
// function is registered, and every function is replaced, until release is called.
// Callbacks that are bound by an id need a function of that id.
func (p *Replay) Bind(r *callbacks.Registry) (release func(), err error) {
	var names []string
	remove := r.Use(p.Wrap)
	release = func() {
		remove()
		for _, name := range names {
			_ = r.Unregister(name) // gone already where the registry is closed
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

// Registries are the names of the registries that the recording has calls of.
func (r *Recording) Registries() []string {
	var names []string
	for _, c := range r.Calls {
		if !slices.Contains(names, c.Config.Registry) {
			names = append(names, c.Config.Registry)
		}
	}
	return names
}

// Wrap is a callbacks.Middleware: the function that it gives answers from the
// recording and never calls next.
func (p *Replay) Wrap(callbacks.Func) callbacks.Func { return p.answer }

func (p *Replay) answer(f *callbacks.Frame) error {
	n, err := p.match(f)
	if err != nil {
		return err
	}
	c := &p.recording.Calls[n]
	switch {
	case !c.Finished:
		return p.differ(f, n, "the recording ends within this call: there is nothing to answer")
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

// match takes the recorded call that f is.
func (p *Replay) match(f *callbacks.Frame) (call int, err error) {
	l := lineOf(f.Config, f.Device)
	p.mu.Lock()
	defer p.mu.Unlock()
	q := p.lines[l]
	if q == nil {
		return -1, p.keep(&DifferenceError{Call: -1, Callback: f.Name, Device: f.Device, Text: "the recording has no such call"})
	}
	taken, best := q.take(f)
	switch {
	case taken >= 0:
		return taken, nil
	case best < 0:
		return -1, p.keep(&DifferenceError{Call: -1, Callback: f.Name, Device: f.Device,
			Text: fmt.Sprintf("it is called more often than in the recording, which has %d such calls", len(q.order))})
	}
	return -1, p.keep(&DifferenceError{Call: best, Callback: f.Name, Device: f.Device, Text: compare(f, &p.recording.Calls[best])})
}

func (p *Replay) differ(f *callbacks.Frame, call int, text string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.keep(&DifferenceError{Call: call, Callback: f.Name, Device: f.Device, Text: text})
}

// maxDifferences is how many are kept: the first says most.
const maxDifferences = 20

// keep notes a difference. The caller holds the lock.
func (p *Replay) keep(e *DifferenceError) error {
	if len(p.differences) < maxDifferences {
		p.differences = append(p.differences, e)
	} else {
		p.more++
	}
	return e
}

// Finish says whether all that was replayed was as recorded: nil, or the differences
// that calls met, the first 20 of them, and for each callback and device how many
// recorded calls were not made. It may be asked at any time and changes nothing.
func (p *Replay) Finish() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	errs := slices.Clone(p.differences)
	if p.more > 0 {
		errs = append(errs, fmt.Errorf("record: and %d calls more differ from the recording", p.more))
	}
	for _, l := range p.order {
		if first, left := p.lines[l].left(); left > 0 {
			errs = append(errs, &DifferenceError{Call: first, Callback: l.callback, Device: l.device,
				Text: fmt.Sprintf("%d of its %d recorded calls were not made, this is the first of them", left, len(p.lines[l].order))})
		}
	}
	return errors.Join(errs...)
}
