package main

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/calliope-mlir/calliope/internal/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
)

// TestSameWork holds that what is measured is the same: all clients build one module,
// locations included.
func TestSameWork(t *testing.T) {
	var want string
	for _, c := range irWorks[0].clients {
		m, err := newIRModule(mlirtest.Library(t), false)
		if err != nil {
			t.Fatal(err)
		}
		defer m.close()
		if err := c.work(m); err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		got := m.module.Operation().Print(mlir.PrintOptions{Generic: true, DebugInfo: true})
		if want == "" {
			want = got
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s built something else (-C +%s):\n%s", c.name, c.name, diff)
		}
	}
}
