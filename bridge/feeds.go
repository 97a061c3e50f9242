package bridge

import (
	"fmt"

	"github.com/calliope-mlir/calliope/bridge/internal/hlo"
)

// checkFeeds returns an error if XLA's optimized program has an outfeed or an infeed: PJRT has no call for the
// other end, so a run would never end.
func checkFeeds(program []byte) error {
	name, place := hlo.Feed(program)
	if name == "" {
		return nil
	}
	if place != "" {
		place = " at " + place
	}
	return fmt.Errorf("bridge: compile: the module has an %s%s, which would wait forever, because nothing is at its other end: "+
		"make a callback of it with passes.Migrate", name, place)
}
