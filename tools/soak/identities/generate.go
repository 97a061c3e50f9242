package identities

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/calliope-mlir/calliope/internal/test/progen"
	"github.com/calliope-mlir/calliope/tensor"
)

// types are the element types that are tried.
var types = []tensor.DType{
	tensor.S8, tensor.S16, tensor.S32, tensor.S64, tensor.U8, tensor.U32, tensor.U64,
	tensor.F32, tensor.F32, tensor.F32, tensor.F64, tensor.F64, tensor.BF16, tensor.F16,
}

// conversions are the element types that T, W, N and F stand for.
var conversions = map[tensor.DType]map[string]tensor.DType{
	tensor.S8:   {"W": tensor.S32, "F": tensor.F32},
	tensor.S16:  {"W": tensor.S64, "N": tensor.S8, "F": tensor.F32},
	tensor.S32:  {"W": tensor.S64, "N": tensor.S16, "F": tensor.F32},
	tensor.S64:  {"N": tensor.S32, "F": tensor.F64},
	tensor.U8:   {"W": tensor.U32, "F": tensor.F32},
	tensor.U32:  {"W": tensor.U64, "N": tensor.U8, "F": tensor.F32},
	tensor.U64:  {"N": tensor.U32, "F": tensor.F64},
	tensor.F16:  {"W": tensor.F32},
	tensor.BF16: {"W": tensor.F32},
	tensor.F32:  {"W": tensor.F64, "N": tensor.BF16},
	tensor.F64:  {"N": tensor.F32},
}

// A generator makes random expressions.
type generator struct{ *rand.Rand }

// templates returns those for a type.
func templates(t tensor.DType) []string {
	list := slices.Clone(forAll)
	if !progen.IsUnsigned(t) {
		list = append(list, forSigned...)
	}
	if progen.IsFloat(t) {
		return append(list, forFloats...)
	}
	return append(list, forIntegers...)
}

// expression returns a random expression of a type: a template, in whose operands there may be
// others, and which may be in another one.
func (g *generator) expression(t tensor.DType) *expression {
	for {
		e, ok := g.template(t)
		if !ok {
			continue
		}
		inner := false
		e = e.replace(func(leaf *expression) *expression {
			if leaf.t != t || inner || g.IntN(6) > 0 {
				return leaf
			}
			in, ok := g.template(t)
			if !ok || in.t != t {
				return leaf
			}
			inner = true
			return in
		})
		if e.t == t && g.IntN(3) == 0 {
			if outer, ok := g.template(t); ok {
				filled := false
				e = outer.replace(func(leaf *expression) *expression {
					if leaf.op != "x" || leaf.t != t || filled {
						return leaf
					}
					filled = true
					return e
				})
			}
		}
		if e.isComparable() {
			return e
		}
	}
}

func (g *generator) template(t tensor.DType) (*expression, bool) {
	list := templates(t)
	template := list[g.IntN(len(list))]
	if t == tensor.F16 && strings.Contains(template, "e30") {
		return nil, false // too large
	}
	return parse(template, t, func(open string) (string, bool) {
		if open == "c" {
			return g.constant(t), true
		}
		if open == "T" {
			return t.String(), true
		}
		to, ok := conversions[t][open]
		return to.String(), ok
	})
}

// constant returns a random number that is not zero.
func (g *generator) constant(t tensor.DType) string {
	switch {
	case progen.IsFloat(t):
		return g.one("1.0", "2.0", "-1.0", "0.5", "3.0", "7.0", "-0.1", "100.0", "-2.0")
	case progen.IsUnsigned(t):
		return g.one("1", "2", "3", "4", "7", "8", "64", "100", "255")
	}
	return g.one("1", "2", "3", "4", "7", "8", "64", "100", "-1", "-2", "-3", "-8", "127")
}

func (g *generator) one(list ...string) string { return list[g.IntN(len(list))] }

// inputs returns random arrays for the parameters of all types. Integers y are not zero.
func (g *generator) inputs() map[string]tensor.View {
	inputs := map[string]tensor.View{}
	for _, t := range append(slices.Compact(slices.Clone(types)), tensor.Pred) {
		for _, name := range []string{"x", "y", "z", "p"} {
			v := tensor.View{Shape: tensor.ShapeOf(t, length), Data: make([]byte, length*t.Size())}
			for i := range length {
				if progen.IsFloat(t) {
					progen.SetFloat(v, i, g.float(), 0)
				} else {
					progen.SetInteger(v, i, g.integer(t, name == "y"))
				}
			}
			inputs[name+":"+t.String()] = v
		}
	}
	return inputs
}

// integer returns a random integer: any, a small one, or a bound.
func (g *generator) integer(t tensor.DType, nonzero bool) int64 {
	if t == tensor.Pred {
		return int64(g.IntN(2))
	}
	low := 0
	if nonzero {
		low = 1
	}
	switch g.IntN(5) {
	case 0:
		return int64(low + g.IntN(4))
	case 1:
		return -int64(1 + g.IntN(3))
	case 2:
		return 1<<(t.Bits()-1) - int64(g.IntN(2)) // the lowest
	case 3:
		return int64(low + g.IntN(100))
	}
	return int64(g.Uint64() | uint64(low))
}

// float returns a random number: a special one, a whole one, or any of moderate size.
func (g *generator) float() float64 {
	switch g.IntN(4) {
	case 0:
		list := []float64{0, math.Copysign(0, -1), 1, -1, math.Inf(1), math.Inf(-1), math.NaN(), 1e30, -1e30, 1e-30,
			math.MaxFloat32, 2, 0.5}
		return list[g.IntN(len(list))]
	case 1:
		return float64(g.IntN(21) - 10)
	case 2:
		return math.Copysign(math.Exp(g.NormFloat64()*8), g.NormFloat64())
	}
	return g.NormFloat64()
}
