//go:build cgo && !windows

// Package xla makes clients and compiles modules, by gopjrt.
//
// It is the only package that uses gopjrt: to replace gopjrt by another module or by C,
// only this package changes. Runs and buffers are calls of internal/run/pjrt, which works on
// the C objects behind those of gopjrt. An error that the plugin returned is a *pjrt.Error.
package xla

import (
	"errors"
	"fmt"
	"runtime"
	"strconv"
	"strings"

	gopjrt "github.com/gomlx/gopjrt/pjrt"

	"github.com/calliope-mlir/calliope/bridge/internal/quiet"
	"github.com/calliope-mlir/calliope/internal/run/pjrt"
)

func init() { quiet.End() }

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
	keepNoArenas(theirs)
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

// ClientOptions are the options of NewClient.
type ClientOptions struct {
	Devices            int        // that the CPU is divided into; 0 means the plugin's default
	Process, Processes int        // the number of this process, and how many there are, if Store is not nil
	Store              pjrt.Store // what they share
}

// NewClient returns a new client.
func (p *Plugin) NewClient(o ClientOptions) (*Client, error) {
	options := gopjrt.NamedValuesMap{}
	if o.Devices > 0 {
		options["cpu_device_count"] = int64(o.Devices)
	}
	runtime.LockOSThread() // for LastClient
	defer runtime.UnlockOSThread()
	c := &Client{plugin: p, release: func() {}}
	var err error
	create := func() { c.gopjrt, err = p.gopjrt.NewClient(options) }
	if o.Store == nil {
		create()
	} else {
		options["node_id"], options["num_nodes"] = int64(o.Process), int64(o.Processes)
		c.release = pjrt.WithStore(o.Store, create)
	}
	if err != nil {
		c.release()
		return nil, pluginError(err)
	}
	c.pjrt, err = p.pjrt.LastClient()
	if err == nil && o.Store == nil && c.pjrt.NumDevices() < c.pjrt.NumInAll() {
		err = fmt.Errorf("the client has %d devices, of which this process can use %d: state the processes that share it in ClientOptions.Process", c.pjrt.NumInAll(), c.pjrt.NumDevices())
	}
	if err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return c, nil
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
