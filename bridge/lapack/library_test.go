package lapack

import (
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/calliope-mlir/calliope/bridge"
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/native"
)

func TestTargets(t *testing.T) {
	targets := Targets()
	check.Diff(t, "number", 60, len(targets))
	for _, target := range targets {
		if !contract.IsLAPACKTarget(target) {
			t.Errorf("package contract does not know %s", target)
		}
	}
	if !slices.IsSorted(targets) {
		t.Errorf("the targets are not in order: %v", targets)
	}
}

// Register may be called again, and by several goroutines.
func TestRegister(t *testing.T) {
	plugin := check.Must(bridge.Open(bridge.OpenOptions{}))
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() { check.NoError(t, Register(plugin)) })
	}
	group.Wait()
	check.Error(t, Register(nil), "the plugin is nil")
}

func TestLoadErrors(t *testing.T) {
	junk := filepath.Join(t.TempDir(), "junk.so")
	check.NoError(t, os.WriteFile(junk, []byte("junk"), 0o644))
	_, err := load(junk)
	check.Error(t, err, "opening shared library "+junk)
	found := check.Must(native.Find(native.PJRTPlugin))
	_, err = load(found.Path)
	check.Error(t, err, "has neither scipy_dpotrf_ nor dpotrf_")
}

// Runs of one executable call LAPACK concurrently.
func TestConcurrent(t *testing.T) {
	e := elementTypes[1]
	const n = 30
	r := seeded()
	item := e.item(n, n)
	c := check.Must(client())
	p := program{{e.target("geev"), geevOptions('V', 'V'), []shape{item}, geevResults(e, n), []batch{{}}, nil}}
	x := check.Must(c.Compile(t.Context(), bridge.Source(p.module()), engine.CompileOptions{}))
	check.Cleanup(t, x)
	var group sync.WaitGroup
	for range 8 {
		a := random(r, e, n, n)
		group.Go(func() {
			for range 5 {
				out, err := x.Run(t.Context(), view(t, item, batch{items: []matrix{a}}))
				if err != nil {
					t.Error(err)
					return
				}
				var results []batch
				for i, b := range out {
					v, err := b.ToHost(t.Context())
					if err != nil {
						t.Error(err)
						return
					}
					results = append(results, batchOf(v, geevResults(e, n)[i]))
					check.NoError(t, b.Close())
				}
				values, next := eigenvalues(e, results, 0)
				right := results[next+1].items[0]
				near(t, loose(e), "A V", right.times(diagonal(n, n, func(i int) complex128 { return values[i] })),
					a.times(right))
			}
		})
	}
	group.Wait()
}
