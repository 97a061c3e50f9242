package optim_test

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/calliope-mlir/calliope"
	"github.com/calliope-mlir/calliope/builder"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/nativetest"
	"github.com/calliope-mlir/calliope/native"
	"github.com/calliope-mlir/calliope/optim"
)

func TestMain(m *testing.M) { nativetest.Main(m, native.MLIR, native.PJRTPlugin) }

type params[T any] struct{ W, B T }

type host struct {
	W []float32
	B float32
}

var start = host{[]float32{1, -2}, 3}

// steps makes ten steps down p², whose gradient is 2p.
func steps(
	t *testing.T, optimize func(p params[builder.Value],
		step func(p params[builder.Value]) params[builder.Value]) params[builder.Value],
) host {
	t.Helper()
	f := calliope.Func(func(p params[builder.Value]) params[builder.Value] {
		return optimize(p, func(p params[builder.Value]) params[builder.Value] {
			return builder.MapTrees(func(x ...builder.Value) builder.Value { return builder.Mul(2, x[0]) }, p)
		})
	})
	check.Cleanup(t, f)
	got, err := calliope.Call[host](t.Context(), f, start)
	check.NoError(t, err)
	return got
}

// TestOptimizers compares with what optax returns, which testdata/make.py has written.
func TestOptimizers(t *testing.T) {
	type tree = params[builder.Value]
	adam := func(o optim.AdamOptions) func(p tree, gradients func(tree) tree) tree {
		return func(p tree, gradients func(tree) tree) tree {
			s := optim.NewAdam(p)
			for range 10 {
				s = optim.Adam(0.1, o, s, gradients(s.Params))
			}
			return s.Params
		}
	}
	clipped := func(limit float64) func(p tree, gradients func(tree) tree) tree {
		return func(p tree, gradients func(tree) tree) tree {
			for range 10 {
				p = optim.SGD(0.1, p, optim.ClipByNorm(limit, gradients(p)))
			}
			return p
		}
	}
	optimizers := map[string]func(p tree, gradients func(tree) tree) tree{
		"SGD": func(p tree, gradients func(tree) tree) tree {
			for range 10 {
				p = optim.SGD(0.1, p, gradients(p))
			}
			return p
		},
		"Momentum": func(p tree, gradients func(tree) tree) tree {
			v := builder.MapTrees(func(x ...builder.Value) builder.Value { return builder.ZerosLike(x[0]) }, p)
			for range 10 {
				p, v = optim.Momentum(0.1, 0.5, p, v, gradients(p))
			}
			return p
		},
		"Adam":                     adam(optim.AdamOptions{}),
		"Adam with weight decay":   adam(optim.AdamOptions{Beta1: 0.8, Beta2: 0.99, Epsilon: 1e-6, WeightDecay: 0.01}),
		"ClipByNorm":               clipped(1),
		"ClipByNorm of small ones": clipped(100),
	}
	var want map[string]host
	check.NoError(t, json.Unmarshal(check.Must(os.ReadFile("testdata/optax.json")), &want))
	check.Diff(t, "the number of optimizers", len(want), len(optimizers))
	for name, optimize := range optimizers {
		check.Diff(t, name, want[name], steps(t, optimize), cmpopts.EquateApprox(1e-5, 1e-6))
	}
}
