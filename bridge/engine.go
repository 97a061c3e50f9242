package bridge

import (
	"context"

	"github.com/calliope-mlir/calliope/engine"
)

// Engine returns the client as an engine. What it compiles is an *[Executable].
func (c *Client) Engine() engine.Engine {
	c.given("Engine")
	return clientEngine{c}
}

type clientEngine struct{ *Client }

// String implements engine.Engine.
func (clientEngine) String() string { return "the client" }

// Can implements engine.Engine.
func (e clientEngine) Can() engine.Abilities {
	return engine.Abilities{Callbacks: e.plugin.CallsBack(), All: true}
}

// Compile implements engine.Engine.
func (e clientEngine) Compile(ctx context.Context, p engine.Program, o engine.CompileOptions) (
	engine.Executable, error,
) {
	made, err := e.Client.Compile(ctx, p, o)
	if err != nil {
		return nil, err
	}
	return made, nil
}

// Owns implements engine.Engine.
func (e clientEngine) Owns(a *engine.Array) bool { return a != nil && clientOf(a) == e.Client }
