package stages_test

import (
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/stages"
)

// TestRandomSaved saves plans of random modules, and runs the loaded ones on a client and on the interpreter.
func TestRandomSaved(t *testing.T) {
	n, first := modules(t, 4)
	l := &log{}
	registerRandom(t, l)
	devices := stages.On(newClient(t).Engine())
	for seed := first; seed < first+n; seed++ {
		m, _, err := randomModule(mlirtest.Context(t), uint64(seed))
		check.NoError(t, err)
		c := &comparison{t: t, seed: uint64(seed), log: l, module: m}
		in := inputsOf(rand.New(rand.NewPCG(uint64(seed), 2)))
		var want outcome
		for i, w := range waysOf(uint64(seed), devices, cutAll("call", "tap"), true) {
			plan, err := stages.Cut(m, w.o)
			if err != nil && w.o.Lower != nil { // the module may have no pure callback
				continue
			}
			check.NoError(t, err)
			data, err := plan.Serialize()
			check.NoError(t, err)
			again, err := stages.Load(mlirtest.Context(t), data, stages.Options{Devices: w.o.Devices})
			if err != nil {
				c.fail(w, "%v", err)
			}
			if plan.DOT() != again.DOT() {
				c.fail(w, "the loaded plan is\n%s\nand the saved one was\n%s", again.DOT(), plan.DOT())
			}
			e, err := again.Compile(t.Context())
			check.NoError(t, errors.Join(err, again.Close(), plan.Close()))
			got := c.run(e, in, noFault, 0)
			if i == 0 {
				want = got
			}
			c.same(w, want, got)
			check.NoError(t, e.Close())
		}
		check.NoError(t, m.Close())
	}
}
