package hlo

import (
	"bytes"
	"iter"
	"strings"
)

// instructions iterates over the instructions of XLA's program, with their opcodes.
func instructions(program []byte) iter.Seq2[string, []byte] {
	const module, computation, instruction, opcode = 1, 3, 2, 2
	return func(yield func(string, []byte) bool) {
		for hlo := range fields(program, module) {
			for c := range fields(hlo.bytes, computation) {
				for i := range fields(c.bytes, instruction) {
					if !yield(string(first(i.bytes, opcode).bytes), i.bytes) {
						return
					}
				}
			}
		}
	}
}

// Feed returns the name and the place of an outfeed or an infeed of XLA's program, or "" for both.
func Feed(program []byte) (name, place string) {
	if !bytes.Contains(program, []byte("feed")) {
		return "", "" // most programs, without a look at their instructions
	}
	for op, i := range instructions(program) {
		if op == "infeed" || op == "outfeed" {
			return op, placeOf(i)
		}
	}
	return "", ""
}

// Permute returns the greatest number that a collective permute of XLA's program names, and its place, or -1.
func Permute(program []byte) (greatest int, place string) {
	greatest = -1
	if !bytes.Contains(program, []byte("collective-permute")) {
		return greatest, ""
	}
	const pairs, source, target = 52, 1, 2 // of HloInstructionProto and of its SourceTarget
	for op, i := range instructions(program) {
		if !strings.HasPrefix(op, "collective-permute") {
			continue
		}
		for pair := range fields(i, pairs) {
			for _, end := range []uint64{source, target} {
				if n := int(first(pair.bytes, end).number); n > greatest {
					greatest, place = n, placeOf(i)
				}
			}
		}
	}
	return greatest, place
}
