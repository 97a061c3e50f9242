package stages

import (
	"context"
	"errors"
	"fmt"

	"github.com/calliope-mlir/calliope/bridge"
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/passes"
)

// On returns devices of a client by their numbers, or the first one if there are none. The client must
// stay open as long as what is compiled on it.
func On(client *bridge.Client, devices ...int) []Device {
	if len(devices) == 0 {
		devices = []int{0}
	}
	list := make([]Device, len(devices))
	for i, n := range devices {
		list[i] = onClient{place{client, n}}
	}
	return list
}

type onClient struct{ at place }

func (d onClient) String() string  { return fmt.Sprintf("the client's device %d", d.at.number) }
func (d onClient) callsBack() bool { return d.at.client.CallsBack() }
func (d onClient) place() place    { return d.at }

func (d onClient) check() error {
	if d.at.client == nil {
		return errors.New("its client is nil: open one with bridge.Open and NewClient")
	}
	if n := d.at.client.NumDevices(); d.at.number < 0 || d.at.number >= n {
		return fmt.Errorf("there is no device %d; the client has %d, numbered from 0: see ClientOptions.Devices",
			d.at.number, n)
	}
	return nil
}

func (d onClient) compile(ctx context.Context, s *Stage, exact bool) (*compiledStage, error) {
	m := stageModule{passes.Program(s.module, passes.PrepareOptions{PoliciesApplied: true}), s.jax}
	e, err := d.at.client.Compile(ctx, m,
		bridge.CompileOptions{Replicas: s.replicas, JAXCallbacks: s.jax, Exact: exact})
	if err != nil {
		return nil, fmt.Errorf("stages: %s: %w", s.Name, err)
	}
	return &compiledStage{executable: e, calls: len(e.Callbacks()) > 0}, nil
}

// A stageModule is the module of a stage for the bridge.
type stageModule struct {
	passes.Prepared
	jax []string // see Stage
}

// Describe implements bridge.DescribedProgram. A stage has no runtime tokens, see refuse, and only some
// of the module's calls of JAX.
func (s stageModule) Describe(version string, placed bool) (contract.Module, error) {
	m, err := s.Prepared.Describe(version, placed)
	m.Effects = nil
	if len(s.jax) > 0 {
		m.Calls = nil
	}
	return m, err
}
