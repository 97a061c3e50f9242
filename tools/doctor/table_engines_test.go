//go:build engines

package main

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/native"
)

// TestTablesOfAll compares docs/compatibility.md with what every pair of parts does.
func TestTablesOfAll(t *testing.T) {
	parts := slices.Concat(libraryOrder, native.Plugins())
	all := ensureReleases(t, parts)
	tables, err := measure(t.Context(), parts)
	check.NoError(t, err)
	want, got := fileTables(t), tables.String()
	if !all { // other platforms lack some parts
		got = known(got, want)
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("run `go generate ./tools/doctor`; docs/compatibility.md (-is +should be):\n%s", d)
	}
}
