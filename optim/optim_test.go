package optim_test

import (
	"testing"

	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/calliope-mlir/calliope"
	"github.com/calliope-mlir/calliope/builder"
	"github.com/calliope-mlir/calliope/internal/check"
	"github.com/calliope-mlir/calliope/internal/nativetest"
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
func steps(t *testing.T, optimize func(p params[builder.Value], step func(p params[builder.Value]) params[builder.Value]) params[builder.Value]) host {
	t.Helper()
	f := calliope.Func(func(p params[builder.Value]) params[builder.Value] {
		return optimize(p, func(p params[builder.Value]) params[builder.Value] {
			return builder.MapTrees(func(x ...builder.Value) builder.Value { return builder.Mul(2, x[0]) }, p)
		})
	})
	check.Cleanup(t, f)
	got, err := calliope.CallContext[host](t.Context(), f, start)
	check.NoError(t, err)
	return got
}

// TestOptimizers compares with what the formulas give, computed with NumPy in float64.
func TestOptimizers(t *testing.T) {
	type tree = params[builder.Value]
	near := cmpopts.EquateApprox(2e-4, 1e-6)
	sgd := steps(t, func(p tree, gradients func(tree) tree) tree {
		for range 10 {
			p = optim.SGD(0.1, p, gradients(p))
		}
		return p
	})
	check.Diff(t, "sgd", host{[]float32{0.10737418, -0.21474836}, 0.32212255}, sgd, near)
	momentum := steps(t, func(p tree, gradients func(tree) tree) tree {
		v := builder.MapTrees(func(x ...builder.Value) builder.Value { return builder.ZerosLike(x[0]) }, p)
		for range 10 {
			p, v = optim.Momentum(0.1, 0.5, p, v, gradients(p))
		}
		return p
	})
	check.Diff(t, "momentum", host{[]float32{-0.0325453, 0.06509059}, -0.09763589}, momentum, near)
	adam := steps(t, func(p tree, gradients func(tree) tree) tree {
		s := optim.NewAdam(p)
		for range 10 {
			s = optim.Adam(0.1, optim.AdamOptions{WeightDecay: 0.01}, s, gradients(s.Params))
		}
		return s.Params
	})
	check.Diff(t, "adam", host{[]float32{0.0716955, -1.00972727}, 1.98928011}, adam, near)
}

func TestClipByNorm(t *testing.T) {
	for limit, want := range map[float64]host{1: {[]float32{0.26726124, -0.5345225}, 0.8017837}, 10: start} {
		f := calliope.Func(func(p params[builder.Value]) params[builder.Value] { return optim.ClipByNorm(limit, p) })
		check.Cleanup(t, f)
		got, err := calliope.CallContext[host](t.Context(), f, start)
		check.NoError(t, err)
		check.Diff(t, "clipped", want, got, cmpopts.EquateApprox(1e-5, 0))
	}
}
