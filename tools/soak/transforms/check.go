package transforms

import (
	"fmt"
	"math"
	"slices"

	"github.com/calliope-mlir/calliope/autodiff"
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/tensor"
	"github.com/calliope-mlir/calliope/vmap"
)

// attempts is how many inputs of a function must give different numbers until they count. Roundings may choose another
// branch at some.
const attempts = 3

// both compiles two functions.
func (t *trial) both(f, g mlir.Operation, use func(f, g runner) error) error {
	return t.compiled(f, func(f runner) error {
		return t.compiled(g, func(g runner) error { return use(f, g) })
	})
}

// derivatives holds the product of cotangents with the derivative along tangents to that of the tangents with the
// derivative along the cotangents.
func (t *trial) derivatives(f mlir.Operation) (result outcome, err error) {
	t.say("differentiating it")
	pushing, err := autodiff.JVP(f, autodiff.Options{MaxSteps: maxSteps})
	if err != nil {
		return t.refusal(err)
	}
	pulling, err := Step{Kind: "vjp", MaxSteps: maxSteps}.Transform(t.m, f)
	if err != nil {
		return t.refusal(err)
	}
	t.say("running its derivatives")
	_, results := types(f)
	err = t.both(pushing, pulling, func(push, pull runner) (err error) {
		for range attempts {
			if result, err = t.products(f, pushing, pulling, len(results), push, pull); err == nil || result == "" {
				return err
			}
		}
		return err
	})
	if err == nil && result == compared && t.differences {
		t.say("comparing with differences")
		return t.finite(f)
	}
	return result, err
}

// finite holds the derivatives of a function to finite differences, at random arguments. Near some it is not smooth, or
// infinite.
func (t *trial) finite(f mlir.Operation) (result outcome, err error) {
	for range attempts {
		result = compared
		arguments, err1 := inputs(t.r, f)
		if err1 != nil {
			return "", err1
		}
		err = autodiff.Check(f, autodiff.Options{MaxSteps: maxSteps},
			func(f mlir.Operation, arguments ...tensor.View) (results []tensor.View, err error) {
				err = t.compiled(f, func(run runner) (err error) {
					results, err = run(arguments...)
					return err
				})
				if slices.ContainsFunc(results, isInfinite) {
					result = undefined
				}
				return results, err
			}, arguments...)
		if err == nil || result == undefined {
			return result, nil
		}
	}
	return result, err
}

// isInfinite reports whether a number of an array is infinite or NaN.
func isInfinite(v tensor.View) bool {
	list, _ := numbers(v)
	return slices.ContainsFunc(list, func(x float64) bool { return math.IsInf(x, 0) || math.IsNaN(x) })
}

// products compares the products at random arguments. An error with an outcome is a difference.
func (t *trial) products(
	f, pushing, pulling mlir.Operation, results int, push, pull runner,
) (result outcome, err error) {
	arguments, err := inputs(t.r, f)
	in, err1 := inputs(t.r, pushing)
	back, err2 := inputs(t.r, pulling)
	if err != nil || err1 != nil || err2 != nil {
		return "", fmt.Errorf("making arguments: %w, %w, %w", err, err1, err2)
	}
	n := len(arguments)
	pushed, err := push(slices.Concat(arguments, in[n:])...)
	if err != nil {
		return "", err
	}
	pulled, err := pull(slices.Concat(arguments, back[n:])...)
	if err != nil {
		return "", err
	}
	for i := range results {
		if err := near(pushed[i], pulled[i]); err != nil {
			return compared, fmt.Errorf("result %d of the function with derivatives along cotangents: %w", i, err)
		}
	}
	forth, magnitude, tolerance, ok := inner(back[n:], pushed[results:])
	around, other, _, ok2 := inner(in[n:], pulled[results:])
	scale := magnitude + other + 1
	switch {
	case !ok || !ok2 || t.coarse:
		return ran, nil
	case math.IsNaN(scale) || math.IsInf(scale, 0):
		return undefined, nil
	case math.Abs(forth-around) > tolerance*scale:
		return compared, fmt.Errorf("the derivative along cotangents is %v, and along tangents %v", around, forth)
	}
	return compared, nil
}

// batch holds a batch of a function to the function on each element.
func (t *trial) batch(f mlir.Operation) (result outcome, err error) {
	o := vmap.Options{Size: 2 + t.r.Int64N(2), Method: contract.Sequential}
	for range f.Region(0).First().NumArguments() {
		o.In = append(o.In, []int{0, 0, 0, vmap.NotBatched}[t.r.IntN(4)])
	}
	t.say("batching it")
	batched, err := vmap.Batch(f, o)
	if err != nil {
		return t.refusal(err)
	}
	t.say("running a batch of it")
	for op := range f.All() {
		if op.Name() == "stablehlo.rng" { // it computes other numbers each time
			return ran, t.runs(batched)
		}
	}
	err = t.both(f, batched, func(one, all runner) (err error) {
		for range attempts {
			if result, err = t.elements(batched, o, one, all); err == nil || result == "" {
				return err
			}
		}
		return err
	})
	return result, err
}

// elements compares a batch of random arguments with each element. An error with an outcome is a difference.
func (t *trial) elements(batched mlir.Operation, o vmap.Options, one, all runner) (result outcome, err error) {
	arguments, err := inputs(t.r, batched)
	if err != nil {
		return "", err
	}
	got, err := all(arguments...)
	if err != nil {
		return "", err
	}
	for i := range o.Size {
		element := slices.Clone(arguments)
		for k, axis := range o.In {
			if axis == 0 {
				element[k] = part(element[k], i)
			}
		}
		want, err := one(element...)
		if err != nil {
			return "", err
		}
		for k, w := range want {
			g := got[k]
			if g.Shape.Rank() > w.Shape.Rank() { // a token has no batch
				g = part(g, i)
			}
			if err := near(w, g); err != nil {
				return compared, fmt.Errorf("result %d of element %d of a batch, axes %v: %w", k, i, o.In, err)
			}
		}
	}
	return compared, nil
}

// part returns an element of a batch.
func part(batch tensor.View, i int64) tensor.View {
	shape := tensor.ShapeOf(batch.Shape.DType, batch.Shape.Dims[1:]...)
	n := int64(shape.NumBytes())
	return tensor.View{Shape: shape, Data: batch.Data[i*n : (i+1)*n]}.Clone() // aligned
}
