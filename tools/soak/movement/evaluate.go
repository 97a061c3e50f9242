package movement

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/calliope-mlir/calliope/internal/test/progen"
	"github.com/calliope-mlir/calliope/tensor"
)

// An array has the bits of its elements, row by row.
type array struct {
	kind
	data []uint64
}

func (a array) at(position ...int) uint64 { return a.data[a.index(position)] }

// view returns the array as engines take it.
func (a array) view() tensor.View {
	v := tensor.View{Shape: tensor.ShapeOf(a.elem, a.dims...), Data: make([]byte, len(a.data)*a.elem.Size())}
	for i, x := range a.data {
		if a.elem == tensor.S4 {
			x = uint64(signed(a.elem, x)) // a byte with the sign
		}
		progen.SetBits(v, i, x)
	}
	return v
}

// Programs that do more are not run.
const maxSteps = 2000

var (
	errLong    = errors.New("the program takes too long")
	errInexact = errors.New("a sum may be rounded")
)

// evaluate returns what main returns.
func (p *program) evaluate() (results []array, err error) {
	m := &machine{values: map[*value]array{}, numbers: p.numbers}
	for i, v := range p.main.params {
		m.values[v] = p.inputs[i]
	}
	if err := m.run(p.main); err != nil {
		return nil, err
	}
	return m.all(p.main.results), nil
}

// A machine runs a program.
type machine struct {
	values  map[*value]array
	steps   int
	numbers bool
}

func (m *machine) all(list []*value) (out []array) {
	for _, v := range list {
		out = append(out, m.values[v])
	}
	return out
}

func (m *machine) set(to []*value, from []array) {
	for i, v := range to {
		m.values[v] = from[i]
	}
}

func (m *machine) run(b *block) error {
	for _, s := range b.steps {
		if m.steps++; m.steps > maxSteps {
			return errLong
		}
		args := m.all(s.args)
		var err error
		switch {
		case s.is(loop):
			err = m.loop(s, args)
		case s.is(choice):
			err = m.choose(s, 1-int(args[0].data[0]))
		case s.is(cases):
			n := signed(args[0].elem, args[0].data[0])
			if n < 0 || n >= int64(len(s.blocks)) {
				n = int64(len(s.blocks)) - 1
			}
			err = m.choose(s, int(n))
		case s.is(call):
			m.set(s.callee.params, args)
			err = m.run(s.callee.block)
			m.set(s.out, m.all(s.callee.results))
		default:
			m.values[s.out[0]], err = m.compute(s, args)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (m *machine) loop(s *step, state []array) error {
	test, body := s.blocks[0], s.blocks[1]
	for {
		m.set(test.params, state)
		if err := m.run(test); err != nil {
			return err
		}
		if m.values[test.results[0]].data[0] == 0 {
			m.set(s.out, state)
			return nil
		}
		m.set(body.params, state)
		if err := m.run(body); err != nil {
			return err
		}
		if m.steps++; m.steps > maxSteps { // of an empty body, too
			return errLong
		}
		state = m.all(body.results)
	}
}

func (m *machine) choose(s *step, n int) error {
	err := m.run(s.blocks[n])
	m.set(s.out, m.all(s.blocks[n].results))
	return err
}

// A whole computes all elements of its result at once.
type whole interface {
	evaluate(args []array, out kind) array
}

func (m *machine) compute(s *step, args []array) (array, error) {
	out := array{kind: s.out[0].kind}
	if w, ok := s.operation.(whole); ok {
		out = w.evaluate(args, out.kind)
	} else {
		out.data = make([]uint64, out.size())
		out.each(func(i int, at []int) { out.data[i] = s.element(args, out.kind, at) })
	}
	_, isConstant := s.operation.(constant)
	if most, ok := exact[out.elem]; ok && m.numbers && !isConstant {
		for _, x := range out.data {
			if f := progen.Number(out.elem, x); !(math.Abs(f) <= most) {
				return out, errInexact
			}
		}
	}
	return out, nil
}

// exact are numbers below which sums of a few whole ones are exact.
var exact = map[tensor.DType]float64{tensor.F16: 64, tensor.BF16: 16, tensor.F32: 1 << 18, tensor.F64: 1 << 40}

// isMoved reports whether numbers of a type are only moved.
func isMoved(e tensor.DType) bool {
	return !progen.IsFloat(e) && !progen.IsInteger(e) && e != tensor.Pred
}

// mask keeps the bits of a type.
func mask(e tensor.DType, x uint64) uint64 { return x << (64 - e.Bits()) >> (64 - e.Bits()) }

// signed returns the integer that a type has for bits.
func signed(e tensor.DType, x uint64) int64 {
	if progen.IsSigned(e) {
		return int64(x<<(64-e.Bits())) >> (64 - e.Bits())
	}
	return int64(x)
}

// less reports whether an element is below another one.
func less(e tensor.DType, x, y uint64) bool {
	switch {
	case progen.IsFloat(e):
		return progen.Number(e, x) < progen.Number(e, y)
	case progen.IsSigned(e):
		return signed(e, x) < signed(e, y)
	}
	return x < y
}

// combine computes an element of two.
func combine(op string, e tensor.DType, x, y uint64) uint64 {
	switch op {
	case "add":
		if progen.IsFloat(e) {
			return progen.Bits(e, progen.Number(e, x)+progen.Number(e, y))
		}
		if e == tensor.Pred {
			return x | y
		}
		return mask(e, x+y)
	case "subtract":
		if progen.IsFloat(e) {
			return progen.Bits(e, progen.Number(e, x)-progen.Number(e, y))
		}
		return mask(e, x-y)
	case "multiply":
		return mask(e, x*y)
	case "maximum":
		if less(e, x, y) {
			return y
		}
		return x
	case "minimum":
		if less(e, y, x) {
			return y
		}
		return x
	case "and":
		return x & y
	case "or":
		return x | y
	case "xor":
		return x ^ y
	}
	panic(op)
}

// neutral returns the element that combine keeps the other one with.
func neutral(op string, e tensor.DType) uint64 {
	switch {
	case op == "multiply":
		return 1
	case op == "and":
		return mask(e, math.MaxUint64)
	case op == "maximum" && progen.IsFloat(e):
		return progen.Bits(e, math.Inf(-1))
	case op == "minimum" && progen.IsFloat(e):
		return progen.Bits(e, math.Inf(1))
	case op == "maximum" && progen.IsSigned(e):
		return 1 << (e.Bits() - 1)
	case op == "minimum" && progen.IsSigned(e):
		return 1<<(e.Bits()-1) - 1
	case op == "minimum":
		return mask(e, math.MaxUint64)
	}
	return 0
}

// difference returns the first element in which an engine's results are others, or "". Zeros of numbers are one.
func (p *program) difference(want []array, got []tensor.View) string {
	if len(want) != len(got) {
		return fmt.Sprintf("%d results instead of %d", len(got), len(want))
	}
	for i, a := range want {
		w, g := a.view(), got[i]
		if !w.Shape.Equal(g.Shape) {
			return fmt.Sprintf("result %d is %s instead of %s", i, g.Shape, w.Shape)
		}
		size := a.elem.Size()
		for k := range a.data {
			x, y := w.Data[k*size:(k+1)*size], g.Data[k*size:(k+1)*size]
			if !slices.Equal(x, y) && !(p.numbers && progen.IsFloat(a.elem) && w.At(k) == g.At(k)) {
				return fmt.Sprintf("result %d, element %d: %v instead of %v\n  %v\n  instead of\n  %v", i, k, g.At(k),
					w.At(k), g, w)
			}
		}
	}
	return ""
}
