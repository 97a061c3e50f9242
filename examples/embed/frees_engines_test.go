//go:build engines && linux

package main

import (
	"strconv"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/native"
)

// TestHelperFrees holds that the helper of the host in C frees its client, executable and buffers, which have 770 KiB.
// What XLA keeps of a client is less than 40.
func TestHelperFrees(t *testing.T) {
	plugin := check.Must(native.Ensure(t.Context(), native.PJRTPlugin, native.EnsureOptions{}))
	var out strings.Builder
	w := newWork(t, "")
	w.out = &out
	check.NoError(t, w.command(nil, compiler("CC", "cc"), "-std=gnu11", "-o", w.built("frees"),
		w.source("examples/embed/testdata/frees.c"), "-ldl"))
	check.NoError(t, w.command(nil, w.built("frees"), plugin.Path))
	if grown := check.Must(strconv.Atoi(strings.TrimSpace(out.String()))); grown > 100 {
		t.Errorf("the heap grows by %d KiB in each run", grown)
	}
}
