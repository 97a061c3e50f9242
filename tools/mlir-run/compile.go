package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/calliope-mlir/calliope/bridge"
	"github.com/calliope-mlir/calliope/bridge/preflight"
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/engine/load"
	"github.com/calliope-mlir/calliope/jit"
	"github.com/calliope-mlir/calliope/native"
	"github.com/calliope-mlir/calliope/stages"
)

// compile compiles the module for whole arrays. The engine sees no custom calls without a handler.
// report gets the profiles of its runs, if the options ask for them.
func (m *module) compile(
	e engine.Engine, o options, s *standIns, report func(jit.Profile), progress io.Writer,
) (engine.Executable, error) {
	if err := m.serveCalls(o, s); err != nil {
		return nil, err
	}
	if o.profile {
		return m.compileMeasured(s, report, progress)
	}
	options := stages.Options{Devices: stages.On(e), Fallback: o.fallback,
		Compile: engine.CompileOptions{Replicas: o.replicas, JAXCallbacks: s.jax, Exact: o.exact}}
	made, err := load.Compile(context.Background(), m.ir.Module, options, native.EnsureOptions{Progress: progress})
	if plugin, ok := errors.AsType[*bridge.PluginError](err); ok && o.partitions == 1 &&
		strings.Contains(plugin.Message, "custom call to "+shardyTarget) {
		return nil, errManual // XLA itself generates it for a manual computation
	}
	return made, err
}

// serveCalls finds custom calls without a handler, and replaces them by callbacks if the options allow it.
func (m *module) serveCalls(o options, s *standIns) error {
	if o.check {
		if err := s.serveChecks(); err != nil {
			return err
		}
	}
	if found, ok := errors.AsType[*preflight.Error](preflight.Check(m.ir.Module,
		preflight.Options{File: m.name, Targets: targets, Handlers: m.handlers, Partitions: o.partitions})); ok {
		for _, p := range found.Problems {
			if p.Kind == preflight.BadDevices {
				continue // ApplyPolicies puts it into a manual computation
			}
			if err := s.serve(p); err != nil {
				return err
			}
		}
	}
	return s.refuse(o)
}

// shardyTarget is the prefix of Shardy's targets.
const shardyTarget = "xla.sdy."

var errManual = errors.New("it has a manual computation for one device, and the XLA of this plugin runs them for several devices only")

// missing is a call site without a handler.
type missing struct {
	place, name string
	unfit       string // why there is no stand-in, "" if there is one
	legacy      bool   // it is of api_version 0 to 3
}

// refuse returns the error for missing handlers. It returns nil if none is missing or all
// of them have stand-ins.
func (s *standIns) refuse(o options) error {
	var b strings.Builder
	fit, served := 0, o.tap || o.stub != "" || o.replay != ""
	for _, m := range s.missing {
		fmt.Fprintf(&b, "\n  %s: %s", m.place, m.name)
		switch {
		case m.unfit == "":
			fit++
		case o.replay != "":
			fmt.Fprintf(&b, " (--replay cannot serve it: %s)", m.unfit)
		case o.stub != "":
			fmt.Fprintf(&b, " (--stub cannot serve it: %s)", m.unfit)
		default:
			fmt.Fprintf(&b, " (--tap cannot serve it: %s)", m.unfit)
		}
	}
	if len(s.missing) == 0 || served && fit == len(s.missing) {
		return nil
	}
	hint := ""
	if fit > 0 && !served {
		hint = "\nwith --tap their operands are printed, and passed on as the results; with --stub zeros they return zeros"
	}
	if slices.ContainsFunc(s.missing, func(m missing) bool { return m.legacy && !contract.IsCheckTarget(m.name) }) {
		hint += "\nwith --legacy a function of a shared library serves those of api_version 0 to 3"
	}
	if slices.ContainsFunc(s.missing, func(m missing) bool { return contract.IsCheckTarget(m.name) }) {
		hint += "\nwith --check the run is judged by its checks"
	}
	return fmt.Errorf("these custom calls have no handler:%s%s", b.String(), hint)
}
