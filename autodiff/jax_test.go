package autodiff_test

import (
	"fmt"
	"testing"

	"github.com/calliope-mlir/calliope/autodiff"
	"github.com/calliope-mlir/calliope/bridge"
	"github.com/calliope-mlir/calliope/internal/ir/transform/transformtest"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/tensor"
)

// A jaxCase is a function of JAX as a module, with what JAX computes. testdata/make.py writes them.
type jaxCase struct {
	Name                                               string
	Module                                             string
	Devices                                            int // that share it
	Arguments, Tangents, Cotangents, Results, JVP, VJP []transformtest.Array
}

func views(t *testing.T, list []transformtest.Array) (out []tensor.View) {
	for _, a := range list {
		out = append(out, a.View(t))
	}
	return out
}

// near compares arrays with those of JAX.
func near(t *testing.T, what string, want []transformtest.Array, got []tensor.View) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%s: %d arrays, want %d", what, len(got), len(want))
		return
	}
	for i, w := range want {
		transformtest.Near(t, fmt.Sprint(what, " ", i), w.View(t), got[i])
	}
}

// TestAgainstJAX holds the derivatives of each operation to those of JAX.
func TestAgainstJAX(t *testing.T) {
	client := newClient(t)
	for i, c := range transformtest.ReadCases[jaxCase](t, "testdata/cases.json.gz") {
		if !transformtest.Takes(i) {
			continue
		}
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			m := mlirtest.Parse(t, mlirtest.ContextOf(t, mlirtest.Jaxlib(t)), c.Module)
			run := func(t *testing.T, client *bridge.Client, f mlir.Operation, arguments ...tensor.View) []tensor.View {
				return runOn(t, client, c.Devices, f, arguments...)
			}
			f := function(t, m, "main")
			arguments := views(t, c.Arguments)
			jvp, err := autodiff.JVP(f, autodiff.Options{})
			check.NoError(t, err)
			got := run(t, client, jvp, append(arguments, views(t, c.Tangents)...)...)
			near(t, "result", c.Results, got[:len(c.Results)])
			near(t, "tangent", c.JVP, got[len(c.Results):])
			forward, backward, err := autodiff.VJP(f, autodiff.Options{})
			if c.VJP == nil { // JAX has no reverse mode for it
				return
			}
			check.NoError(t, err)
			got = run(t, client, forward, arguments...)
			n := len(c.Results)
			near(t, "forward result", c.Results, got[:n])
			near(t, "cotangent", c.VJP, run(t, client, backward, append(got[n:], views(t, c.Cotangents)...)...))
			if t.Failed() {
				t.Logf("%s\n%s\n%s\n%s", c.Module, jvp, forward, backward)
			}
		})
	}
}
