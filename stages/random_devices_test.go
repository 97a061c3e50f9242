package stages_test

import (
	"math/rand/v2"
	"testing"

	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/stages"
	"github.com/calliope-mlir/calliope/tensor"
)

// TestRandomPlaces runs random modules inline, and in stages on devices that are chosen at random: those of two
// clients, and the interpreter. They agree in the results, in what callbacks see, and in the order of each effect.
func TestRandomPlaces(t *testing.T) {
	l := &log{}
	registerRandom(t, l)
	client, other := devices(t, 3), devices(t, 2)
	before := held(client, other)
	all := append(append(stages.On(client.Engine(), 2, 0, 1), stages.On(other.Engine(), 1)...), stages.Interpreter())
	used := map[int]int{}
	n, first := modules(t, 6)
	for seed := first; seed < first+n; seed++ {
		m, _, err := randomModule(mlirtest.Context(t), uint64(seed))
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		c := &comparison{t: t, seed: uint64(seed), log: l, module: m}
		r := rand.New(rand.NewPCG(uint64(seed), 4))
		in := inputsOf(r)
		var want outcome
		for i := range 4 {
			w := way{"inline", stages.Options{Devices: stages.On(client.Engine())}}
			if i > 0 {
				n := len(all) - i%2 // the interpreter is slow
				w = way{"on devices at random",
					stages.Options{Devices: all[:n], Force: cutAll(callNames...), Place: func(*stages.Stage) int {
						at := r.IntN(n)
						used[at]++
						return at
					}}}
			}
			e, err := stages.Compile(t.Context(), m, w.o)
			if err != nil {
				c.fail(w, "%v", err)
			}
			got := c.run(e, in, noFault, 0)
			if i == 0 {
				want = got
			}
			c.same(w, want, got)
			check.NoError(t, e.Close())
		}
		check.NoError(t, m.Close())
	}
	checkHeld(t, before, client, other)
	for i := range all {
		if used[i] == 0 && n >= 6 {
			t.Errorf("no stage was on %s", all[i])
		}
	}
}

// TestRandomReplicas runs random modules on replicas with different inputs, so that they go different ways. They agree
// with a run of the module for each replica's inputs.
func TestRandomReplicas(t *testing.T) {
	const replicas = 3
	l := &log{}
	registerRandom(t, l)
	client := devices(t, replicas)
	n, first := modules(t, 6)
	for seed := first; seed < first+n; seed++ {
		m, _, err := randomModule(mlirtest.Context(t), uint64(seed))
		check.NoError(t, err)
		c := &comparison{t: t, seed: uint64(seed), log: l, module: m}
		r := rand.New(rand.NewPCG(uint64(seed), 5))
		var in, want []tensor.View
		alone := way{"alone", stages.Options{Devices: stages.On(client.Engine())}}
		one, err := stages.Compile(t.Context(), m, alone.o)
		check.NoError(t, err)
		for range replicas {
			args := inputsOf(r)
			got := c.run(one, args, noFault, 0)
			if got.err != nil {
				c.fail(alone, "%v", got.err)
			}
			in, want = append(in, args...), append(want, got.results...)
		}
		check.NoError(t, one.Close())
		w := way{"on replicas",
			stages.Options{Devices: stages.On(client.Engine()),
				Compile: engine.CompileOptions{Replicas: replicas}, Force: cutAll(callNames...)}}
		e, err := stages.Compile(t.Context(), m, w.o)
		if err != nil {
			c.fail(w, "%v", err)
		}
		got := c.run(e, in, noFault, 0)
		if d := differs(want, got.results); d != "" || got.err != nil {
			c.fail(w, "results: %s, error %v", d, got.err)
		}
		check.NoError(t, e.Close())
		check.NoError(t, m.Close())
	}
}
