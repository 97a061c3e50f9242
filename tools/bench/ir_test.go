package main

import (
	"regexp"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
)

// TestSameWork checks that all clients do the same work: they build the same module,
// including locations. The builder's locations are its own lines.
func TestSameWork(t *testing.T) {
	var want string
	for _, c := range irWorks[0].clients {
		if c.name == "go-builder" {
			continue
		}
		m, err := newIRModule(mlirtest.Library(t), false)
		check.NoError(t, err)
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

// TestBuilderDoesTheSameWork compares the builder's operations with those of the C client,
// except for their locations.
func TestBuilderDoesTheSameWork(t *testing.T) {
	location := regexp.MustCompile(`loc = ".*?"`)
	operations := func(b mlir.Block) (n int, first []string) {
		for op := range b.Operations() {
			if n++; n <= 3 {
				first = append(first, location.ReplaceAllString(op.String(), ""))
			}
		}
		return n, first
	}
	compared := 0
	for _, work := range irWorks {
		if !slices.ContainsFunc(work.clients, func(c irClient) bool { return c.name == "go-builder" }) {
			continue
		}
		compared++
		m, err := newIRModule(mlirtest.Library(t), false)
		check.NoError(t, err)
		defer m.close()
		for _, c := range work.clients {
			if c.name == "c" || c.name == "go-builder" {
				if err := c.work(m); err != nil {
					t.Fatalf("%s: %v", c.name, err)
				}
			}
		}
		wantN, want := operations(m.block)
		gotN, got := operations(m.f.Param(0).MLIR().Block())
		if diff := cmp.Diff(want, got); diff != "" || wantN != gotN {
			t.Errorf("%s: the C client made %d operations and the builder %d, the first ones (-C +builder):\n%s", work.name, wantN, gotN, diff)
		}
	}
	if compared < 2 {
		t.Errorf("%d works were compared", compared)
	}
}
