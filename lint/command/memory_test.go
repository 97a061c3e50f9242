//go:build linux || windows

package command_test

import (
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
)

// TestMemoryLimit checks a file that takes too much memory, between others.
func TestMemoryLimit(t *testing.T) {
	check.NoRaces(t)
	t.Parallel()
	dir := t.TempDir()
	first := writeFile(t, dir, "first.mlir", unmarked)
	greedy := writeFile(t, dir, "greedy.mlir", "func.func @eat() { return }")
	last := writeFile(t, dir, "last.mlir", unmarked)
	const message = "error: reading and checking took more than 1GiB of memory and was stopped: raise -max-memory [invalid]\n"
	executeWith(everything, "", "-rules", "marks,eats", "-max-memory", "1GiB", "-j", "1", first, greedy, last).holds(t,
		2,
		first+":2:1: warning: no mark [marks]\n",
		greedy+":1:1: "+message,
		last+":2:1: warning: no mark [marks]\n")
	executeWith(everything, unmarked+marker+"func.func @eat() { return }\n", "-rules", "marks,eats", "-max-memory",
		"1GiB", "-split-input-file").holds(t, 2,
		"<stdin>:2:1: warning: no mark [marks]\n",
		"<stdin>:6:1: "+message)
	// The limit counts from the first input on.
	executeWith(everything, hanging, "-rules", "hangs", "-max-memory", "1MiB").holds(t, 2,
		"<stdin>:1:1: error: reading and checking took more than 1MiB of memory")
}
