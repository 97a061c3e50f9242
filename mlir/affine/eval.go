package affine

import (
	"fmt"
	"math"
	"math/bits"
)

// Eval returns the value of e for the given values of its dimensions and symbols. It returns an error if there are too
// few values, if a divisor is below one, or if a number does not fit in 64 bits.
func (e Expr) Eval(dims, symbols []int64) (int64, error) {
	e.check("affine.Expr.Eval")
	values := map[Expr]int64{}
	var err error
	e.Walk(func(f Expr) bool {
		var v int64
		v, err = f.eval(values, dims, symbols)
		values[f] = v
		return err == nil
	})
	return values[e], err
}

func (e Expr) eval(values map[Expr]int64, dims, symbols []int64) (int64, error) {
	if v, ok := e.Constant(); ok {
		return v, nil
	}
	kind := e.Kind()
	if i, ok := e.Position(); ok {
		given := dims
		if kind == KindSymbol {
			given = symbols
		}
		if i >= len(given) {
			return 0, fmt.Errorf("affine: %s has no value: pass more values of dimensions or symbols", e)
		}
		return given[i], nil
	}
	left, right, _ := e.Operands()
	v, ok := combine(kind, values[left], values[right])
	if !ok {
		return 0, fmt.Errorf("affine: cannot evaluate %s: %d %s %d overflows int64 or has a divisor below one", e,
			values[left], kind, values[right])
	}
	return v, nil
}

func combine(k Kind, a, b int64) (int64, bool) {
	switch k {
	case KindAdd:
		s := a + b
		return s, (s > a) == (b > 0)
	case KindMul:
		hi, lo := bits.Mul64(magnitude(a), magnitude(b))
		if (a < 0) != (b < 0) {
			return -int64(lo), hi == 0 && lo <= 1<<63
		}
		return int64(lo), hi == 0 && lo <= math.MaxInt64
	}
	if b < 1 {
		return 0, false
	}
	quotient, rest := a/b, a%b
	switch {
	case k == KindMod && rest < 0:
		return rest + b, true
	case k == KindMod:
		return rest, true
	case k == KindFloorDiv && rest < 0:
		return quotient - 1, true
	case k == KindCeilDiv && rest > 0:
		return quotient + 1, true
	}
	return quotient, true
}

func magnitude(v int64) uint64 {
	if v < 0 {
		return -uint64(v)
	}
	return uint64(v)
}
