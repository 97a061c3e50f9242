package autodiff

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/calliope-mlir/calliope/internal/ir/transform"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/tensor"
)

// Check compares the derivatives of a function at a point with finite differences: that of JVP along
// random tangents with a central difference, and that of VJP along random cotangents with JVP. run runs a
// function of the module, compiled or interpreted. The arguments that are differentiated must be f32, f64,
// c64 or c128, and f should be smooth around them. The differences are more exact in f64 and c128.
//
// Check adds functions to the module, and returns an error that says which derivative differs.
func Check(
	f mlir.Operation, o Options, run func(f mlir.Operation, arguments ...tensor.View) ([]tensor.View, error),
	args ...tensor.View,
) (err error) {
	jvp, err := JVP(f, o)
	if err != nil {
		return err
	}
	forward, backward, err := VJP(f, o)
	if err != nil {
		return err
	}
	if o.Parameters, err = selected(f, f.Region(0).First().ArgumentValues(), o.Parameters); err != nil {
		return err
	}
	r := rand.New(rand.NewPCG(1, 2))
	step, tolerance := 1e-5, 1e-6
	plus, minus, tangents := slices.Clone(args), slices.Clone(args), []tensor.View{}
	for _, i := range o.Parameters {
		if i >= len(args) {
			return fmt.Errorf("autodiff: Check got %d arguments, but the function has parameter %d", len(args), i)
		}
		switch args[i].Shape.DType {
		case tensor.F32, tensor.C64:
			step, tolerance = 1e-2, 1e-2
		case tensor.F64, tensor.C128:
		default:
			return fmt.Errorf("autodiff: Check cannot change argument %d, which is %s", i, args[i].Shape)
		}
		tangents = append(tangents, random(r, args[i]))
	}
	for k, i := range o.Parameters {
		plus[i], minus[i] = along(args[i], tangents[k], step), along(args[i], tangents[k], -step)
	}
	out, err := run(jvp, slices.Concat(args, tangents)...)
	high, err1 := run(f, plus...)
	low, err2 := run(f, minus...)
	if err := cmp.Or(err, err1, err2); err != nil {
		return err
	}
	dot, seeds, want := out[len(high):], []tensor.View{}, 0.
	for i := range high {
		if floats(high[i]) == nil {
			continue
		}
		k := len(seeds)
		h, l, d := floats(high[i]), floats(low[i]), floats(dot[k])
		scale := 1.
		for j := range h {
			scale = max(scale, math.Abs(h[j]-l[j])/(2*step))
		}
		for j := range h {
			if got := (h[j] - l[j]) / (2 * step); !(math.Abs(got-d[j]) <= tolerance*scale) {
				return fmt.Errorf("autodiff: result %d, number %d: the forward derivative is %g, "+
					"but the finite difference %g", i, j, d[j], got)
			}
		}
		seeds = append(seeds, random(r, high[i]))
		want += inner(seeds[k], dot[k])
	}
	kept, err := run(forward, args...)
	if err != nil {
		return err
	}
	back, err := run(backward, append(kept[len(high):], seeds...)...)
	if err != nil {
		return err
	}
	got, scale := 0., 1.
	for i, v := range back {
		product := inner(v, tangents[i])
		got, scale = got+product, max(scale, math.Abs(product))
	}
	if !(math.Abs(got-want) <= tolerance*scale) {
		return fmt.Errorf("autodiff: along random tangents and cotangents the reverse derivative is %g, "+
			"but the forward derivative %g", got, want)
	}
	return nil
}

// floats returns the elements of an array, complex ones as two numbers, or nil for other types.
func floats(v tensor.View) (out []float64) {
	switch v.Shape.DType {
	case tensor.F32:
		for _, x := range transform.Must(tensor.Slice[float32](v)) {
			out = append(out, float64(x))
		}
	case tensor.F64:
		out = transform.Must(tensor.Slice[float64](v))
	case tensor.C64:
		for _, x := range transform.Must(tensor.Slice[complex64](v)) {
			out = append(out, float64(real(x)), float64(imag(x)))
		}
	case tensor.C128:
		for _, x := range transform.Must(tensor.Slice[complex128](v)) {
			out = append(out, real(x), imag(x))
		}
	}
	return out
}

// mapped returns an array like v whose numbers, complex ones as two, f computes from their indices.
func mapped(v tensor.View, f func(i int) float64) tensor.View {
	out := v.Clone()
	for i := range floats(v) {
		if d := v.Shape.DType; d == tensor.F32 || d == tensor.C64 {
			binary.NativeEndian.PutUint32(out.Data[4*i:], math.Float32bits(float32(f(i))))
		} else {
			binary.NativeEndian.PutUint64(out.Data[8*i:], math.Float64bits(f(i)))
		}
	}
	return out
}

// random returns an array like v of random numbers between -1 and 1.
func random(r *rand.Rand, v tensor.View) tensor.View {
	return mapped(v, func(int) float64 { return 2*r.Float64() - 1 })
}

// along returns x + step·t.
func along(x, t tensor.View, step float64) tensor.View {
	from, by := floats(x), floats(t)
	return mapped(x, func(i int) float64 { return from[i] + step*by[i] })
}

// inner returns the real part of the sum of products, in which no factor is conjugated.
func inner(x, y tensor.View) (sum float64) {
	a, b := floats(x), floats(y)
	pairs := x.Shape.DType == tensor.C64 || x.Shape.DType == tensor.C128
	for i := range a {
		if pairs && i%2 == 1 {
			sum -= a[i] * b[i]
		} else {
			sum += a[i] * b[i]
		}
	}
	return sum
}
