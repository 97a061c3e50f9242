//go:build engines

package stages_test

import (
	"fmt"
	"testing"

	"github.com/calliope-mlir/calliope/bridge"
	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/nativetest"
	"github.com/calliope-mlir/calliope/native"
	"github.com/calliope-mlir/calliope/stages"
)

// TestSecondPlugin runs a module that is cut in two on two plugins: the default one runs the first half, and another
// CPU plugin the second, and the other way round.
func TestSecondPlugin(t *testing.T) {
	register(t, "double", double, callbacks.Options{})
	m := halves(t, "double")
	in := floats(1, 2, 3, -4)
	first := devices(t, 2)
	whole, err := stages.Compile(t.Context(), m, stages.Options{Devices: stages.On(first.Engine())})
	check.NoError(t, err)
	check.Cleanup(t, whole)
	want, err := whole.Call(t.Context(), in)
	check.NoError(t, err)
	for _, part := range nativetest.FurtherPlugins(t) {
		t.Run(string(part), func(t *testing.T) {
			found, err := native.Ensure(t.Context(), part, native.EnsureOptions{})
			check.NoError(t, err)
			p, err := bridge.Open(bridge.OpenOptions{Path: found.Path})
			check.NoError(t, err)
			second, err := p.NewClient(bridge.ClientOptions{Devices: 2})
			check.NoError(t, err)
			check.Cleanup(t, second)
			for _, clients := range [][]*bridge.Client{{first, second}, {second, first}} {
				before := held(first, second)
				e, err := stages.Compile(t.Context(), m, stages.Options{
					Devices: append(stages.On(clients[0].Engine(), 1), stages.On(clients[1].Engine())...),
					Place:   after("double"),
					Force:   cutAll("double"),
				})
				check.NoError(t, err)
				for range 3 {
					got, err := e.Call(t.Context(), in)
					check.NoError(t, err)
					check.Diff(t, "results", fmt.Sprint(want), fmt.Sprint(got))
				}
				x := put(t, clients[1], 1)
				out, err := e.Run(t.Context(), engine.Donate(x))
				check.NoError(t, err)
				for i, b := range out {
					check.Diff(t, "results", fmt.Sprint(want[i]), fmt.Sprint(check.Must(b.ToHost(t.Context()))))
					if !clients[1-i].Engine().Owns(b) {
						t.Errorf("result %d is on the wrong client", i)
					}
					check.NoError(t, b.Close())
				}
				check.NoError(t, e.Close())
				checkHeld(t, before, first, second)
			}
		})
	}
}
