package faults

import (
	"testing"

	"github.com/calliope-mlir/calliope/bridge"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/nativetest"
	"github.com/calliope-mlir/calliope/native"
)

func TestMain(m *testing.M) { nativetest.Main(m, native.PJRTPlugin) }

// The faults that only the debug mode finds. Debug mode stays on in a process, so they run
// alone.
func TestDebug(t *testing.T) {
	plugin, err := bridge.Open(bridge.OpenOptions{Debug: true})
	check.NoError(t, err)
	for _, f := range Debug() {
		for _, way := range f.Ways {
			t.Run(f.Name+"/"+way.String(), func(t *testing.T) {
				check.Report(t, f.Inject(t.Context(), plugin, way, Options{}))
			})
		}
	}
}
