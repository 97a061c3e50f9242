package builder

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/internal/run/tree"
)

// JacFwd returns the function of all derivatives of f, by forward mode: good if f has more results than arguments. They
// are a tree of trees: a tree like the result, in which a tree like the argument stands for each value. The dimensions
// of a derivative are those of the value of the result, and then those of the value of the argument. J is the type of
// this tree, which the call states. The other types follow from f:
//
//	type line[T any] struct{ Slope, Offset T }
//
//	builder.JacFwd[builder.Value](f)(x)       // of a value f(x) with respect to a value x
//	builder.JacFwd[line[builder.Value]](f)(p) // of a value with respect to a line p
//	builder.JacFwd[[]line[builder.Value]](f)  // of a slice of values with respect to a line
//
// All leaves of the argument and of the result must be real floating-point numbers. Callbacks are called once, with the
// values of f itself; those that have a derivative are called for it once for each element of the argument. See Grad
// for what f may do.
func JacFwd[J, T, R any](f func(T) R) func(T) J {
	return jacobian[J]("jacfwd", f, func(s *step, x T, in []Value) (y R, list []Value) {
		columns := Batch(func(dx T) (dy R) {
			y, dy = JVP(f, x, dx)
			return dy
		}, BatchOptions{Method: contract.Sequential})(basis(s, x, in))
		out := s.reals("result", y)
		for i, column := range s.reals("result", columns) {
			if !s.ok {
				break
			}
			column = s.transpose(column, append(upTo(rankOf(column))[1:], 0)...)
			start := 0
			for _, v := range in {
				list = append(list, s.block(column, -1, start, v, dimsOf(out[i]), dimsOf(v)))
				start += numElements(v)
			}
		}
		return y, list
	})
}

// JacRev is JacFwd by reverse mode: good if f has more arguments than results.
func JacRev[J, T, R any](f func(T) R) func(T) J {
	return jacobian[J]("jacrev", f, func(s *step, x T, in []Value) (y R, list []Value) {
		y, back := VJP(f, x)
		out := s.reals("result", y)
		rows := s.reals("argument", Batch(back, BatchOptions{Method: contract.Sequential})(basis(s, y, out)))
		start := 0
		for _, v := range out {
			if !s.ok {
				break
			}
			for i, row := range rows {
				list = append(list, s.block(row, 0, start, v, dimsOf(v), dimsOf(in[i])))
			}
			start += numElements(v)
		}
		return y, list
	})
}

// Hessian returns the function of all second derivatives of f: JacFwd of JacRev, as in JAX. If the result of f is a
// scalar, H is a tree like the argument, in which such a tree stands for each value. Each derivative has the dimensions
// of the result, of the first value and of the second one.
func Hessian[H, T any](f func(T) Value) func(T) H { return JacFwd[H](JacRev[T](f)) }

// jacobian returns the function of the Jacobian of f. parts returns f(x) and the derivatives of each value of the
// result with respect to each one of the argument.
func jacobian[J, T, R any](
	name string, f func(T) R, parts func(s *step, x T, values []Value) (y R, list []Value),
) func(T) J {
	return func(x T) J {
		s, values := argument(name, x, f == nil)
		s.reals("argument", x)
		var list []Value
		y := structure(&s, f, x)
		if s.ok {
			y, list = parts(&s, x, values)
		}
		return treeOfTrees[J](&s, y, x, list)
	}
}

// reals returns the leaves of a tree. It ends the step if one of them is not a static array of real floating-point
// numbers.
func (s *step) reals(what string, x any) (values []Value) {
	s.ok = s.ok && s.f.b.err == nil
	for _, l := range located(x) {
		switch shape := l.v.Shape(); {
		case !s.ok:
		case !isStatic(shape.Dims):
			s.fail("%s of the %s is %s: %s", l.name(), what, l.v.describe(), refine)
		case !isReal(shape.DType):
			s.fail("%s of the %s is %s: a Jacobian is of real floating-point numbers; let the function take others "+
				"from outside, as a closure, and use JVP or VJP for complex ones", l.name(), what, l.v.describe())
		}
		values = append(values, l.v)
	}
	return values
}

// basis returns a batch of trees like x, whose leaves are values. In an element of the batch one number of one of the
// leaves is 1, and the others are 0.
func basis[T any](s *step, x T, values []Value) T {
	if !s.ok {
		return placeholders(s.f, x)
	}
	size, start := 0, 0
	for _, v := range values {
		size += numElements(v)
	}
	size = max(size, 1) // also for arrays without elements
	list := make([]Value, len(values))
	for i, v := range values {
		list[i] = s.block(Eye(s.f, dtypeOf(v), size), 1, start, v, []int{size}, dimsOf(v))
		start += numElements(v)
	}
	return rebuild(x, list)
}

// block returns the part of a batch along an axis that belongs to a leaf of its basis, the first of which is start,
// with these dimensions.
func (s *step) block(batch Value, axis, start int, of Value, dims ...[]int) Value {
	if !s.ok {
		return s.none()
	}
	return s.reshape(s.sliceAxis(batch, axis, start, start+numElements(of)), slices.Concat(dims...)...)
}

func numElements(v Value) int {
	n, _ := v.v.Type().NumElements()
	return int(n)
}

// treeOfTrees returns a tree like y, in which trees like x stand for the leaves. list has their leaves. After a mistake
// they are placeholders.
func treeOfTrees[J, T, R any](s *step, y R, x T, list []Value) (j J) {
	n := len(located(x))
	to := reflect.ValueOf(&j).Elem()
	mismatch := func(string, reflect.Value, reflect.Value) error {
		return fmt.Errorf("its type argument is %s: it must be a tree like %T, with a %T in place of each Value",
			reflect.TypeFor[J](), y, x)
	}
	err := tree.Mirror{
		Leaf: valueType, Leaves: "builder.Value", Mismatch: mismatch,
		Visit: func(at string, from, to reflect.Value) error {
			if from.Type() != valueType || to.Type() != reflect.TypeFor[T]() {
				return mismatch(at, from, to)
			}
			if !s.ok {
				to.Set(reflect.ValueOf(placeholders(s.f, x)))
				return nil
			}
			to.Set(reflect.ValueOf(rebuild(x, list[:n])))
			list = list[n:]
			return nil
		},
	}.Walk(tree.Addressable(reflect.ValueOf(y)), to, "")
	if err != nil {
		s.fail("%w", err)
		return placeholders(s.f, j)
	}
	return j
}
