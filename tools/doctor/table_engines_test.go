//go:build engines

package main

import (
	"runtime"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/calliope-mlir/calliope/native"
)

// TestReadmeTablesOfAll compares the README with what every pair of parts does.
func TestReadmeTablesOfAll(t *testing.T) {
	for _, p := range native.Parts() {
		if p.Fetchable() {
			if _, err := native.Ensure(t.Context(), p, native.EnsureOptions{}); err != nil {
				t.Fatal(err)
			}
		}
	}
	tables, err := measure(t.Context(), native.Parts())
	if err != nil {
		t.Fatal(err)
	}
	want, got := readmeTables(t), tables.String()
	if runtime.GOOS+"/"+runtime.GOARCH != "linux/amd64" {
		got = known(got, want) // other platforms lack some parts
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("run `go generate ./tools/doctor`; README.md (-is +should be):\n%s", d)
	}
}
