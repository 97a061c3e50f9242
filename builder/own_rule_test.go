package builder_test

import (
	"math"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope"
	"github.com/calliope-mlir/calliope/builder"
	"github.com/calliope-mlir/calliope/internal/test/check"
)

// TestOwnRule differentiates functions whose rules call them, as those in the documentation of jax.custom_jvp and
// jax.custom_vjp do.
func TestOwnRule(t *testing.T) {
	type value = builder.Value
	var sin, cos, exp, scaled func(value) value
	sin = builder.CustomJVP(builder.Sin, func(x, dx value) (y, dy value) { return sin(x), builder.Mul(cos(x), dx) })
	cos = builder.CustomJVP(builder.Cos, func(x, dx value) (y, dy value) {
		return cos(x), builder.Neg(builder.Mul(sin(x), dx))
	})
	exp = builder.CustomVJP(builder.Exp, func(x value) (y, residual value) { y = exp(x); return y, y },
		func(y, dy value) value { return builder.Mul(y, dy) })
	scale := func(f func(value) value) func(value) value { // takes a value from outside
		return func(x value) value {
			two := builder.Add(x, 0)
			scaled = builder.CustomJVP(func(y value) value { return builder.Mul(builder.Mul(y, y), two) },
				func(y, dy value) (z, dz value) {
					return scaled(y), builder.Mul(builder.Mul(dy, two), builder.Mul(y, 2))
				})
			return f(builder.StopGradient(x))
		}
	}
	grad := func(f func(value) value) func(value) value { return builder.Grad(f) }
	for name, test := range map[string]struct {
		f    func(value) value
		want float64
	}{
		"forward":          {sin, math.Sin(2)},
		"first order":      {grad(sin), math.Cos(2)},
		"second order":     {grad(grad(sin)), -math.Sin(2)},
		"third order":      {grad(grad(grad(sin))), -math.Cos(2)},
		"fourth order":     {grad(grad(grad(grad(sin)))), math.Sin(2)},
		"forward mode":     {func(x value) value { _, dy := builder.JVP(sin, x, x); return dy }, 2 * math.Cos(2)},
		"reverse rule":     {grad(exp), math.Exp(2)},
		"reverse of that":  {grad(grad(exp)), math.Exp(2)},
		"value of outside": {scale(func(x value) value { return grad(scaled)(x) }), 8},
	} {
		t.Run(name, func(t *testing.T) {
			f := calliope.Func(test.f)
			check.Cleanup(t, f)
			got, err := calliope.Call[float64](t.Context(), f, 2.0)
			check.NoError(t, err)
			if math.Abs(got-test.want) > 1e-14 {
				t.Errorf("got %v, want %v", got, test.want)
			}
		})
	}
	t.Run("differentiated in its rule", func(t *testing.T) {
		var f func(value) value
		f = builder.CustomJVP(builder.Sin, func(y, dy value) (z, dz value) { return f(y), builder.Mul(grad(f)(y), dy) })
		g := calliope.Func(func(x value) value { return f(x) })
		check.Cleanup(t, g)
		_, err := calliope.Call[float64](t.Context(), g, 2.0)
		if err == nil || !strings.Contains(err.Error(), "a rule may call its own function, but not differentiate it") {
			t.Error(err)
		}
	})
	t.Run("more values from outside", func(t *testing.T) {
		f := calliope.Func(func(x value) value {
			outside := builder.Add(x, 1)
			var f func(value) value
			f = builder.CustomJVP(builder.Sin, func(y, dy value) (z, dz value) {
				return f(y), builder.Mul(outside, dy)
			})
			return f(x)
		})
		check.Cleanup(t, f)
		_, err := calliope.Call[float64](t.Context(), f, 2.0)
		if err == nil || !strings.Contains(err.Error(), "its rule calls the function itself") {
			t.Error(err)
		}
	})
}
