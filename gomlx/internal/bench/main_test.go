package main

import (
	"context"
	"slices"
	"testing"

	"github.com/gomlx/compute"

	"github.com/calliope-mlir/calliope/native"
)

// TestWorks does each piece of work on each backend that is linked: with the tag xla there are two in one process.
func TestWorks(t *testing.T) {
	plugin, err := native.Ensure(context.Background(), native.PJRTPlugin, native.EnsureOptions{})
	if err != nil {
		t.Fatal(err)
	}
	configs := map[string]string{"calliope": "calliope:plugin=" + plugin.Path, "xla": "xla:" + plugin.Path}
	var backends []compute.Backend
	for _, name := range slices.Sorted(slices.Values(compute.List())) {
		if configs[name] == "" {
			continue // another name of one of them
		}
		b, err := compute.NewWithConfig(configs[name])
		if err != nil {
			t.Fatal(err)
		}
		defer b.Finalize()
		backends = append(backends, b)
	}
	if len(backends) != linked {
		t.Fatalf("there are %d of %d backends: %q", len(backends), linked, compute.List())
	}
	for _, b := range backends {
		works, err := worksOn(b)
		if err != nil {
			t.Fatal(err)
		}
		for name, w := range works {
			if took := w(1); took <= 0 {
				t.Errorf("%s: %s took %v", b.Name(), name, took)
			}
		}
	}
}
