package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/callbacks/record"
	"github.com/calliope-mlir/calliope/internal/host/replace"
)

// observers implement --record, --replay and --trace. They wrap the callbacks.
type observers struct {
	options   options
	recorder  *record.Recorder
	recording *record.Recording
	replay    *record.Replay
	tracer    *record.Tracer
	trace     *os.File
}

// observe opens the files. It prints a warning on stderr about a damaged recording that can
// still be used.
func observe(o options, stderr io.Writer) (*observers, error) {
	x := &observers{options: o}
	var err error
	if o.replay != "" {
		// Opening a pipe would block until another process writes to it.
		if info, err := os.Stat(o.replay); err == nil && info.Mode()&(fs.ModeNamedPipe|fs.ModeSocket) != 0 {
			return nil, fmt.Errorf("--replay %s: it is a pipe: use a file that --record wrote", o.replay)
		}
		if x.recording, err = record.Open(o.replay); err != nil {
			return nil, fmt.Errorf("--replay: %w", err)
		}
		if x.recording.Torn != nil {
			fmt.Fprintf(stderr, "mlir-run: --replay %s: %v\n", o.replay, x.recording.Torn)
		}
		x.replay = record.NewReplay(x.recording)
	}
	if o.record != "" {
		if x.recorder, err = record.Create(o.record); err != nil {
			return nil, fmt.Errorf("--record: %w", err)
		}
	}
	if o.trace != "" {
		if x.trace, err = replace.Create(o.trace); err == nil {
			x.tracer, err = record.NewTracer(x.trace)
		}
		if err != nil {
			return nil, x.finish(fmt.Errorf("--trace: %w", err))
		}
	}
	return x, nil
}

// attach installs them as middleware of a registry, until the process ends.
func (x *observers) attach(r *callbacks.Registry) error {
	if x.replay != nil {
		if _, err := x.replay.Bind(r); err != nil {
			return err
		}
	}
	if x.recorder != nil {
		r.Use(x.recorder.Wrap)
	}
	if x.tracer != nil {
		r.Use(x.tracer.Wrap)
	}
	return nil
}

// callbackOptions returns the options of the stand-in callbacks.
func (x *observers) callbackOptions() callbacks.Options {
	return callbacks.Options{Measure: x.options.stats}
}

func (x *observers) replaying() bool { return x.replay != nil }

// registries returns the registries whose calls a recording has.
func (x *observers) registries() []string {
	if x.recording == nil {
		return nil
	}
	return x.recording.Registries()
}

// recorded reports whether calls of a callback are answered from a recording.
func (x *observers) recorded(name string) bool {
	if x.recording == nil {
		return false
	}
	for i := range x.recording.Calls {
		if c := x.recording.Calls[i].Config; c.Registry == "" && c.Callback == name {
			return true
		}
	}
	return false
}

// finish closes the files. It returns an error if the run, which may have failed, differed
// from the recording.
func (x *observers) finish(err error) error {
	if x.replay != nil {
		// The replay knows all differences, the run only the one that made it fail.
		if differs := x.replay.Finish(); differs != nil {
			if _, same := errors.AsType[*record.DifferenceError](err); same || err == nil {
				err = fmt.Errorf("the run differs from the one in %s:\n%w", x.options.replay, differs)
			}
		}
	}
	if x.recorder != nil {
		if closing := x.recorder.Close(); closing != nil {
			err = errors.Join(err, fmt.Errorf("--record %s: %w", x.options.record, closing))
		}
	}
	if x.trace != nil {
		var closing error
		if x.tracer != nil {
			closing = x.tracer.Close()
		}
		if closing = errors.Join(closing, x.trace.Close()); closing != nil {
			err = errors.Join(err, fmt.Errorf("--trace %s: %w", x.options.trace, closing))
		}
	}
	return err
}
