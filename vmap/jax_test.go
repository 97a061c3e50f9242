package vmap_test

import (
	"fmt"
	"testing"

	"github.com/calliope-mlir/calliope/internal/ir/transform/transformtest"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/tensor"
	"github.com/calliope-mlir/calliope/vmap"
)

// A jaxCase is a function of JAX as a module, with what JAX's vmap computes of it. testdata/make.py writes them.
type jaxCase struct {
	Name      string
	Module    string
	Arguments []transformtest.Array // batches
	Variants  []struct {
		Batched []bool // of the arguments; the others are the first of the batch
		Results []transformtest.Array
	}
}

// TestAgainstJAX holds the batches of each operation to those of JAX, for each choice of batched arguments.
func TestAgainstJAX(t *testing.T) {
	client := newClient(t)
	n := 0
	for _, c := range transformtest.ReadCases[jaxCase](t, "testdata/cases.json.gz") {
		for _, variant := range c.Variants {
			if n++; !transformtest.Takes(n) {
				continue
			}
			t.Run(fmt.Sprint(c.Name, variant.Batched), func(t *testing.T) {
				t.Parallel()
				f := function(t, parse(t, c.Module), "main")
				o := vmap.Options{Size: 3}
				var arguments []tensor.View
				for i, a := range c.Arguments {
					if v := a.View(t); variant.Batched[i] {
						o.In, arguments = append(o.In, 0), append(arguments, v)
					} else {
						o.In, arguments = append(o.In, vmap.NotBatched), append(arguments, part(t, v, 0))
					}
				}
				batched, err := vmap.Batch(f, o)
				check.NoError(t, err)
				got := compile(t, client, batched)(arguments...)
				if len(got) != len(variant.Results) {
					t.Fatalf("%d results, want %d", len(got), len(variant.Results))
				}
				for i, w := range variant.Results {
					transformtest.Near(t, fmt.Sprintf("result %d", i), w.View(t), got[i])
				}
				if t.Failed() {
					t.Logf("%s\n%s", c.Module, batched)
				}
			})
		}
	}
}
