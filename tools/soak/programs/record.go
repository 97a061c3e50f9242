package programs

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/calliope-mlir/calliope/callbacks"
)

// A record has what the functions of a program's runs got.
type record struct {
	mu     sync.Mutex
	events []event // in the order in which they began
	fault  *fault
}

// A run is what the context of an execution carries.
type run struct {
	in     *record
	number int
	cancel context.CancelFunc
}

type runKey struct{}

// A fault is how a call fails: the n-th one that is ordered by an effect, from 1 on.
type fault struct {
	how    string
	effect string
	at     int
}

const (
	returned  = "returned"
	panicked  = "panicked"
	cancelled = "cancelled"
)

var errInjected = errors.New("the error of a random program")

// orders reports whether a call is ordered by an effect.
func (f *fault) orders(c callKey) bool {
	return !c.async && (c.effect == f.effect || c.effect == allEffects)
}

// A callKey is what decides about the order of a call.
type callKey struct {
	effect string
	async  bool // it is queued
	loose  bool // it has no order
}

// async is the end of the names of functions whose calls are queued, in an order for each device.
const async = ".async"

func keyOf(f form, name, effect string) callKey {
	return callKey{effect, strings.HasSuffix(name, async), effect == "" && f != tap}
}

var errNoRun = errors.New("the context of a call is not that of its run")

// recorded returns a function that records its calls. The call says of which site it is, unless the site is given.
func recorded(f form, name string, site int) callbacks.Func {
	return func(frame *callbacks.Frame) error {
		if name == watching { // tokens, too
			return nil
		}
		r, ok := frame.Context().Value(runKey{}).(*run)
		if !ok {
			return errNoRun
		}
		args, err := readAll(frame.Args)
		if err != nil {
			return err
		}
		e := event{run: r.number, device: frame.Device, site: site, name: name, args: textOf(args)}
		if f != pure && name != inserted && site == 0 {
			if _, err := fmt.Sscanf(frame.Config.Transforms, "site %d", &e.site); err != nil {
				return fmt.Errorf("the call has the text %q in place of its site", frame.Config.Transforms)
			}
		}
		if err := r.in.add(r, e, keyOf(f, name, frame.Config.Effect)); err != nil {
			return err
		}
		kinds := make([]kind, len(frame.Results))
		for i, v := range frame.Results {
			k, err := kindOf(v.Shape)
			if err != nil {
				return err
			}
			kinds[i] = k
		}
		if f == through && !changes[name] {
			return nil
		}
		for i, a := range behave(f, name, e.site, args, kinds) {
			if i < len(frame.Results) {
				a.copyTo(frame.Results[i])
			}
		}
		return nil
	}
}

// add records a call, and returns the error that it should return.
func (r *record) add(at *run, e event, key callKey) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.events = append(r.events, e)
	if r.fault == nil || key.loose || e.site == 0 || e.name == inserted || !r.fault.orders(key) {
		return nil
	}
	if r.fault.at--; r.fault.at != 0 {
		return nil
	}
	switch r.fault.how {
	case panicked:
		panic(errInjected)
	case cancelled:
		at.cancel()
		return context.Canceled
	}
	return errInjected
}

// take returns the calls so far.
func (r *record) take() []event {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.events
}

// register makes the registry of the functions.
func register(name string) (*callbacks.Registry, error) {
	r, err := callbacks.NewRegistry(name, callbacks.RegistryOptions{})
	if err != nil {
		return nil, err
	}
	forms := map[string]form{inserted: tap, watching: tap}
	for f, list := range names {
		for _, name := range list {
			forms[name] = f
		}
	}
	for name, f := range forms {
		if err := r.Register(name, recorded(f, name, 0), optionsOf(f, name)); err != nil {
			return nil, errors.Join(err, r.Close())
		}
	}
	return r, nil
}

// optionsOf returns how a function is called.
func optionsOf(f form, name string) callbacks.Options {
	o := callbacks.Options{FailRun: f == tap}
	_, way, _ := strings.Cut(name, ".")
	switch way {
	case "worker":
		o.Dispatch = callbacks.Goroutine
	case "deferred":
		o.Dispatch = callbacks.Deferred
	case async[1:]:
		o.Dispatch, o.FailRun = callbacks.Async, false
	}
	return o
}
