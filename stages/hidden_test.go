package stages_test

import (
	"fmt"
	"testing"

	"github.com/calliope-mlir/calliope/bridge"
	"github.com/calliope-mlir/calliope/builder"
	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/internal/test/cctest"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/native"
	"github.com/calliope-mlir/calliope/stages"
)

// hiddenPlugin is the path of a plugin that is loaded once in the process.
var hiddenPlugin string

// hidden returns a client of the CPU plugin whose FFI extension is hidden.
func hidden(t *testing.T) *bridge.Client {
	t.Helper()
	found, err := native.Find(native.PJRTPlugin)
	check.NoError(t, err)
	t.Setenv("HIDDEN_PLUGIN", found.Path)
	if hiddenPlugin == "" {
		hiddenPlugin = cctest.Library(t, "testdata/hidden.c")
	}
	p, err := bridge.Open(bridge.OpenOptions{Path: hiddenPlugin})
	check.NoError(t, err)
	c, err := p.NewClient(bridge.ClientOptions{})
	check.NoError(t, err)
	check.Cleanup(t, c)
	return c
}

// TestHiddenFFI runs a module with callbacks on a plugin that cannot call back.
func TestHiddenFFI(t *testing.T) {
	register(t, "double", double, callbacks.Options{})
	ctx := mlirtest.Context(t)
	b := builder.New(ctx, builder.Options{})
	f := b.Func("main", shape)
	f.Return(builder.Neg(builder.RuntimeCall(f.Param(0), builder.Abs(f.Param(0)), builder.Callback{Name: "double"})))
	m, err := b.Module()
	check.NoError(t, err)
	check.Cleanup(t, m)

	without := hidden(t)
	check.Diff(t, "the plugin calls back", false, without.Plugin().CallsBack())
	_, err = bridge.Open(bridge.OpenOptions{Path: hiddenPlugin, Targets: []string{"mine"}})
	check.Error(t, err, `custom call target "mine": the plugin has no FFI extension`, "package stages")

	var results []string
	for _, client := range []*bridge.Client{newClient(t), without} {
		e, err := stages.Compile(t.Context(), m, stages.Options{Devices: stages.On(client.Engine())})
		check.NoError(t, err)
		check.Cleanup(t, e)
		_, staged := e.(*stages.Executable)
		check.Diff(t, "in stages", client == without, staged)
		got, err := e.Call(t.Context(), floats(1, -2, 3, -4))
		check.NoError(t, err)
		results = append(results, fmt.Sprint(got))
	}
	check.Diff(t, "results", results[0], results[1])
}
