package faults

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"

	"github.com/calliope-mlir/calliope/bridge"
	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/engine"
)

// notOfXLA is the code of errors that do not come from XLA.
const notOfXLA = -1

// onCompile is the list of ways for faults that end a compilation, whatever the dispatch.
var onCompile = []callbacks.Dispatch{callbacks.Inline}

// bindingFaults are the faults of names, ids, registries and attributes.
func bindingFaults() []Fault {
	return []Fault{
		{"unregistered id", everyWay, unregisteredID},
		{"unregistered name", everyWay, unregistered},
		{"closed registry", everyWay, closedRegistry},
		{"forged signature", everyWay, forgedSignature},
		{"more tokens than operands", everyWay, tooManyTokens},
		{"unknown name", onCompile, refused(func(s *scene, i int) string {
			return calling(contract.Call, s.bound("healthi"), small)
		}, isUnknown(func(e *callbacks.UnknownError) bool { return e.Missing == "callback" && e.Nearest == healthy }),
			codeNotFound)},
		{"unknown registry", onCompile, refused(func(s *scene, i int) string {
			return calling(contract.Call, `callback = "healthy", registry = "nobody's"`, small)
		}, isUnknown(func(e *callbacks.UnknownError) bool { return e.Missing == "registry" }), codeNotFound)},
		{"id of another registry", onCompile, wrongRegistry},
		{"another signature", onCompile, refused(func(s *scene, i int) string {
			return calling(contract.Call,
				s.bound("signed")+fmt.Sprintf(", signature = %q", contract.SignatureHash("f64[]->")), small)
		}, isA[*callbacks.SignatureError](nil), codeInvalidArgument)},
		{"bad attributes", onCompile, refused(badAttributes, nil, codeInvalidArgument)},
		{"attributes that are no text", onCompile, refused(func(s *scene, i int) string {
			return calling(contract.Call, s.bound(healthy)+`, effect = "\FF\FE\00"`, small)
		}, nil, codeInvalidArgument)},
		{"attributes that are one blob", onCompile, refused(func(s *scene, i int) string {
			module := calling(contract.Call, "", small)
			before, rest, _ := strings.Cut(module, "backend_config = {")
			_, after, _ := strings.Cut(rest, "}")
			return before + `backend_config = "\FF\FE"` + after
		}, nil, 0)},
	}
}

// XLA's status codes with which a compilation ends.
const (
	codeInvalidArgument = 3
	codeNotFound        = 5
)

// isUnknown checks for an UnknownError for which ok is true.
func isUnknown(ok func(*callbacks.UnknownError) bool) func(err error, i int) error {
	return isA(func(e *callbacks.UnknownError) error {
		if !ok(e) {
			return fmt.Errorf("got %#v", e)
		}
		return nil
	})
}

// refused compiles a module that is refused, next to one that works. A code of 0 means any
// code. With notOfXLA the error must not be the plugin's.
func refused(
	module func(s *scene, i int) string, want func(err error, i int) error, code int,
) func(*scene) func(int) error {
	return func(s *scene) func(int) error {
		s.register(healthy, callbacks.Options{}, negate)
		s.register("signed", callbacks.Options{Signature: "f32[4]->f32[4]"}, negate)
		works := s.program(contract.Call, healthy, large)
		return func(i int) error {
			if err := s.works(works, healthy, i); err != nil {
				return err
			}
			e, err := s.client.Compile(s.ctx, bridge.Source(module(s, i)), engine.CompileOptions{})
			if err == nil {
				return errors.Join(errors.New("it compiled"), e.Close())
			}
			if want != nil {
				if err := want(err, i); err != nil {
					return err
				}
			}
			if code == notOfXLA {
				return nil
			}
			return isA(func(e *bridge.PluginError) error {
				if code != 0 && e.Code != code {
					return fmt.Errorf("got the code %d (%w), want %d", e.Code, e, code)
				}
				return nil
			})(err, i)
		}
	}
}

// badAttributes compiles a module whose attributes are wrong in one of several ways.
func badAttributes(s *scene, i int) string {
	list := []string{
		s.bound(healthy) + `, colour = "red"`,
		s.bound(healthy) + `, n_tokens = "one"`,
		s.bound(healthy) + `, n_tokens = -1 : i64`,
		s.bound(healthy) + `, every = -3 : i64`,
		s.bound(healthy) + `, optional = 1 : i64`,
		s.bound(healthy) + `, signature = 7 : i64`,
		s.bound(healthy) + `, callback_id = 5 : i64`,
		`callback = ["a list"]`,
		`registry = "no callback"`,
	}
	module := calling(contract.Call, list[i%len(list)], small)
	switch i % 7 {
	case 5:
		return strings.Replace(module, "v = 1 : i64", "v = 99 : i64", 1)
	case 6:
		return strings.Replace(module, `form = "call"`, `form = "dance"`, 1)
	}
	return module
}

// wrongRegistry names a registry that did not issue the id.
func wrongRegistry(s *scene) func(int) error {
	other, err := s.newRegistry(callbacks.RegistryOptions{})
	s.note(err)
	return refused(func(s *scene, i int) string {
		id, err := other.RegisterFunc(negate, callbacks.Options{Key: i})
		if err != nil {
			return err.Error()
		}
		return calling(contract.Call, fmt.Sprintf("callback_id = %d : i64, registry = %q", id, s.registry.Name()),
			small)
	}, isUnknown(func(e *callbacks.UnknownError) bool { return e.IDState == callbacks.IDInAnotherRegistry }),
		codeNotFound)(s)
}

// taken compiles a module that works, removes its function by calling takeAway, and checks
// the error of the next run.
func (s *scene) taken(
	i int, config, name string, calls *atomic.Int64, takeAway func() error, want func(error, int) error,
) error {
	size := []int{small, large}[i%2]
	e, err := s.client.Compile(s.ctx, bridge.Source(calling(s.form(), config, size)), engine.CompileOptions{})
	if err != nil {
		return err
	}
	defer e.Close()
	p := &program{e, size}
	if _, err := s.run(s.ctx, p, i, float32(i)); err != nil {
		return fmt.Errorf("before its function was removed: %w", err)
	}
	// Otherwise a queue would make the call after the function is removed, or before.
	if s.way == callbacks.Async {
		for deadline := s.ctx; calls.Load() == 0; {
			if err := deadline.Err(); err != nil {
				return err
			}
		}
	}
	if err := takeAway(); err != nil {
		return err
	}
	_, err = s.run(s.ctx, p, i, float32(i))
	if n := calls.Load(); n != 1 {
		return fmt.Errorf("the function was called %d times", n)
	}
	if name != "" { // the counts of a function that is removed end with the program
		ctx, cancel := context.WithTimeout(context.WithoutCancel(s.ctx), patience)
		defer cancel()
		if err := s.checkCounts(ctx, name, tally{Fired: 2, Delivered: 1, Failed: 1, Called: uncertain}); err != nil {
			return err
		}
	}
	return s.failure(err, i, want)
}

func counting(n *atomic.Int64) callbacks.Func {
	return func(f *callbacks.Frame) error {
		n.Add(1)
		return negate(f)
	}
}

func unregisteredID(s *scene) func(int) error {
	return func(i int) error {
		var calls atomic.Int64
		id, err := s.registry.RegisterFunc(counting(&calls), callbacks.Options{Key: i, Dispatch: s.way})
		if err != nil {
			return err
		}
		config := fmt.Sprintf("callback_id = %d : i64, registry = %q", id, s.registry.Name())
		return s.taken(i, config, fmt.Sprintf("id %d", id), &calls, func() error { return s.registry.UnregisterID(id) },
			isUnknown(func(e *callbacks.UnknownError) bool { return e.IDState == callbacks.IDUnregistered }))
	}
}

func unregistered(s *scene) func(int) error {
	return func(i int) error {
		var calls atomic.Int64
		name := fmt.Sprintf("name %d", i)
		if err := s.registry.Register(name, counting(&calls), callbacks.Options{Dispatch: s.way}); err != nil {
			return err
		}
		return s.taken(i, s.bound(name), name, &calls, func() error { return s.registry.Unregister(name) }, isUnknown(
			func(e *callbacks.UnknownError) bool { return e.Missing == "callback" && e.Callback == name || i != 0 }))
	}
}

func closedRegistry(s *scene) func(int) error {
	return func(i int) error {
		var calls atomic.Int64
		r, err := s.newRegistry(callbacks.RegistryOptions{})
		if err != nil {
			return err
		}
		if err := r.Register(healthy, counting(&calls), callbacks.Options{Dispatch: s.way}); err != nil {
			return err
		}
		config := fmt.Sprintf("callback = %q, registry = %q", healthy, r.Name())
		err = s.taken(i, config, "", &calls, r.Close,
			isUnknown(func(e *callbacks.UnknownError) bool {
				return e.Callback == healthy && e.Registry == r.Name() || i != 0
			}))
		if err != nil {
			return err
		}
		_, err = s.client.Compile(s.ctx, bridge.Source(calling(s.form(), config, small)), engine.CompileOptions{})
		return isUnknown(func(e *callbacks.UnknownError) bool { return e.Missing == "registry" })(err, i)
	}
}

// misread is a module that compiles, and whose call is refused before Go reads any memory.
func misread(s *scene, config, want string) func(int) error {
	s.register(healthy, callbacks.Options{}, negate)
	s.register(faulty, callbacks.Options{}, func(*callbacks.Frame) error { return errors.New("called") })
	works := s.program(s.form(), healthy, large)
	programs := s.sizes(func(size int) string { return calling(s.form(), s.bound(faulty)+config, size) })
	return func(i int) error {
		if err := s.works(works, healthy, i); err != nil {
			return err
		}
		s.expect(faulty, tally{Fired: 1, Failed: 1})
		_, err := s.run(s.ctx, programs[i%2], i, float32(i))
		return says(want)(err, i)
	}
}

func forgedSignature(s *scene) func(int) error {
	return misread(s, fmt.Sprintf(", signature = %q", contract.SignatureHash("f64[]->f64[]")),
		"not the signature that it was compiled for")
}

func tooManyTokens(s *scene) func(int) error {
	return misread(s, ", n_tokens = 7 : i64", "7 tokens")
}
