package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/calliope-mlir/calliope/bridge"
	"github.com/calliope-mlir/calliope/bridge/preflight"
)

// compile compiles the module. The custom calls that nothing here handles are found
// before XLA sees them, and replaced by callbacks where the options say with what.
func (m *module) compile(client *bridge.Client, o options, s *standIns) (*bridge.Executable, error) {
	if found, ok := errors.AsType[*preflight.Error](preflight.Check(m.mlir, preflight.Options{File: m.name, Targets: targets})); ok {
		for _, p := range found.Problems {
			if err := s.serve(p); err != nil {
				return nil, err
			}
		}
	}
	if err := s.refuse(o); err != nil {
		return nil, err
	}
	program := m.program
	if s.rewritten {
		program = []byte(m.mlir.String())
	}
	executable, err := client.Compile(context.Background(), program, bridge.CompileOptions{Replicas: o.replicas})
	if plugin, ok := errors.AsType[*bridge.PluginError](err); ok && strings.Contains(plugin.Message, "custom call to "+sharded) {
		return nil, errPartitioned // what XLA itself makes of a manual computation
	}
	return executable, err
}

// sharded begins the targets of Shardy.
const sharded = "xla.sdy."

var errPartitioned = errors.New("the module is partitioned over several devices, which mlir-run does not do: it runs whole replicas")

// missing is a place that has no handler.
type missing struct {
	place, name string
	unfit       string // why nothing can stand in, "" where something can
}

// refuse is the error for the handlers that are missing, nil where none is or where
// something stands in for all.
func (s *standIns) refuse(o options) error {
	var b strings.Builder
	fit, served := 0, o.tap || o.replay != ""
	for _, m := range s.missing {
		fmt.Fprintf(&b, "\n  %s: %s", m.place, m.name)
		switch {
		case m.unfit == "":
			fit++
		case o.replay != "":
			fmt.Fprintf(&b, " (--replay cannot serve it: %s)", m.unfit)
		default:
			fmt.Fprintf(&b, " (--tap cannot serve it: %s)", m.unfit)
		}
	}
	if len(s.missing) == 0 || served && fit == len(s.missing) {
		return nil
	}
	hint := ""
	if fit > 0 && !served {
		hint = "\nwith --tap their operands are printed, and passed on as the results"
	}
	return fmt.Errorf("nothing here handles these custom calls:%s%s", b.String(), hint)
}
