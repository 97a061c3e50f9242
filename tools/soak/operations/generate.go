package operations

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/calliope-mlir/calliope/internal/test/progen"
	"github.com/calliope-mlir/calliope/internal/text/lazyregexp"
	"github.com/calliope-mlir/calliope/tensor"
)

// A generator makes one program.
type generator struct {
	*rand.Rand
	p    *program
	op   *operation // that is made
	n    int
	odd  bool // of values: also those at the edges
	tame bool // small integers, whose sums are the same in any order
	// folded is how many of 8 operands are constants.
	folded int
	small  bool // arrays of few elements, and few constants
	failed bool
}

// generate makes the program of a number, which the seed and the number determine.
func generate(seed, number uint64) *program {
	for try := uint64(0); ; try++ {
		r := rand.New(rand.NewPCG(seed, number<<8|try))
		g := &generator{Rand: r}
		if p, ok := g.attempt(pick(r, drawn), nil, nil, r.IntN(2) == 0); ok {
			p.seed, p.number = seed, number
			p.rename(number)
			return p
		}
		if try == 255 {
			panic(fmt.Sprintf("no program has the number %d", number))
		}
	}
}

// attempt makes a program of an operation, with another one on its result if pair is set. The arguments may be nil for
// any.
func (g *generator) attempt(first *operation, e *element, second *operation, pair bool) (*program, bool) {
	g.p, g.n, g.failed = &program{}, 0, false
	r := g.Rand
	if pair && second == nil {
		second = pick(r, drawn)
	}
	t := g.elementFor(first)
	if e != nil {
		t = *e
	}
	g.tame = first.reorders || second != nil && second.reorders
	g.odd = g.IntN(3) > 0
	if g.folded = 0; g.IntN(3) == 0 {
		g.folded = 1 + g.IntN(8)
	}
	rank := g.IntN(5)
	if g.small {
		rank = g.IntN(3)
	}
	out := g.make(first, g.operand(t, g.dims(rank)...))
	if len(out) == 0 || g.failed {
		return nil, false
	}
	if second != nil {
		x := pick(r, out)
		smooth := second.smooth && !(x.is("c") && strings.Contains(second.name, "imum")) // by the real parts first
		if g.p.inexact && !second.moves && !smooth {
			return nil, false // what is rounded may not be compared, rounded again, and so on
		}
		if g.p.reordered && strings.HasSuffix(second.name, "atan2") ||
			second.reorders && strings.HasSuffix(first.name, "next_after") {
			return nil, false // the sign of a zero may differ, or numbers are not such that sums are exact
		}
		if !x.is(second.takes) {
			return nil, false
		}
		if x.text == "" {
			g.p.between = []value{x}
		}
		before := len(g.p.lines)
		next := g.make(second, x)
		if len(next) == 0 || g.failed || !uses(g.p.lines[before:], x) {
			return nil, false
		}
		if g.IntN(4) == 0 {
			next = append(next, x)
		}
		out = next
	}
	for _, v := range out {
		g.p.results = append(g.p.results, g.returned(v))
	}
	g.p.draw(rand.New(rand.NewPCG(r.Uint64(), r.Uint64())))
	return g.p, true
}

// chain makes a program of operations on one element type, most of them each on the result of the one before.
func (g *generator) chain(e element, length int) *program {
	g.p, g.n = &program{}, 0
	g.odd = g.IntN(3) > 0
	x := g.operand(e, g.dims(g.IntN(3))...)
	for tries := 0; len(g.p.ops) < length && tries < 100*length; tries++ {
		op, before := pick(g.Rand, drawn), *g.p
		if !e.is(op.takes) {
			continue
		}
		g.failed = false
		out := g.make(op, x)
		i := slices.IndexFunc(out, func(v value) bool { return v.element == e && product(v.dims) <= largest })
		if i < 0 || g.failed {
			*g.p = before
			continue
		}
		x = out[i]
	}
	g.p.results = []value{g.returned(x)}
	g.p.draw(rand.New(rand.NewPCG(g.Uint64(), g.Uint64())))
	return g.p
}

// uses reports whether operations read a value.
func uses(lines []string, v value) bool {
	return slices.ContainsFunc(lines, func(line string) bool {
		return strings.Contains(line, v.name+",") || strings.Contains(line, v.name+")")
	})
}

// elementFor returns a type that an operation takes.
func (g *generator) elementFor(op *operation) element {
	for {
		e := pick(g.Rand, common)
		if g.IntN(6) == 0 {
			e = pick(g.Rand, elements)
		}
		if e.is(op.takes) || g.IntN(400) == 0 {
			return e
		}
	}
}

// make adds an operation on a value.
func (g *generator) make(op *operation, x value) []value {
	g.p.ops, g.p.types = append(g.p.ops, op), append(g.p.types, x.element)
	g.p.reordered = g.p.reordered || op.reorders
	g.p.magnitude = max(g.p.magnitude, op.magnitude)
	g.op = op
	out := op.make(g, x)
	rounded := x.isRounded()
	for _, v := range out {
		rounded = rounded || v.isRounded()
	}
	if rounded && op.inexact || op.inexactComplex && x.is("c") {
		g.p.inexact = true
	}
	return out
}

// fail gives up a program that an operation does not fit into.
func (g *generator) fail() []value {
	g.failed = true
	return nil
}

func pick[T any](r *rand.Rand, list []T) T { return list[r.IntN(len(list))] }

func (g *generator) chance(one, of int) bool { return g.IntN(of) < one }

// largest is the number of elements of operands.
const largest = 60

// dims returns the dimensions of a small array.
func (g *generator) dims(rank int) []int {
	for {
		dims := make([]int, rank)
		for i := range dims {
			switch {
			case g.small:
				dims[i] = 1 + g.IntN(2)
			case g.chance(1, 25):
				dims[i] = 0
			case g.chance(1, 4):
				dims[i] = 1
			default:
				dims[i] = 2 + g.IntN(4)
			}
		}
		if product(dims) <= largest {
			return dims
		}
	}
}

func (g *generator) name() string {
	g.n++
	return fmt.Sprintf("%%v%d_", g.n)
}

var valueName = lazyregexp.New(`([%@]v\d+)_\d*`)

// rename makes the names of a program's values and functions different from those of the others in a module.
func (p *program) rename(number uint64) {
	edit := func(text string) string {
		return valueName().ReplaceAllString(text, fmt.Sprintf("${1}_%d", number))
	}
	for i := range p.params {
		p.params[i].name = edit(p.params[i].name)
	}
	for i := range p.lines {
		p.lines[i] = edit(p.lines[i])
	}
	for i := range p.functions {
		p.functions[i] = edit(p.functions[i])
	}
	for _, list := range [][]value{p.results, p.between} {
		for i := range list {
			list[i].name = edit(list[i].name)
		}
	}
}

// operand returns a new parameter, or constant, with random elements.
func (g *generator) operand(e element, dims ...int) value {
	return g.given(e, dims, g.data(e, dims))
}

// given returns a new parameter, or constant, with what draw makes.
func (g *generator) given(e element, dims []int, draw func(*rand.Rand) tensor.View) value {
	if g.IntN(8) < g.folded {
		return g.constant(e, dims, draw(g.Rand))
	}
	host := value{g.name(), element{DType: e.DType}, dims}
	g.p.params, g.p.draws = append(g.p.params, host), append(g.p.draws, draw)
	return g.converted(host, e)
}

// constant returns a new constant.
func (g *generator) constant(e element, dims []int, data tensor.View) value {
	if e.text == "" {
		g.p.constants = append(g.p.constants, data)
		text := fmt.Sprintf("value = %s : %s", progen.Dense(data), arrayOf(e, dims...))
		return g.line("stablehlo.constant", text, nil, value{element: e, dims: dims})
	}
	if !e.isQuantized() {
		return g.line("stablehlo.constant", fmt.Sprintf("value = dense<1.0> : %s", arrayOf(e, dims...)), nil,
			value{element: e, dims: dims})
	}
	return g.converted(g.constant(element{DType: e.DType}, dims, data), e)
}

// converted returns a value of the host as one of an element type.
func (g *generator) converted(v value, e element) value {
	switch {
	case e == v.element:
		return v
	case e.isQuantized():
		return g.line("stablehlo.uniform_quantize", "", []value{v}, value{element: e, dims: v.dims})
	}
	return g.line("stablehlo.convert", "", []value{v}, value{element: e, dims: v.dims})
}

// returned returns a value as one of the host.
func (g *generator) returned(v value) value {
	host := element{DType: v.DType}
	if v.isQuantized() {
		return g.line("stablehlo.uniform_dequantize", "", []value{v}, value{element: host, dims: v.dims})
	}
	return g.converted(v, host)
}

// filled returns what makes an array by setting each element.
func filled(e element, dims []int, fill func(r *rand.Rand, v tensor.View, i int)) func(*rand.Rand) tensor.View {
	return func(r *rand.Rand) tensor.View {
		v := tensor.View{Shape: tensor.ShapeOf(e.DType, dims...)}
		v.Data = make([]byte, v.Shape.NumBytes())
		for i := range v.Shape.NumElements() {
			fill(r, v, i)
		}
		return v
	}
}

// data returns what makes random elements.
func (g *generator) data(e element, dims []int) func(*rand.Rand) tensor.View {
	isTame, odd := g.tame, g.odd
	return func(r *rand.Rand) tensor.View {
		style := r.IntN(5)
		v := filled(e, dims, func(r *rand.Rand, v tensor.View, i int) {
			if !e.is("sup") {
				progen.SetFloat(v, i, number(r, e, style, isTame, odd), number(r, e, style, isTame, odd))
			} else if isTame && !e.is("p") || style == 0 {
				progen.SetInteger(v, i, int64(r.IntN(7))-int64(r.IntN(3)))
			} else {
				progen.SetInteger(v, i, wide(r, e.Bits()))
			}
		})(r)
		if n := v.Shape.NumElements(); isTame && odd && !e.is("supc") && e.text == "" && n > 0 && r.IntN(6) == 0 {
			progen.SetFloat(v, r.IntN(n), pick(r, huge), 0)
		}
		return v
	}
}

func number(r *rand.Rand, e element, style int, isTame, odd bool) float64 {
	switch {
	case isTame && (e.is("8q") || e.DType == tensor.BF16):
		return pick(r, tiny)
	case isTame || e.is("c") && style > 0:
		return pick(r, tame)
	case style == 0 || !odd:
		return math.Round(r.NormFloat64()*1000) / 256
	case style == 1 && r.IntN(4) == 0:
		return pick(r, denormals)
	case style < 4:
		return pick(r, specials)
	}
	return r.NormFloat64() * math.Exp2(r.NormFloat64()*20)
}

// index returns an array of indices around the valid ones of a dimension, of any integer type.
func (g *generator) index(e element, size int, dims ...int) value {
	return g.given(e, dims, filled(e, dims, func(r *rand.Rand, v tensor.View, i int) {
		x := int64(r.IntN(size + 1))
		switch r.IntN(8) {
		case 0:
			x = wide(r, e.Bits())
		case 1:
			x = int64(size) + int64(r.IntN(3))
		case 2:
			x = -int64(r.IntN(4))
		}
		progen.SetInteger(v, i, x)
	}))
}

// constantOf returns an array of integers as a constant.
func (g *generator) constantOf(e element, numbers ...int64) value {
	v := tensor.View{Shape: tensor.ShapeOf(e.DType, len(numbers))}
	v.Data = make([]byte, v.Shape.NumBytes())
	for i, x := range numbers {
		progen.SetInteger(v, i, x)
	}
	return g.constant(e, v.Shape.Dims, v)
}

// one adds the operation that is made, with one result.
func (g *generator) one(attributes string, operands []value, result value, regions ...string) []value {
	return g.several(attributes, operands, []value{result}, regions...)
}

// several adds the operation that is made.
func (g *generator) several(attributes string, operands, results []value, regions ...string) []value {
	return g.lines(g.op.name, attributes, operands, results, regions...)
}

// line adds an operation of one result.
func (g *generator) line(name, attributes string, operands []value, result value, regions ...string) value {
	return g.lines(name, attributes, operands, []value{result}, regions...)[0]
}

// lines adds an operation.
func (g *generator) lines(name, attributes string, operands, results []value, regions ...string) []value {
	var names, in, out, types []string
	results = append([]value(nil), results...)
	for i := range results {
		results[i].name = g.name()
		names, types = append(names, results[i].name), append(types, results[i].String())
	}
	for _, v := range operands {
		in, out = append(in, v.name), append(out, v.String())
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s = \"%s\"(%s)", strings.Join(names, ", "), name, strings.Join(in, ", "))
	if attributes != "" {
		fmt.Fprintf(&b, " <{%s}>", attributes)
	}
	if len(regions) > 0 {
		fmt.Fprintf(&b, " (%s)", strings.Join(regions, ", "))
	}
	result := strings.Join(types, ", ")
	if len(types) != 1 {
		result = "(" + result + ")"
	}
	fmt.Fprintf(&b, " : (%s) -> %s", strings.Join(out, ", "), result)
	g.p.lines = append(g.p.lines, b.String())
	return results
}

// fold is a region that combines two scalars.
func fold(op string, e element) string {
	t := arrayOf(e)
	return fmt.Sprintf("{ ^bb0(%%x: %s, %%y: %s): %%z = \"%s\"(%%x, %%y) : (%s, %s) -> %s \"stablehlo.return\"(%%z) : (%s) -> () }",
		t, t, op, t, t, t, t)
}

// comparison is a region that compares its first two arguments.
func comparison(direction string, types ...element) string {
	var args []string
	for i, e := range types {
		args = append(args, fmt.Sprintf("%%x%d: %s, %%y%d: %s", i, arrayOf(e), i, arrayOf(e)))
	}
	t := arrayOf(types[0])
	return fmt.Sprintf("{ ^bb0(%s): %%z = \"stablehlo.compare\"(%%x0, %%y0) <{comparison_direction = #stablehlo<comparison_direction %s>}> : (%s, %s) -> tensor<i1> \"stablehlo.return\"(%%z) : (tensor<i1>) -> () }",
		strings.Join(args, ", "), direction, t, t)
}

func int64s[T int | int64](list []T) string {
	if len(list) == 0 {
		return "array<i64>"
	}
	return "array<i64: " + commas(list) + ">"
}

func commas[T any](list []T) string {
	texts := make([]string, len(list))
	for i, x := range list {
		texts[i] = fmt.Sprint(x)
	}
	return strings.Join(texts, ", ")
}
