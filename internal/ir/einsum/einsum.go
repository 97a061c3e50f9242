// Package einsum writes products by labels, the operations einsum and unary_einsum, as operations that every engine
// and every transformation knows.
//
// The specification of StableHLO leaves both out. Their labels are those of NumPy's einsum, with the two freedoms that
// XLA adds: a dimension of size 1 fits one of any size, and a label of the result may stand there twice.
package einsum

import (
	"slices"

	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
	"github.com/calliope-mlir/calliope/tensor"
)

// Names are the operations that Expand knows.
var Names = []string{"stablehlo.einsum", "stablehlo.unary_einsum"}

// Expand returns the value of op, an einsum of static types, which it leaves in place. The diagonals of the operands
// are taken, what only one of them has is summed, and the rest is a dot_general. It computes in at least 32 bits, and
// rounds once.
func Expand(b *mlir.Builder, op mlir.Operation) (v mlir.Value, err error) {
	attribute, _ := op.Attribute("einsum_config")
	config, _ := attribute.Text()
	terms, result, err := read(config, op)
	if err != nil {
		return v, err
	}
	e := expander{b}
	element, err := e.computed(op)
	if err != nil {
		return v, err
	}
	for i := range terms {
		terms[i].Value = e.as(element, terms[i].Value)
		e.dropOnes(&terms[i], terms, result)
		e.takeDiagonals(&terms[i])
	}
	made := terms[0]
	if len(terms) == 2 {
		e.sumExcept(&terms[0], terms[1].labels+result.labels)
		e.sumExcept(&terms[1], terms[0].labels+result.labels)
		made = e.multiply(terms[0], terms[1], result.labels)
	}
	e.sumExcept(&made, result.labels)
	e.spread(&made, result)
	return stablehlo.Convert(b, op.Result(0).Type(), made.Value), b.Err()
}

// An expander creates operations. After the first error of its builder the values are none.
type expander struct{ *mlir.Builder }

// multiply returns the product of two terms: the labels that both and the result have, then those of x, then those of
// y.
func (e expander) multiply(x, y term, result string) term {
	var n stablehlo.DotDimensionNumbers
	var batch, rows, columns string
	var shared, height, width []int64
	for i, l := range []byte(x.labels) {
		j, size := int64(y.index(l)), x.dims()[i]
		switch {
		case j < 0:
			rows, height = rows+string(l), append(height, size)
		case has(result, l):
			batch, shared = batch+string(l), append(shared, size)
			n.LHSBatchingDimensions = append(n.LHSBatchingDimensions, int64(i))
			n.RHSBatchingDimensions = append(n.RHSBatchingDimensions, j)
		default:
			n.LHSContractingDimensions = append(n.LHSContractingDimensions, int64(i))
			n.RHSContractingDimensions = append(n.RHSContractingDimensions, j)
		}
	}
	for i, l := range []byte(y.labels) {
		if x.index(l) < 0 {
			columns, width = columns+string(l), append(width, y.dims()[i])
		}
	}
	t := e.array(x.element(), slices.Concat(shared, height, width)...)
	return term{stablehlo.DotGeneral(e.Builder, t, x.Value, y.Value, n), batch + rows + columns}
}

// sumExcept sums over the dimensions whose labels are not among others.
func (e expander) sumExcept(t *term, others string) {
	var over []int64
	labels := ""
	for i, l := range []byte(t.labels) {
		if has(others, l) {
			labels += string(l)
		} else {
			over = append(over, int64(i))
		}
	}
	if len(over) == 0 {
		return
	}
	scalar := e.array(t.element())
	body := e.Region(func(in []mlir.Value) {
		stablehlo.Return(e.Builder, stablehlo.Add(e.Builder, in[0], in[1])) // of booleans: whether one is true
	}, scalar, scalar)
	sum := stablehlo.Reduce(e.Builder, []mlir.Value{t.Value}, []mlir.Value{e.zero(t.element())}, over, body)
	if e.Err() == nil {
		t.Value, t.labels = sum.Result(0), labels
	}
}

// as returns x with other elements.
func (e expander) as(element mlir.Type, x mlir.Value) mlir.Value {
	t := term{Value: x}
	if t.element().Equal(element) {
		return x
	}
	return stablehlo.Convert(e.Builder, e.array(element, t.dims()...), x)
}

// array returns the type of an array. Errors go to the builder.
func (e expander) array(element mlir.Type, dims ...int64) mlir.Type {
	t, err := e.Context().TensorType(element, dims...)
	e.Fail(err)
	return t
}

// zero returns a constant of rank 0.
func (e expander) zero(element mlir.Type) mlir.Value {
	shape, err := stablehlo.ShapeOf(e.array(element))
	e.Fail(err)
	return stablehlo.Constant(e.Builder, tensor.View{Shape: shape, Data: make([]byte, shape.NumBytes())})
}

func (e expander) reshape(x mlir.Value, dims ...int64) mlir.Value {
	return stablehlo.Reshape(e.Builder, e.array(term{Value: x}.element(), dims...), x)
}
