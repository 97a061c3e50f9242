package operations

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/calliope-mlir/calliope/internal/test/progen"
	"github.com/calliope-mlir/calliope/tensor"
)

func reducing() []*operation {
	return []*operation{
		{name: "reduce", takes: "sufp8c", reorders: true, make: makeReduce},
		{name: "reduce_window", takes: "sufp8c", reorders: true, make: makeReduceWindow},
		{name: "select_and_scatter", takes: "sufp8", reorders: true, make: makeSelectAndScatter},
		{name: "sort", takes: "sufp8", make: makeSort},
		{name: "cholesky", takes: "fc", inexact: true, make: func(g *generator, x value) []value {
			e := pick(g.Rand, of(tensor.F32, tensor.F64, tensor.C64, tensor.C128))
			n := 1 + g.IntN(4)
			m := g.dominant(e, n)
			return g.one(fmt.Sprintf("lower = %v", g.chance(1, 2)), []value{m}, value{element: e, dims: m.dims})
		}},
		{name: "triangular_solve", takes: "fc", inexact: true, make: makeTriangularSolve},
		{name: "batch_norm_inference", takes: "f", inexact: true, magnitude: 1000, make: makeBatchNorm},
		{name: "batch_norm_training", takes: "f", inexact: true, magnitude: 1000, make: makeBatchNorm},
		{name: "batch_norm_grad", takes: "f", inexact: true, magnitude: 1000, make: makeBatchNorm},
		{name: "fft", takes: "fc", inexact: true, magnitude: 1000, reorders: true, make: makeFFT},
		{name: "rng", takes: "sf", make: func(g *generator, x value) []value {
			// The numbers are others in each run, but between the bounds.
			if x.Bits() < 32 {
				return g.fail()
			}
			low, high := g.scalarOf(x.element, 2), g.scalarOf(x.element, 5)
			drawn := g.line(g.op.name, "rng_distribution = "+attribute("rng_distribution", "UNIFORM"),
				[]value{low, high, g.sizes(x.dims)}, x)
			within := g.line("stablehlo.clamp", "", []value{low, drawn, high}, drawn)
			return []value{g.line("stablehlo.compare", "comparison_direction = "+attribute("comparison_direction",
				"EQ"), []value{drawn, within}, value{element: element{DType: tensor.Pred}, dims: x.dims})}
		}},
		{name: "rng_bit_generator", takes: "suf", make: func(g *generator, x value) []value {
			algorithm, words := "THREE_FRY", 2
			if g.chance(1, 2) {
				algorithm, words = pick(g.Rand, []string{"PHILOX", "DEFAULT"}), 2+g.IntN(2)
			}
			state := value{element: element{DType: tensor.U64}, dims: []int{words}}
			to := g.type_("su")
			if to.Bits() < 8 {
				return g.fail()
			}
			return g.several("rng_algorithm = "+attribute("rng_algorithm", algorithm),
				[]value{g.operand(state.element, words)}, []value{state, {element: to, dims: x.dims}})
		}},
	}
}

// combination returns an operation for a reduction, and its neutral element.
func (g *generator) combination(e element) (op string, neutral int64) {
	if e.is("p") {
		op = pick(g.Rand, []string{"and", "or", "xor", "maximum", "minimum", "add"})
	} else if op = pick(g.Rand, []string{"add", "add", "maximum", "minimum", "multiply"}); e.is("c") {
		op = "add"
	}
	if op == "multiply" && (e.is("8") || e.Bits() == 16) {
		op = "add"
	}
	if op == "multiply" || op == "and" || op == "minimum" {
		neutral = 1
	}
	return "stablehlo." + op, neutral
}

// scalarOf returns a constant number.
func (g *generator) scalarOf(e element, x int64) value {
	v := tensor.View{Shape: tensor.ShapeOf(e.DType), Data: make([]byte, e.DType.Size())}
	if e.is("sup") {
		progen.SetInteger(v, 0, x)
	} else {
		progen.SetFloat(v, 0, float64(x), 0)
	}
	return g.constant(e, nil, v)
}

// initial returns an initial value, which is often the neutral element of a sum or product.
func (g *generator) initial(x value, neutral int64) value {
	if g.chance(1, 2) {
		return g.further(x, x.element)
	}
	return g.scalarOf(x.element, neutral)
}

func makeReduce(g *generator, x value) []value {
	over := g.some(len(x.dims))
	if g.chance(3, 4) {
		slices.Sort(over)
	}
	var dims []int
	for i, d := range x.dims {
		if !slices.Contains(over, i) {
			dims = append(dims, d)
		}
	}
	at := "dimensions = " + int64s(over)
	f, neutral := g.combination(x.element)
	return g.one(at, []value{x, g.initial(x, neutral)}, x.shaped(dims), fold(f, x.element))
}

// A window is what reduce_window, select_and_scatter and convolutions have in common.
type window struct {
	size, stride, base, dilation []int
	padding                      [][2]int
	dims                         []int // of the result
}

// window returns a window over an array, or false if it is too large.
func (g *generator) window(of []int, dilated bool) (w window, ok bool) {
	for _, d := range of {
		size, stride, base, dilation := windowSizes.draw(g), windowStrides.draw(g), 1, 1
		if g.chance(1, 5) && d > 0 {
			size = d
		}
		if dilated {
			base, dilation = baseDilations.draw(g), windowDilations.draw(g)
		}
		p := [2]int{windowPadding.draw(g), windowPadding.draw(g)}
		length := max(0, (d-1)*base+1)
		if d == 0 {
			length = 0
		}
		length += p[0] + p[1]
		span := (size-1)*dilation + 1
		n := 0
		if length >= span {
			n = (length-span)/stride + 1
		}
		if length < 0 {
			return w, false
		}
		w.size, w.stride = append(w.size, size), append(w.stride, stride)
		w.base, w.dilation = append(w.base, base), append(w.dilation, dilation)
		w.padding, w.dims = append(w.padding, p), append(w.dims, n)
	}
	return w, product(w.dims) <= 4*largest
}

func (w window) text() string {
	return fmt.Sprintf("window_dimensions = %s, window_strides = %s, base_dilations = %s, window_dilations = %s, padding = %s",
		int64s(w.size), int64s(w.stride), int64s(w.base), int64s(w.dilation), rows(w.padding))
}

func makeReduceWindow(g *generator, x value) []value {
	w, ok := g.window(x.dims, true)
	if !ok {
		return g.fail()
	}
	if g.chance(1, 6) {
		for i := range w.size {
			w.size[i] = 1
		}
		w.stride, w.base, w.dilation = slices.Clone(w.size), slices.Clone(w.size), slices.Clone(w.size)
		w.padding, w.dims = make([][2]int, len(w.size)), x.dims
	}
	f, neutral := g.combination(x.element)
	return g.one(w.text(), []value{x, g.initial(x, neutral)}, x.shaped(w.dims), fold(f, x.element))
}

func makeSelectAndScatter(g *generator, x value) []value {
	w, ok := g.window(x.dims, false)
	if !ok {
		return g.fail()
	}
	f, neutral := g.combination(x.element)
	if f == "stablehlo.multiply" {
		f, neutral = "stablehlo.add", 0
	}
	if x.is("p") {
		f = "stablehlo.or"
	}
	text := fmt.Sprintf("window_dimensions = %s, window_strides = %s, padding = %s", int64s(w.size), int64s(w.stride),
		rows(w.padding))
	return g.one(text, []value{x, g.operand(x.element, w.dims...), g.initial(x, neutral)}, x,
		comparison(selections.draw(g), x.element), fold(f, x.element))
}

func makeSort(g *generator, x value) []value {
	if len(x.dims) == 0 {
		return g.fail()
	}
	list := []value{x}
	if g.chance(1, 2) {
		list = append(list, g.operand(g.type_("sufp"), x.dims...))
	}
	var types []element
	for _, v := range list {
		types = append(types, v.element)
	}
	// In a total order, equal keys stay as they are, and other ones are in one order only.
	text := comparison(sortOrders.draw(g), types...)
	if x.is("f8") {
		text = strings.Replace(text, "}> :", ", compare_type = #stablehlo<comparison_type TOTALORDER>}> :", 1)
	}
	stable := len(list) > 1 || isStable.draw(g) // equal keys alone are the same in any order
	return g.several(fmt.Sprintf("dimension = %d : i64, is_stable = %v", g.IntN(len(x.dims)), stable), list, list, text)
}

// dominant returns a matrix whose factors are exact enough.
func (g *generator) dominant(e element, n int) value {
	dims := []int{n, n}
	return g.given(e, dims, filled(e, dims, func(r *rand.Rand, v tensor.View, at int) {
		i, j := at/n, at%n
		x := float64(r.IntN(3))
		switch {
		case i == j:
			x = float64(4 * (n + 1))
		case i < j: // set with the one below the diagonal
			return
		}
		progen.SetFloat(v, i*n+j, x, 0)
		progen.SetFloat(v, j*n+i, x, 0)
	}))
}

func makeTriangularSolve(g *generator, x value) []value {
	e := pick(g.Rand, of(tensor.F32, tensor.F64, tensor.C64, tensor.C128))
	n := 1 + g.IntN(4)
	left := g.chance(1, 2)
	dims := []int{n, 1 + g.IntN(3)}
	if !left {
		slices.Reverse(dims)
	}
	g.tame = true
	text := fmt.Sprintf("left_side = %v, lower = %v, unit_diagonal = %v, transpose_a = %s", left, g.chance(1, 2),
		unitary.draw(g), attribute("transpose", transposes.draw(g)))
	return g.one(text, []value{g.dominant(e, n), g.operand(e, dims...)}, value{element: e, dims: dims})
}

func makeBatchNorm(g *generator, x value) []value {
	if len(x.dims) == 0 || g.odd { // the variance of large numbers is as large as their errors
		return g.fail()
	}
	d := g.IntN(len(x.dims))
	n := x.dims[d]
	e := x.element
	g.tame, g.odd = true, false
	scale, offset := g.operand(e, n), g.operand(e, n)
	mean := g.operand(e, n)
	variance := g.given(e, []int{n}, filled(e, []int{n}, func(r *rand.Rand, v tensor.View, i int) {
		progen.SetFloat(v, i, 1+float64(r.IntN(3)), 0)
	}))
	text := fmt.Sprintf("epsilon = %s : f32, feature_index = %d : i64", epsilons.draw(g), d)
	whole, part := value{element: e, dims: x.dims}, value{element: e, dims: []int{n}}
	switch g.op.name {
	case "stablehlo.batch_norm_inference":
		return g.several(text, []value{x, scale, offset, mean, variance}, []value{whole})
	case "stablehlo.batch_norm_training":
		return g.several(text, []value{x, scale, offset}, []value{whole, part, part})
	}
	return g.several(text, []value{x, scale, mean, variance, g.operand(e, x.dims...)}, []value{whole, part, part})
}

func makeFFT(g *generator, x value) []value {
	if len(x.dims) == 0 || product(x.dims) == 0 {
		return g.fail()
	}
	g.odd = false
	n := 1 + g.IntN(min(3, len(x.dims)))
	lengths := slices.Clone(x.dims[len(x.dims)-n:])
	dims := slices.Clone(x.dims)
	e := x.element
	kind := ""
	last := len(dims) - 1
	switch x.DType {
	case tensor.C64, tensor.C128:
		if kind = fourierKinds.draw(g); kind == "RFFT" { // it takes real numbers
			return g.fail()
		} else if kind == "IRFFT" {
			e = x.real()
			dims[last] = 2 * (x.dims[last] - 1)
			if g.chance(1, 2) {
				dims[last]++
			}
			if lengths[n-1] = dims[last]; dims[last] == 0 {
				return g.fail()
			}
		}
	case tensor.F32, tensor.F64:
		kind = "RFFT"
		e = element{DType: map[tensor.DType]tensor.DType{tensor.F32: tensor.C64, tensor.F64: tensor.C128}[x.DType]}
		dims[last] = x.dims[last]/2 + 1
	default:
		return g.fail()
	}
	return g.one(fmt.Sprintf("fft_type = %s, fft_length = %s", attribute("fft_type", kind), int64s(lengths)),
		[]value{x}, value{element: e, dims: dims})
}
