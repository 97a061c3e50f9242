package command_test

import (
	"bytes"
	"context"
	"os"
	"testing"
	"time"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/lint/command"
)

// TestWatch holds that files are checked again after each change of them or of a configuration, and that the end
// of the context ends it with the status of the last check.
func TestWatch(t *testing.T) {
	tree(t, map[string]string{"m/a.mlir": outfeeds, "m/b.mlir": clean})
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	changes := []func(){
		func() { writeFile(t, "m", "b.mlir", clean+"// more\n") },
		func() { writeFile(t, ".", ".mlir-lint.yaml", "rules: {outfeed: note}\n") },
		func() { check.NoError(t, os.Remove("m/b.mlir")) },
		func() { writeFile(t, "m", "c.mlir", clean) },
		cancel,
	}
	checks := 0
	var stderr bytes.Buffer
	exit, err := command.Watch(ctx, []string{"m"}, time.Millisecond, &stderr, func() (int, error) {
		changes[checks]()
		checks++
		return checks, nil
	})
	check.NoError(t, err)
	check.Diff(t, "checks and exit status", []int{len(changes), len(changes)}, []int{checks, exit})
	check.Diff(t, "notes", len(changes), bytes.Count(stderr.Bytes(), []byte("waiting for changes\n")))
	for _, args := range [][]string{{"-fix", "m"}, {"-"}, nil, {"-add-ignores", "x", "m"}} {
		execute("", append([]string{"-watch"}, args...)...).holds(t, 2, "-watch checks files again and again")
	}
}
