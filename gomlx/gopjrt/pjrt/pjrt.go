// Package pjrt is gopjrt's package of this name by that of go-xla, its successor. Both have C functions of the same
// names, so a program that links one cannot link the other. A program that has go-xla puts this module in the place of
// gopjrt:
//
//	go mod edit -replace github.com/gomlx/gopjrt=github.com/calliope-mlir/calliope/gomlx/gopjrt@latest
//
// It has what Calliope uses of gopjrt.
package pjrt

import "github.com/gomlx/go-xla/pjrt"

type (
	Plugin           = pjrt.Plugin
	Client           = pjrt.Client
	LoadedExecutable = pjrt.LoadedExecutable
	NamedValuesMap   = pjrt.NamedValuesMap
)

// RegisterPreloadedPlugin gives a plugin a name.
func RegisterPreloadedPlugin(name string, api uintptr) error {
	return pjrt.RegisterPreloadedPlugin(name, api)
}

// GetPlugin returns a plugin by its name.
func GetPlugin(name string) (*Plugin, error) { return pjrt.GetPlugin(name) }
