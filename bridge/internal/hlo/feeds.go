package hlo

import "bytes"

// Feed returns the name and the place of an outfeed or an infeed of XLA's program, or "" for both.
func Feed(program []byte) (name, place string) {
	if !bytes.Contains(program, []byte("feed")) {
		return "", "" // most programs, without a look at their instructions
	}
	const module, computation, instruction, opcode = 1, 3, 2, 2
	for hlo := range fields(program, module) {
		for c := range fields(hlo.bytes, computation) {
			for i := range fields(c.bytes, instruction) {
				switch op := string(first(i.bytes, opcode).bytes); op {
				case "infeed", "outfeed":
					return op, placeOf(i.bytes)
				}
			}
		}
	}
	return "", ""
}
