package stages_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/internal/run/forgotten"
	"github.com/calliope-mlir/calliope/internal/run/pjrt"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stages"
	"github.com/calliope-mlir/calliope/tensor"
)

// modulesVariable sets the number of random modules, and seedVariable the first one.
const (
	modulesVariable = "CALLIOPE_STAGES_MODULES"
	seedVariable    = "CALLIOPE_STAGES_SEED"
)

func numberIn(t *testing.T, variable string, otherwise int) int {
	t.Helper()
	text := os.Getenv(variable)
	if text == "" {
		return otherwise
	}
	n, err := strconv.Atoi(text)
	check.NoError(t, err)
	return n
}

// modules returns the number of random modules, by default n, and the seed of the first one. The soak command runs
// many.
func modules(t *testing.T, n int) (number, first int) {
	t.Helper()
	if testing.Short() {
		n /= 4
	}
	return numberIn(t, modulesVariable, n), numberIn(t, seedVariable, 0)
}

// A comparison runs one random module in several ways.
type comparison struct {
	t      *testing.T
	seed   uint64
	log    *log
	module *mlir.Module
}

// An outcome is what one run returned, and what its callbacks saw.
type outcome struct {
	results []tensor.View
	err     error
	effects map[string][]entry
	others  []entry
}

func (c *comparison) run(e engine.Executable, in []tensor.View, f fault, at int) (o outcome) {
	ctx, cancel := context.WithCancel(c.t.Context())
	defer cancel()
	c.log.begin(f, at, cancel)
	o.results, o.err = c.results(ctx, e, in)
	check.NoError(c.t, callbacks.Barrier(c.t.Context(), "random"))
	o.effects, o.others = c.log.take()
	return o
}

// results runs a module by Call, and for every other seed by Run.
func (c *comparison) results(ctx context.Context, e engine.Executable, in []tensor.View) ([]tensor.View, error) {
	if c.seed%2 == 0 {
		return e.Call(ctx, in...)
	}
	var inputs []engine.Input
	for _, v := range in {
		inputs = append(inputs, v)
	}
	buffers, err := e.Run(ctx, inputs...)
	var list []tensor.View
	for _, b := range buffers {
		list = append(list, check.Must(b.ToHost(c.t.Context())))
		check.NoError(c.t, b.Close())
	}
	return list, err
}

func (c *comparison) fail(w way, format string, args ...any) {
	c.t.Helper()
	c.t.Fatalf("seed %d, %s: %s\n%s", c.seed, w.name, fmt.Sprintf(format, args...), c.module)
}

// same compares two runs that did not fail.
func (c *comparison) same(w way, want, got outcome) {
	c.t.Helper()
	if got.err != nil || want.err != nil {
		c.fail(w, "the errors are %v and %v", want.err, got.err)
	}
	if d := differs(want.results, got.results); d != "" {
		c.fail(w, "results: %s", d)
	}
	for _, effect := range []string{"", "a", "b"} {
		if d := differ(want.effects[effect], got.effects[effect]); d != "" {
			c.fail(w, "effect %q: %s", effect, d)
		}
	}
	if d := differWithout(want.others, got.others); d != "" {
		c.fail(w, "%s", d)
	}
}

// failed compares a run that failed with the inline one, and with the one that did not fail.
func (c *comparison) failed(w way, whole, want, got outcome) {
	c.t.Helper()
	if got.err == nil || want.err == nil {
		c.fail(w, "the errors are %v and %v", want.err, got.err)
	}
	for _, cause := range []error{errRandom, context.Canceled} {
		if errors.Is(want.err, cause) != errors.Is(got.err, cause) {
			c.fail(w, "the errors are %v and %v", want.err, got.err)
		}
	}
	if text := firstLine(want.err); !strings.HasSuffix(firstLine(got.err), text) {
		c.fail(w, "the error is %q, which does not end in %q", firstLine(got.err), text)
	}
	if d := differ(want.effects["a"], got.effects["a"]); d != "" {
		c.fail(w, "effect a: %s", d)
	}
	// How far the other effects were is not said, but it is the same way.
	for _, effect := range []string{"", "b"} {
		seen := got.effects[effect]
		if len(seen) > len(whole.effects[effect]) {
			c.fail(w, "effect %q has %d calls, more than without the failure", effect, len(seen))
		}
		if d := differ(whole.effects[effect][:len(seen)], seen); d != "" {
			c.fail(w, "effect %q: %s", effect, d)
		}
	}
}

// firstLine leaves out the stack of a panic.
func firstLine(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\n")
	return line
}

// TestRandom runs random modules inline, in stages, by the JIT compiler and on the interpreter. They must agree in the
// results, in what callbacks see, in the order of each effect, and in their failures.
func TestRandom(t *testing.T) {
	n, first := modules(t, 12)
	l := &log{}
	registerRandom(t, l)
	devices := stages.On(newClient(t).Engine())
	total := map[string]int{}
	for seed := first; seed < first+n; seed++ {
		random(t, uint64(seed), l, devices, total)
	}
	t.Log(total)
	if n < 12 || first > 0 {
		return
	}
	for _, what := range append(callNames, "stages", "failures", "timeouts", "runs by the JIT compiler") {
		if total[what] == 0 {
			t.Errorf("no %s in %d modules: %v", what, n, total)
		}
	}
}

// random compares the ways of one module. It counts in total what there was.
func random(t *testing.T, seed uint64, l *log, devices []stages.Device, total map[string]int) {
	t.Helper()
	ctx := mlirtest.Context(t)
	m, program, err := randomModule(ctx, seed)
	if err != nil {
		t.Fatalf("seed %d: %v", seed, err)
	}
	defer m.Close()
	for name := range program.forms {
		total[name]++
	}
	r := rand.New(rand.NewPCG(seed, 2))
	some := map[string]stages.Decision{}
	for _, name := range callNames {
		if r.IntN(2) == 0 {
			some[name] = stages.Boundary
		}
	}
	forgotten.Settle()
	alive := pjrt.ArraysAlive()
	c := &comparison{t: t, seed: seed, log: l, module: m}
	ins := [][]tensor.View{inputsOf(r), inputsOf(r)}
	kind, at := fault(1+r.IntN(3)), 0
	stuck := program.forms["stuck"] && r.IntN(4) == 0
	var whole []outcome // inline
	var failure outcome
	var late bool
	for i, w := range waysOf(seed, devices, some, program.forms["pure"]) {
		e, err := stages.Compile(t.Context(), m, w.o)
		if err != nil {
			c.fail(w, "%v", err)
		}
		for k, in := range ins {
			got := c.run(e, in, noFault, 0)
			if i == 0 {
				whole = append(whole, got)
			}
			c.same(w, whole[k], got)
		}
		if n := len(whole[0].effects["a"]); n > 0 {
			if at == 0 {
				at = 1 + r.IntN(n)
			}
			got := c.run(e, ins[0], kind, at)
			if i == 0 {
				failure = got
				total["failures"]++
			}
			c.failed(w, whole[0], failure, got)
			c.same(w, whole[1], c.run(e, ins[1], noFault, 0)) // the next run is not affected
		}
		check.NoError(t, e.Close())
		if w.o.Devices == nil {
			total["runs by the JIT compiler"]++
		}
		if stuck {
			got := c.stuck(w)
			if i == 0 {
				late = got
			}
			if got != late {
				c.fail(w, "the callback that waits was called: %t, inline: %t", got, late)
			}
			if got {
				total["timeouts"]++
			}
		}
	}
	// Runs that failed keep nothing either.
	check.Diff(t, "arrays on the device", alive, pjrt.ArraysAlive())
	check.Diff(t, "compiled stages", 0, stages.CompiledStages()+stages.OpenModules())
	plan, err := stages.Cut(m, stages.Options{})
	check.NoError(t, err)
	total["stages"] += len(plan.Stages())
	total["callbacks"] += len(plan.Callbacks())
	check.NoError(t, plan.Close())
}

// stuck runs the module with a callback that does not return in time, and reports whether it was called.
func (c *comparison) stuck(w way) bool {
	c.t.Helper()
	release := c.log.stick(c.t)
	defer release()
	e, err := stages.Compile(c.t.Context(), c.module, w.o)
	if err != nil {
		c.fail(w, "%v", err)
	}
	got := c.run(e, inputsOf(rand.New(rand.NewPCG(c.seed, 3))), noFault, 0)
	check.NoError(c.t, e.Close())
	var failed *callbacks.CallError
	if got.err != nil && (!errors.As(got.err, &failed) || failed.Callback != "stuck" ||
		!errors.As(got.err, new(*callbacks.TimeoutError))) {
		c.fail(w, "the error is %v, not a TimeoutError", got.err)
	}
	return got.err != nil
}

// inputsOf returns random inputs.
func inputsOf(r *rand.Rand) []tensor.View {
	integers := func(n int) (list []int32) {
		for range n {
			list = append(list, int32(r.IntN(40)-10))
		}
		return list
	}
	var singles []float32
	var doubles []float64
	for range 4 {
		singles, doubles = append(singles, float32(r.NormFloat64())), append(doubles, r.NormFloat64())
	}
	matrix, _ := tensor.FromSlice(doubles, 2, 2)
	return []tensor.View{tensor.Vector(integers(4)...), tensor.Vector(singles...), matrix,
		tensor.Scalar(integers(1)[0])}
}
