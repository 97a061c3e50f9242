package lower

import (
	"slices"

	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/mlir/dialect/arith"
	"github.com/calliope-mlir/calliope/mlir/dialect/complex"
	"github.com/calliope-mlir/calliope/mlir/dialect/scf"
	"github.com/calliope-mlir/calliope/mlir/dialect/tensor"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// lowerFFT makes an fft loops over the rows of each of its dimensions.
func lowerFFT(e *emitter) error {
	op, ok := stablehlo.AsFft(e.op)
	if !ok {
		return errMalformed
	}
	f := fft{emitter: e, inverse: op.FftType == stablehlo.FftInverse || op.FftType == stablehlo.FftRealInverse}
	f.part = e.elementOf(e.op.Result(0))
	if part, ok := f.part.ComplexElement(); ok {
		f.part = part
	}
	x, last := op.Operand, len(dims(op.Operand))-1
	first := last + 1 - len(op.FftLength)
	transform := func(from, to int) {
		for d := from; d < to; d++ {
			x = f.rows(x, d, op.FftLength[d-first])
		}
	}
	switch op.FftType { // only the last dimension of the complex array is the half of that of the real one
	case stablehlo.FftReal:
		transform(last, last+1)
		transform(first, last)
	case stablehlo.FftRealInverse:
		transform(first, last)
		f.half = true
		transform(last, last+1)
	default:
		transform(first, last+1)
	}
	return e.replace([]mlir.Value{x})
}

type fft struct {
	*emitter
	part    mlir.Type // of real and imaginary parts
	inverse bool
	half    bool // a row of complex numbers is the half of that of real ones
}

// rows transforms the rows of n elements in a dimension of x. It copies each of them to a buffer, and back.
func (f *fft) rows(x mlir.Value, d int, n int64) mlir.Value {
	if f.Err() != nil {
		return x
	}
	shape := slices.Clone(dims(x))
	elem := f.elementOf(x)
	shape[d] = n
	switch {
	case !isComplex(x):
		shape[d] = n/2 + 1
		elem, _ = f.Context().ComplexType(f.part)
	case f.half:
		elem = f.part
	}
	carried := []mlir.Value{f.buffer(f.tensorOf(elem, shape...))}
	for range 4 {
		carried = append(carried, f.buffer(f.tensorOf(f.part, n)))
	}
	w := f.roots(n)
	carried = f.nest(slices.Delete(slices.Clone(shape), d, d+1), carried, func(at, carried []mlir.Value) []mlir.Value {
		place := func(i mlir.Value) []mlir.Value { return slices.Insert(slices.Clone(at), d, i) }
		from, to := carried[1:3], carried[3:5]
		from = f.nest([]int64{n}, from, func(i, from []mlir.Value) []mlir.Value {
			return f.insert(f.load(x, i[0], dims(x)[d], n, place), from, i)
		})
		passes := 0
		for rest, stride := n, int64(1); rest > 1; passes++ {
			p := radix(rest)
			from, to = f.pass(w, p, rest/p, stride, from, to), from
			rest, stride = rest/p, stride*p
		}
		result := f.nest([]int64{shape[d]}, carried[:1], func(i, result []mlir.Value) []mlir.Value {
			return f.insert([]mlir.Value{f.number(f.extract(from, i), n, elem)}, result, place(i[0]))
		})
		if passes%2 == 1 {
			from, to = to, from
		}
		return slices.Concat(result, from, to)
	})
	return carried[0]
}

// load returns the parts of the i-th element of a row of n elements, of which x has the first ones. It has all, or half
// of them, and the others are their conjugates in reverse order. Where an element is its own conjugate, its imaginary
// part counts for nothing, even if it is NaN.
func (f *fft) load(x, i mlir.Value, has, n int64, place func(mlir.Value) []mlir.Value) []mlir.Value {
	b := f.Builder
	if !isComplex(x) {
		return []mlir.Value{tensor.Extract(b, x, place(i)...), f.float(0)}
	}
	if !f.half {
		return f.parts(tensor.Extract(b, x, place(i)...))
	}
	inside := arith.CmpI(b, arith.CmpIPredicateUlt, i, f.index(has))
	parts := f.parts(tensor.Extract(b, x, place(arith.Select(b, inside, i, arith.SubI(b, f.index(n), i)))...))
	im := arith.Select(b, inside, parts[1], arith.NegF(b, parts[1]))
	mirror := arith.RemUI(b, arith.SubI(b, f.index(n), i), f.index(n))
	real := arith.CmpI(b, arith.CmpIPredicateEq, i, mirror)
	return []mlir.Value{parts[0], arith.Select(b, real, f.float(0), im)}
}

func (f *fft) parts(z mlir.Value) []mlir.Value {
	return []mlir.Value{complex.Re(f.Builder, z), complex.Im(f.Builder, z)}
}

// number returns an element of the result of parts.
func (f *fft) number(parts []mlir.Value, n int64, elem mlir.Type) mlir.Value {
	b := f.Builder
	if f.inverse {
		scale := f.float(1 / float64(n))
		parts = each(parts, func(v mlir.Value) mlir.Value { return arith.MulF(b, v, scale) })
	}
	if elem.Equal(f.part) {
		return parts[0]
	}
	return complex.Create(b, elem, parts[0], parts[1])
}

// radix returns the factor of n that the next pass takes.
func radix(n int64) int64 {
	if n%4 == 0 {
		return 4
	}
	for p := int64(2); p*p <= n; p++ {
		if n%p == 0 {
			return p
		}
	}
	return n
}

// pass transforms groups of p elements, as in Stockham's algorithm with decimation in frequency. There are count groups
// for each of stride transforms that are interleaved.
func (f *fft) pass(w roots, p, count, stride int64, from, to []mlir.Value) []mlir.Value {
	return f.nest([]int64{count, stride}, to, func(at, to []mlir.Value) []mlir.Value {
		k, q := at[0], at[1]
		x := func(t mlir.Value) pair { // element q + stride*(k+count*t)
			return f.pairAt(from, f.linear(q, stride, f.linear(k, count, t)))
		}
		store := func(r mlir.Value, v pair, to []mlir.Value) []mlir.Value { // at q + stride*(p*k+r)
			if count > 1 { // k is not always 0
				v = f.multiply(v, f.pairAt(w.table, arith.MulI(f.Builder, f.linear(f.index(0), stride, k), r)))
			}
			return f.insert([]mlir.Value{v.re, v.im}, to, []mlir.Value{f.linear(q, stride, f.linear(r, p, k))})
		}
		if p > largestUnrolled {
			even, _ := f.sum(w, p, f.index(0), x)
			return f.nest([]int64{p / 2}, store(f.index(0), even, to), func(i, to []mlir.Value) []mlir.Value {
				r := arith.AddI(f.Builder, i[0], f.index(1))
				even, odd := f.sum(w, p, r, x)
				mirror := arith.SubI(f.Builder, f.index(p), r)
				return store(mirror, f.subtract(even, odd), store(r, f.add(even, odd), to))
			})
		}
		xs := make([]pair, p)
		for t := range xs {
			xs[t] = x(f.index(int64(t)))
		}
		for r, v := range f.butterfly(w, xs) {
			to = store(f.index(int64(r)), v, to)
		}
		return to
	})
}

// largestUnrolled is the largest group whose transform is not a loop.
const largestUnrolled = 11

// linear returns i + n*j.
func (f *fft) linear(i mlir.Value, n int64, j mlir.Value) mlir.Value {
	return arith.AddI(f.Builder, i, arith.MulI(f.Builder, f.index(n), j))
}

// sum returns two numbers for an odd p: elements r and p-r of the transform of p elements are their sum and their
// difference. The roots of x[t] and x[p-t] are conjugates, so the products share two real factors. That makes the
// transform of real numbers symmetric in each bit, as XLA's is.
func (f *fft) sum(w roots, p int64, r mlir.Value, x func(t mlir.Value) pair) (even, odd pair) {
	b := f.Builder
	first := x(f.index(0))
	init := []mlir.Value{first.re, first.im, f.float(0), f.float(0)}
	sums := scf.Iterate(b, f.index(1), f.index(p/2+1), f.index(1), init,
		func(t mlir.Value, sums []mlir.Value) []mlir.Value {
			turns := arith.RemUI(b, arith.MulI(b, r, t), f.index(p))
			z := f.pairAt(w.table, arith.MulI(b, turns, f.index(w.n/p)))
			v, mirror := x(t), x(arith.SubI(b, f.index(p), t))
			even := f.add(pair{sums[0], sums[1]}, f.scale(f.add(v, mirror), z.re))
			odd := f.add(pair{sums[2], sums[3]}, f.scale(f.subtract(v, mirror), z.im))
			return []mlir.Value{even.re, even.im, odd.re, odd.im}
		})
	return pair{sums[0], sums[1]}, f.timesI(pair{sums[2], sums[3]})
}

// butterfly returns the transform of 2, of 4, or of an odd number of elements.
func (f *fft) butterfly(w roots, x []pair) []pair {
	p := len(x)
	switch p {
	case 2:
		return []pair{f.add(x[0], x[1]), f.subtract(x[0], x[1])}
	case 4:
		even := f.butterfly(w, []pair{x[0], x[2]})
		odd := f.butterfly(w, []pair{x[1], x[3]})
		odd[1] = f.quarterTurn(odd[1])
		return []pair{f.add(even[0], odd[0]), f.add(even[1], odd[1]), f.subtract(even[0], odd[0]),
			f.subtract(even[1], odd[1])}
	}
	y := slices.Repeat(x[:1], p)
	sums, differences := make([]pair, p/2+1), make([]pair, p/2+1)
	for t := 1; t <= p/2; t++ {
		sums[t], differences[t] = f.add(x[t], x[p-t]), f.subtract(x[t], x[p-t])
		y[0] = f.add(y[0], sums[t])
	}
	for r := 1; r <= p/2; r++ { // as sum does
		even, odd := x[0], pair{}
		for t := 1; t <= p/2; t++ {
			z := w.root(int64(r*t%p), int64(p))
			even = f.add(even, f.scale(sums[t], f.float(real(z))))
			if next := f.scale(differences[t], f.float(imag(z))); t == 1 {
				odd = next
			} else {
				odd = f.add(odd, next)
			}
		}
		odd = f.timesI(odd)
		y[r], y[p-r] = f.add(even, odd), f.subtract(even, odd)
	}
	return y
}
