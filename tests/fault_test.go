package tests

import (
	"testing"

	"github.com/calliope-mlir/calliope/bridge"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/tools/soak/faults"
)

// Everything that can go wrong in a callback goes wrong, a few times in each way of
// dispatch, in concurrent runs. go run ./tools/soak faults does it a thousand times.
func TestFaults(t *testing.T) {
	plugin, err := bridge.Open(bridge.OpenOptions{})
	check.NoError(t, err)
	for _, f := range faults.All() {
		for _, way := range f.Ways {
			t.Run(f.Name+"/"+way.String(), func(t *testing.T) {
				t.Parallel()
				check.Report(t, f.Inject(t.Context(), plugin, way, faults.Options{}))
			})
		}
	}
}
