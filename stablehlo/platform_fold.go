package stablehlo

import (
	"math/big"
	"slices"
	"strings"

	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/tensor"
)

// An integer is an integer or a boolean, with the shape of its tensor, which has one element.
type integer struct {
	shape tensor.Shape
	value *big.Int
}

func isIntegral(d tensor.DType) bool { return tensor.Pred <= d && d <= tensor.U64 }

func isSigned(d tensor.DType) bool { return tensor.S2 <= d && d <= tensor.S64 }

// integral returns the shape of a tensor of one integer or boolean.
func integral(t mlir.Type) (tensor.Shape, bool) {
	s, err := ShapeOf(t)
	return s, err == nil && isIntegral(s.DType) && !slices.ContainsFunc(s.Dims, func(d int) bool { return d != 1 })
}

// numberOf returns the value of a constant of one integer or boolean.
func numberOf(v mlir.Value) (integer, bool) {
	shape, ok := integral(v.Type())
	if !ok || !v.IsResult() {
		return integer{}, false
	}
	constant, ok := AsConstant(v.Owner())
	if !ok {
		return integer{}, false
	}
	data := slices.Clone(constant.Value.Data)
	slices.Reverse(data)
	n := integer{shape, new(big.Int).SetBytes(data)}
	n.value = n.wrapped()
	return n, true
}

// wrapped returns the value modulo 2 to the power of the number of bits, in the range of the type.
func (n integer) wrapped() *big.Int {
	bits := uint(n.shape.DType.Bits())
	size := new(big.Int).Lsh(big.NewInt(1), bits)
	v := new(big.Int).Mod(n.value, size)
	if isSigned(n.shape.DType) && v.Bit(int(bits)-1) == 1 {
		v.Sub(v, size)
	}
	return v
}

func (n integer) view() tensor.View {
	bytes := n.shape.DType.Size()
	data := new(big.Int).Mod(n.value, new(big.Int).Lsh(big.NewInt(1), uint(8*bytes))).FillBytes(make([]byte, bytes))
	slices.Reverse(data)
	return tensor.View{Shape: n.shape, Data: data}
}

// arithmetic holds the operations of two integers.
var arithmetic = map[string]func(z, x, y *big.Int) *big.Int{
	"add": (*big.Int).Add, "subtract": (*big.Int).Sub, "multiply": (*big.Int).Mul,
}

// logic holds the operations of two integers or booleans.
var logic = map[string]func(z, x, y *big.Int) *big.Int{
	"and": (*big.Int).And, "or": (*big.Int).Or, "xor": (*big.Int).Xor,
	"minimum": func(_, x, y *big.Int) *big.Int { return least(x, y) },
	"maximum": func(_, x, y *big.Int) *big.Int { return greatest(x, y) },
}

func least(x, y *big.Int) *big.Int {
	if x.Cmp(y) < 0 {
		return x
	}
	return y
}

func greatest(x, y *big.Int) *big.Int {
	if x.Cmp(y) > 0 {
		return x
	}
	return y
}

// fold computes an operation on constants that has one integer or boolean as its result. It knows
// what programs do with an index.
func fold(op mlir.Operation) (integer, bool) {
	if op.NumResults() != 1 || op.NumOperands() == 0 {
		return integer{}, false
	}
	shape, ok := integral(op.Result(0).Type())
	if !ok {
		return integer{}, false
	}
	var in []*big.Int
	for _, v := range op.Operands() {
		n, ok := numberOf(v)
		if !ok {
			return integer{}, false
		}
		in = append(in, n.value)
	}
	name, _ := strings.CutPrefix(op.Name(), dialect)
	n := integer{shape: shape}
	switch f, g := arithmetic[name], logic[name]; {
	case f != nil && shape.DType != tensor.Pred:
		n.value = f(new(big.Int), in[0], in[1])
	case g != nil:
		n.value = g(new(big.Int), in[0], in[1])
	case name == "negate":
		n.value = new(big.Int).Neg(in[0])
	case name == "not":
		n.value = new(big.Int).Not(in[0])
	case name == "reshape", name == "convert" && shape.DType != tensor.Pred:
		n.value = in[0]
	case name == "convert":
		n.value = truth(in[0].Sign() != 0)
	case name == "select":
		n.value = in[2-in[0].Int64()]
	case name == "clamp":
		n.value = least(greatest(in[0], in[1]), in[2])
	case name == "compare":
		n.value, ok = compared(op, in[0].Cmp(in[1]))
	default:
		return n, false
	}
	if ok {
		n.value = n.wrapped()
	}
	return n, ok
}

func compared(op mlir.Operation, order int) (*big.Int, bool) {
	c, ok := AsCompare(op)
	if !ok {
		return nil, false
	}
	switch c.ComparisonDirection {
	case CompareEQ:
		return truth(order == 0), true
	case CompareNE:
		return truth(order != 0), true
	case CompareGE:
		return truth(order >= 0), true
	case CompareGT:
		return truth(order > 0), true
	case CompareLE:
		return truth(order <= 0), true
	case CompareLT:
		return truth(order < 0), true
	}
	return nil, false
}

func truth(b bool) *big.Int {
	if b {
		return big.NewInt(1)
	}
	return new(big.Int)
}
