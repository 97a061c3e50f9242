package bridge

import (
	"bytes"
	"fmt"
)

// checkFeeds returns an error if XLA's optimized program has an outfeed or an infeed: PJRT has no call for the
// other end, so a run would never end.
func checkFeeds(program []byte) error {
	if !bytes.Contains(program, []byte("feed")) {
		return nil // most programs, without a look at their instructions
	}
	const module, computation, instruction, opcode = 1, 3, 2, 2
	for hlo := range fields(program, module) {
		for c := range fields(hlo.bytes, computation) {
			for i := range fields(c.bytes, instruction) {
				switch op := string(first(i.bytes, opcode).bytes); op {
				case "infeed", "outfeed":
					at := ""
					if place := placeOf(i.bytes); place != "" {
						at = " at " + place
					}
					return fmt.Errorf("bridge: compile: the module has an %s%s, which would wait forever, because nothing is at its other end: make a callback of it with passes.Migrate", op, at)
				}
			}
		}
	}
	return nil
}
