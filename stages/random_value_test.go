package stages_test

import (
	"fmt"
	"math"

	"github.com/calliope-mlir/calliope/builder"
	"github.com/calliope-mlir/calliope/tensor"
)

// A number is a value of a random module. Integers and booleans are the same in every way of running it. A float V
// comes with a bound: an array E, in f64, of how far each element may be from what the module computes in
// real numbers. A cut changes which operations XLA fuses, so floats may differ by the sum of
// their bounds, and not more.
//
// An elementwise operation may be wrong by 4 units in the last place, in each way of running it. A sum of n products
// has the error that any order of its additions has. What an operand may be wrong by enters a result by the operation's
// derivative.
type number struct{ V, E builder.Value }

func (n number) exact() bool         { return isExact(n.V.Shape().DType) }
func (n number) dims() []int         { return n.V.Shape().Dims }
func (n number) dtype() tensor.DType { return n.V.Shape().DType }
func (n number) leaves() (l []builder.Value) {
	if n.exact() {
		return []builder.Value{n.V}
	}
	return []builder.Value{n.V, n.E}
}

func isExact(d tensor.DType) bool { _, float := digits[d]; return !float }

// digits are the bits of the significands, and smallest the least normal numbers: XLA may flush smaller ones to zero.
var digits = map[tensor.DType]int{tensor.F64: 53, tensor.F32: 24, tensor.F16: 11, tensor.BF16: 8}

var smallest = map[tensor.DType]float64{tensor.F64: 0x1p-1022, tensor.F32: 0x1p-126, tensor.F16: 0x1p-14,
	tensor.BF16: 0x1p-126}

// unit is the distance between two floats around 1.
func unit(d tensor.DType) float64 { return math.Ldexp(1, 1-digits[d]) }

// rounding is the bound of one operation by its result: 4 units in the last place. The result is itself wrong by that,
// hence a little more than 4.
func rounding(d tensor.DType, result float64) float64 {
	return 4.25*unit(d)*math.Abs(result) + smallest[d]
}

// size returns |v| in f64.
func size(v builder.Value) builder.Value { return builder.Abs(builder.Convert(v, tensor.F64)) }

// computed returns the float that an operation computed, whose operands bring the error given.
func computed(v, given builder.Value) number {
	d := v.Shape().DType
	return number{v, builder.Add(given, builder.Add(builder.Mul(size(v), 4.25*unit(d)), smallest[d]))}
}

// both applies a function that moves elements, and computes nothing.
func (n number) both(f func(builder.Value) builder.Value) number {
	if n.exact() {
		return number{V: f(n.V)}
	}
	return number{f(n.V), f(n.E)}
}

// limited keeps values in a range in which no operation overflows, or has a large derivative.
func limited(n number) number {
	switch n.dtype() {
	case tensor.Pred, tensor.U8:
		return n
	case tensor.S32, tensor.S64:
		return number{V: builder.Rem(n.V, int32(97))}
	}
	return number{builder.Clamp(-4.0, n.V, 4.0), builder.Min(n.E, 8.0)} // rounds nothing
}

// sum adds all elements.
func sum(n number) number {
	switch n.dtype() {
	case tensor.Pred:
		return number{V: builder.ReduceAny(n.V)}
	case tensor.U8, tensor.S32, tensor.S64:
		return limited(number{V: builder.ReduceSum(n.V)})
	}
	// Each of the n-1 additions is wrong by half a unit of a partial sum, which is not more than the sum of all sizes.
	count := float64(n.V.Shape().NumElements())
	return limited(computed(builder.ReduceSum(n.V),
		builder.Add(builder.ReduceSum(n.E), builder.Mul(builder.ReduceSum(size(n.V)), count*unit(n.dtype())))))
}

// dot multiplies two vectors of floats.
func dot(x, y number) number {
	each := product(x, y)
	count := float64(x.V.Shape().NumElements())
	sizes := builder.ReduceSum(builder.Mul(size(x.V), size(y.V)))
	return limited(computed(builder.Dot(x.V, y.V),
		builder.Add(builder.ReduceSum(each), builder.Mul(sizes, (count+1)*unit(x.dtype())))))
}

// product is what the errors of two factors make of their product: x·y - (x+a)·(y+b).
func product(x, y number) builder.Value {
	return builder.Add(builder.Mul(size(x.V), y.E), builder.Add(builder.Mul(size(y.V), x.E), builder.Mul(x.E, y.E)))
}

// fit returns n with other dimensions.
func fit(n number, dims []int) number {
	switch {
	case fmt.Sprint(n.dims()) == fmt.Sprint(dims):
		return n
	case n.V.Shape().NumElements() == tensor.ShapeOf(n.dtype(), dims...).NumElements():
		return n.both(func(v builder.Value) builder.Value { return builder.Reshape(v, dims...) })
	}
	if len(n.dims()) > 0 {
		n = sum(n)
	}
	return n.both(func(v builder.Value) builder.Value { return builder.BroadcastTo(v, dims...) })
}

// as returns n with another element type. Floats do not become integers: these would differ.
func as(n number, d tensor.DType) number {
	switch {
	case n.dtype() == d:
		return n
	case isExact(d) && d == tensor.Pred:
		return number{V: builder.Gt(n.V, int32(2))}
	case isExact(d) && n.dtype() == tensor.Pred:
		return number{V: builder.Convert(n.V, d)}
	case isExact(d):
		return number{V: builder.Convert(builder.Abs(builder.Rem(builder.Convert(n.V, tensor.S32), int32(97))), d)}
	case n.exact():
		v := builder.Convert(n.V, d)
		return limited(computed(v, builder.FullLike(builder.Convert(v, tensor.F64), 0.0)))
	}
	return computed(builder.Convert(n.V, d), n.E)
}

// A decoded is a number that a callback got, or that a run returned.
type decoded struct {
	view  tensor.View
	error []float64 // of each element of a float
}

// decode reads numbers. Each float is followed by its bound.
func decode(views []tensor.View) (list []decoded) {
	for i := 0; i < len(views); i++ {
		n := decoded{view: views[i]}
		if !isExact(n.view.Shape.DType) {
			i++
			n.error = floatsOf(views[i])
		}
		list = append(list, n)
	}
	return list
}

// differs describes the first difference between two lists of numbers, "" if there is none.
func differs(a, b []tensor.View) string {
	if len(a) != len(b) {
		return fmt.Sprintf("%d and %d arrays", len(a), len(b))
	}
	other := decode(b)
	for i, n := range decode(a) {
		m := other[i]
		if !n.view.Shape.Equal(m.view.Shape) {
			return fmt.Sprintf("number %d: %s and %s", i, n.view.Shape, m.view.Shape)
		}
		if n.error == nil {
			if string(n.view.Data) != string(m.view.Data) {
				return fmt.Sprintf("number %d: %s and %s", i, n.view, m.view)
			}
			continue
		}
		x, y := floatsOf(n.view), floatsOf(m.view)
		for k := range x {
			if bound := n.error[k] + m.error[k]; !(math.Abs(x[k]-y[k]) <= bound) {
				return fmt.Sprintf("number %d: %s and %s differ by %g at %d, more than %g", i, n.view, m.view,
					math.Abs(x[k]-y[k]), k, bound)
			}
		}
	}
	return ""
}

// floatsOf returns the elements of an array of floats.
func floatsOf(v tensor.View) []float64 {
	list := make([]float64, v.Shape.NumElements())
	for i := range list {
		switch x := v.At(i).(type) {
		case float64:
			list[i] = x
		case float32:
			list[i] = float64(x)
		default:
			panic(fmt.Sprintf("an element of %s is a %T", v.Shape, x))
		}
	}
	return list
}

// setFloat sets an element of an array of floats.
func setFloat(v tensor.View, i int, x float64) {
	switch v.Shape.DType {
	case tensor.F64:
		s, _ := tensor.Slice[float64](v)
		s[i] = x
	case tensor.F32:
		s, _ := tensor.Slice[float32](v)
		s[i] = float32(x)
	case tensor.F16:
		s, _ := tensor.Slice[tensor.Float16](v)
		s[i] = tensor.ToFloat16(float32(x))
	case tensor.BF16:
		s, _ := tensor.Slice[tensor.BFloat16](v)
		s[i] = tensor.ToBFloat16(float32(x))
	}
}

// integersOf returns the elements of an array of integers or booleans.
func integersOf(v tensor.View) []int64 {
	list := make([]int64, v.Shape.NumElements())
	for i := range list {
		switch x := v.At(i).(type) {
		case bool:
			if x {
				list[i] = 1
			}
		case uint8:
			list[i] = int64(x)
		case int32:
			list[i] = int64(x)
		case int64:
			list[i] = x
		default:
			panic(fmt.Sprintf("an element of %s is a %T", v.Shape, x))
		}
	}
	return list
}

// setInteger sets an element of an array of integers or booleans.
func setInteger(v tensor.View, i int, x int64) {
	switch v.Shape.DType {
	case tensor.Pred:
		s, _ := tensor.Slice[bool](v)
		s[i] = x%2 != 0
	case tensor.U8:
		s, _ := tensor.Slice[uint8](v)
		s[i] = uint8(x)
	case tensor.S32:
		s, _ := tensor.Slice[int32](v)
		s[i] = int32(x)
	case tensor.S64:
		s, _ := tensor.Slice[int64](v)
		s[i] = x
	}
}
