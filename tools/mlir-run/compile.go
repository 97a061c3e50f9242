package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/calliope-mlir/calliope/bridge"
	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// compile compiles the module. Which custom calls have a handler only XLA knows: it
// has some built in, takes others for annotations, and drops what nobody needs. So it
// is asked: a target that it finds no handler for is replaced by a callback, and it is
// asked again, until it has named them all. With --tap, the callbacks stay.
func (m *module) compile(client *bridge.Client, o options, stdout io.Writer) (*bridge.Executable, error) {
	t := &taps{module: m, out: stdout}
	program := m.program
	for {
		executable, err := client.Compile(context.Background(), program, bridge.CompileOptions{Replicas: o.replicas})
		if err != nil {
			served, tapErr := t.serve(err)
			if served {
				if t.rewritten {
					program = []byte(m.mlir.String())
				}
				continue
			}
			if tapErr != nil {
				err = tapErr
			}
		}
		if refused := t.refuse(o.tap); refused != nil {
			if executable != nil {
				refused = errors.Join(refused, executable.Close())
			}
			return nil, refused
		}
		return executable, err
	}
}

// taps are the callbacks that stand in for handlers that are missing.
type taps struct {
	module     *module
	mu         sync.Mutex // of out: XLA calls from several threads
	out        io.Writer
	registries map[string]*callbacks.Registry
	rewritten  bool     // the module is no longer what was read
	served     []string // targets and callbacks, against serving one for ever
	missing    []missing
}

// missing is a place that has no handler.
type missing struct {
	place, name string
	unfit       string // why a tap cannot stand in, "" where it can
}

// What XLA says when it finds no handler, for typed and for untyped custom calls.
var noHandler = []*regexp.Regexp{
	regexp.MustCompile(`No FFI handler registered for (.+?) on a platform`),
	regexp.MustCompile(`No registered implementation for untyped custom call to (.+?) for `),
}

// serve reports whether it has removed the cause of a compile's error.
func (t *taps) serve(failure error) (bool, error) {
	if unknown, ok := errors.AsType[*callbacks.UnknownError](failure); ok {
		return t.serveCallback(unknown)
	}
	plugin, ok := errors.AsType[*bridge.PluginError](failure)
	if !ok {
		return false, nil
	}
	for _, e := range noHandler {
		if found := e.FindStringSubmatch(plugin.Message); found != nil {
			return t.serveTarget(found[1])
		}
	}
	return false, nil
}

// serveCallback binds a callback of our own contract that nobody registered.
func (t *taps) serveCallback(unknown *callbacks.UnknownError) (bool, error) {
	name := unknown.Callback
	site := missing{t.module.name, fmt.Sprintf("callback %q", name), ""}
	calls := t.module.customCalls(func(call stablehlo.CustomCall) bool {
		if call.BackendConfig.IsNil() {
			return false
		}
		for key, value := range call.BackendConfig.Entries() {
			if text, _ := value.Text(); key == "callback" && text == name {
				return true
			}
		}
		return false
	})
	if len(calls) == 0 || slices.Contains(t.served, unknown.Registry+"/"+name) {
		site.unfit = "it is bound by an id, which was good in the process that made the module"
		t.missing = append(t.missing, site)
		return false, nil
	}
	site.place = t.module.place(calls[0])
	t.served = append(t.served, unknown.Registry+"/"+name)
	t.missing = append(t.missing, site)
	if t.registries == nil {
		t.registries = map[string]*callbacks.Registry{"": callbacks.Default}
	}
	registry := t.registries[unknown.Registry]
	if registry == nil {
		var err error
		if registry, err = callbacks.NewRegistry(unknown.Registry, callbacks.RegistryOptions{}); err != nil {
			return false, err
		}
		t.registries[unknown.Registry] = registry
	}
	err := registry.Register(name, func(c *callbacks.Frame) error {
		t.print(name, nil, c)
		if c.Config.Form == contract.Passthrough || c.Config.Form == contract.Observe {
			return nil
		}
		return repeat(name, c)
	}, callbacks.Options{})
	return err == nil, err
}

// serveTarget replaces the calls of a target that has no handler.
func (t *taps) serveTarget(target string) (bool, error) {
	if slices.Contains(t.served, target) {
		return false, nil
	}
	t.served = append(t.served, target)
	calls := t.module.customCalls(func(call stablehlo.CustomCall) bool { return call.Target == target })
	for _, op := range calls {
		if err := t.replace(op, target); err != nil {
			return false, err
		}
		t.rewritten = true
	}
	if len(calls) == 0 && strings.HasPrefix(target, "xla.sdy.") {
		return false, errors.New("the module is partitioned over several devices, which mlir-run does not do: it runs whole replicas")
	}
	return len(calls) > 0, nil
}

// refuse is the error for the handlers that are missing, nil where none is or where
// --tap stands in for all.
func (t *taps) refuse(tap bool) error {
	var b strings.Builder
	fit := 0
	for _, m := range t.missing {
		fmt.Fprintf(&b, "\n  %s: %s", m.place, m.name)
		if m.unfit != "" {
			fmt.Fprintf(&b, " (--tap cannot serve it: %s)", m.unfit)
		} else {
			fit++
		}
	}
	if len(t.missing) == 0 || tap && fit == len(t.missing) {
		return nil
	}
	hint := ""
	if fit > 0 && !tap {
		hint = "\nwith --tap their operands are printed, and passed on as the results"
	}
	return fmt.Errorf("nothing here handles these custom calls:%s%s", b.String(), hint)
}
