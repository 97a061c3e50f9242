package main

import (
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/native"
)

// TestThreads holds that 16 threads may use the library at once, that each has its own message, and that drop
// is called once, after the last call. Go's garbage collector runs often, because it finds pointers that are wrong.
func TestThreads(t *testing.T) {
	golden(t, "threads.txt", runIn(t, []string{"CALLIOPE_MLIR_LINT=/bin/true", "GOGC=20"}, compile(t, "threads.c")))
}

// TestFork holds that a child refuses all functions, and that its parent and a child after exec do not.
func TestFork(t *testing.T) {
	program := compile(t, "process.c")
	for _, way := range []string{"fork", "exec"} {
		t.Run(way, func(t *testing.T) { golden(t, way+".txt", run(t, program, way)) })
	}
}

// TestClose holds that the functions of a library that was closed still work.
func TestClose(t *testing.T) {
	golden(t, "close.txt", run(t, load(t), "close", filepath.Join(built, "libcalliope.so")))
}

// TestSignals holds that a host's handlers get its signals, those of faults too, also during calls, whether they are
// installed before or after the library is loaded.
func TestSignals(t *testing.T) {
	program := load(t)
	for _, when := range []string{"before", "after"} {
		t.Run(when, func(t *testing.T) {
			cmd := exec.CommandContext(t.Context(), program, when, filepath.Join(built, "libcalliope.so"))
			out, err := cmd.CombinedOutput()
			check.Error(t, err, "signal: terminated") // which the program ends with
			golden(t, "signals.txt", string(out))
		})
	}
}

// load compiles the program that loads the library.
func load(t *testing.T) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "loaded")
	compiler(t, "-o", program, "testdata/loaded.c", "-ldl", "-pthread")
	return program
}

// TestGoHost holds that a program in Go that loads the library is refused.
func TestGoHost(t *testing.T) {
	check.NoError(t, build("gohost", "./testdata/gohost"))
	golden(t, "gohost.txt", run(t, filepath.Join(built, "gohost"), filepath.Join(built, "libcalliope.so")))
}

// TestSmallStack calls on a thread with the least stack that pthreads have.
func TestSmallStack(t *testing.T) {
	golden(t, "stack.txt", runIn(t, []string{"CALLIOPE_MLIR_LINT=/bin/true"}, compile(t, "process.c"), "stack", "16",
		part(t, native.MLIR)))
}
