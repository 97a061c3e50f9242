package stages

import (
	"context"
	"fmt"
	"sync"

	"github.com/calliope-mlir/calliope/bridge"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// On returns the first device of a client. The client must stay open as long as what is compiled
// on it.
func On(client *bridge.Client) Device { return onClient{client} }

type onClient struct{ c *bridge.Client }

func (d onClient) String() string         { return "the client's device 0" }
func (d onClient) callsBack() bool        { return d.c.CallsBack() }
func (d onClient) client() *bridge.Client { return d.c }

func (d onClient) compile(ctx context.Context, s *Stage, reading *sync.Mutex) (program, error) {
	e, err := d.c.Compile(ctx, source{stablehlo.Program(s.module), reading}, bridge.CompileOptions{})
	if err != nil {
		return nil, fmt.Errorf("stages: %s: %w", s.Name, err)
	}
	return &clientProgram{d.c, e}, nil
}

type clientProgram struct {
	client     *bridge.Client
	executable *bridge.Executable
}

func (p *clientProgram) run(ctx context.Context, inputs []*value, donate []bool) ([]*value, error) {
	list := make([]bridge.Input, len(inputs))
	for i, v := range inputs {
		in, err := v.input(ctx, p.client, donate[i])
		if err != nil {
			return nil, err
		}
		list[i] = in
	}
	buffers, err := p.executable.Run(ctx, list...)
	if err != nil {
		return nil, err
	}
	values := make([]*value, len(buffers))
	for i, b := range buffers {
		values[i] = onDevice(b, true)
	}
	return values, nil
}

func (p *clientProgram) close() error { return p.executable.Close() }
