//go:build cgo && !windows

// Package xla makes clients and compiles modules, by gopjrt.
//
// It is the only package that uses gopjrt: to replace gopjrt by another module or by C,
// only this package changes. Runs and buffers are calls of internal/pjrt, which works on
// the C objects behind those of gopjrt. An error that the plugin returned is a *pjrt.Error.
package xla

import (
	"errors"
	"fmt"
	"runtime"
	"strconv"
	"strings"

	gopjrt "github.com/gomlx/gopjrt/pjrt"

	"github.com/calliope-mlir/calliope/internal/pjrt"
)

// A Plugin makes the clients of a PJRT plugin. It is safe for concurrent use.
type Plugin struct {
	pjrt   *pjrt.Plugin
	gopjrt *gopjrt.Plugin
}

// Open registers a plugin with gopjrt, under a name that no other plugin in the process
// has. It is not safe for concurrent use.
func Open(name string, p *pjrt.Plugin) (*Plugin, error) {
	table, err := p.Decorate()
	if err != nil {
		return nil, err
	}
	if err := gopjrt.RegisterPreloadedPlugin(name, uintptr(table)); err != nil {
		return nil, pluginError(err)
	}
	theirs, err := gopjrt.GetPlugin(name)
	if err != nil {
		return nil, err
	}
	return &Plugin{p, theirs}, nil
}

// Attributes returns the plugin's attributes. The caller may change the map.
func (p *Plugin) Attributes() map[string]string {
	attributes := map[string]string{}
	for key, value := range p.gopjrt.Attributes() {
		attributes[key] = fmt.Sprint(value)
	}
	return attributes
}

// StableHLOVersion returns the StableHLO version that the plugin reports, such as "1.13.3",
// or "" if it reports none. It reads portable artifacts of that version and of older ones.
func (p *Plugin) StableHLOVersion() string {
	numbers, _ := p.gopjrt.Attributes()["stablehlo_current_version"].([]int64)
	return versionOf(numbers)
}

// versionOf returns a version of three numbers as text, "" for other numbers.
func versionOf(numbers []int64) string {
	if len(numbers) != 3 {
		return ""
	}
	return fmt.Sprintf("%d.%d.%d", numbers[0], numbers[1], numbers[2])
}

// NewClient returns a new client. devices is the number of devices that the CPU is divided
// into; 0 means the plugin's default.
func (p *Plugin) NewClient(devices int) (*Client, error) {
	options := gopjrt.NamedValuesMap{}
	if devices > 0 {
		options["cpu_device_count"] = int64(devices)
	}
	runtime.LockOSThread() // for LastClient
	defer runtime.UnlockOSThread()
	client, err := p.gopjrt.NewClient(options)
	if err != nil {
		return nil, pluginError(err)
	}
	own, err := p.pjrt.LastClient()
	if err != nil {
		return nil, errors.Join(err, client.Destroy())
	}
	return &Client{plugin: p, gopjrt: client, pjrt: own}, nil
}

// pluginError makes a *pjrt.Error of an error that gopjrt returned. gopjrt keeps the code
// only in the text. An error without a code does not come from the plugin and is returned
// unchanged.
func pluginError(err error) error {
	_, rest, found := strings.Cut(err.Error(), "PJRT error (code=")
	digits, message, cut := strings.Cut(rest, "): ")
	code, bad := strconv.Atoi(digits)
	if !found || !cut || bad != nil {
		return err
	}
	return &pjrt.Error{Code: code, Message: strings.TrimSpace(message)}
}
