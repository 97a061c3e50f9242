package main

import (
	"github.com/calliope-mlir/calliope/bridge"
	"github.com/calliope-mlir/calliope/internal/host/dl"
	"github.com/calliope-mlir/calliope/internal/run/pjrt"
	"github.com/calliope-mlir/calliope/tools/bench/internal/floor"
)

// bare returns the plugin behind that of the bridge, for what calls it without the bridge.
func bare(plugin *bridge.Plugin) (*pjrt.Plugin, error) {
	library, err := dl.Open(plugin.Info().Path)
	if err != nil {
		return nil, err
	}
	return pjrt.Load(library)
}

// registerFloors registers the handlers in C that calls of Go are measured against.
func registerFloors(plugin *bridge.Plugin) error {
	p, err := bare(plugin)
	if err != nil {
		return err
	}
	return floor.Register(p)
}
