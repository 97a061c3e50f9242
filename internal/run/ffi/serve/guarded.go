package serve

import (
	"fmt"
	"os"

	"github.com/calliope-mlir/calliope/tensor"
)

// A guarded is the copy of an array in debug mode, on pages of its own. A page that cannot be accessed follows them,
// after less than debugAlign bytes. The bytes around the array are canaries.
type guarded struct {
	name   string // such as "operand 0"
	shape  tensor.Shape
	memory []byte // the pages, with the last one
	start  int    // of the array
	end    int
}

const canary = 0xA5

var pageSize = os.Getpagesize()

// guardedSize returns the size of the memory for an array of n bytes.
func guardedSize(n int) int { return (debugSize(n)+pageSize-1)&^(pageSize-1) + pageSize }

// guard copies an array to the beginning of some memory, and returns what is left of that.
func guard(memory []byte, name string, v tensor.View) (g guarded, rest []byte) {
	size := guardedSize(len(v.Data))
	g = guarded{name: name, shape: v.Shape, memory: memory[:size], start: size - pageSize - debugSize(len(v.Data))}
	g.end = g.start + len(v.Data)
	for i := range size - pageSize {
		g.memory[i] = canary
	}
	copy(g.memory[g.start:], v.Data)
	return g, memory[size:]
}

func (g *guarded) data() []byte { return g.memory[g.start:g.end:g.end] }

// fence is the page after the array.
func (g *guarded) fence() []byte { return g.memory[len(g.memory)-pageSize:] }

// check returns an error if a callback wrote to the bytes around the array.
func (g *guarded) check() error {
	after := g.memory[g.end : len(g.memory)-pageSize]
	for i := len(after) - 1; i >= 0; i-- {
		if after[i] != canary {
			return fmt.Errorf("the function wrote %d bytes beyond the end of %s, %s: stay within the array", i+1,
				g.name, g.shape)
		}
	}
	for i, b := range g.memory[:g.start] {
		if b != canary {
			return fmt.Errorf("the function wrote %d bytes before the beginning of %s, %s: stay within the array",
				g.start-i, g.name, g.shape)
		}
	}
	return nil
}
