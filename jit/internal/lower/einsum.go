package lower

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// Einsums makes products of the operations einsum of a module. MLIR's pass knows only those of floats, whose partial
// sums it rounds.
func Einsums(m *mlir.Module) error {
	for op := range m.Operation().Index().Named("stablehlo.einsum") {
		e := &emitter{Builder: mlir.NewBuilder(mlir.Before(op), op.Location()), op: op, module: m}
		position := op.Location().Position()
		err := lowerEinsum(e)
		if err == nil {
			err = e.Err()
		}
		if err != nil {
			return &UnsupportedError{Operation: "stablehlo.einsum", Position: position, Reason: Reason(err)}
		}
	}
	return nil
}

// lowerEinsum takes the diagonals of the operands, sums what only one of them has, and multiplies what is left.
func lowerEinsum(e *emitter) error {
	op, ok := stablehlo.AsEinsum(e.op)
	if !ok {
		return errMalformed
	}
	result := e.op.Result(0)
	x, y, to, err := readEinsum(op.EinsumConfig, op.LHS, op.RHS, result)
	if err != nil {
		return err
	}
	elem := e.elementOf(result)
	if kind, isFloat := elem.FloatKind(); isFloat && kind.Bits() < 32 {
		elem = e.Context().F32Type() // in which the products are summed
	}
	for _, t := range []*term{&x, &y} {
		t.Value = stablehlo.Convert(e.Builder, e.tensorOf(elem, dims(t.Value)...), t.Value)
		t.takeDiagonals(e)
	}
	x.sumExcept(e, y.labels+to)
	y.sumExcept(e, x.labels+to)
	var n stablehlo.DotDimensionNumbers
	var batch, rows, columns string
	for i, l := range x.labels {
		j := int64(strings.IndexRune(y.labels, l))
		switch {
		case j < 0:
			rows += string(l)
		case strings.ContainsRune(to, l):
			batch += string(l)
			n.LHSBatchingDimensions = append(n.LHSBatchingDimensions, int64(i))
			n.RHSBatchingDimensions = append(n.RHSBatchingDimensions, j)
		default:
			n.LHSContractingDimensions = append(n.LHSContractingDimensions, int64(i))
			n.RHSContractingDimensions = append(n.RHSContractingDimensions, j)
		}
	}
	for _, l := range y.labels {
		if !strings.ContainsRune(x.labels, l) {
			columns += string(l)
		}
	}
	made := batch + rows + columns
	order, sizes := make([]int64, len(to)), make([]int64, len(to))
	for i, l := range []byte(to) {
		order[i] = int64(strings.IndexByte(made, l))
		sizes[order[i]] = dims(result)[i]
	}
	v := stablehlo.DotGeneral(e.Builder, e.tensorOf(elem, sizes...), x.Value, y.Value, n)
	if !slices.IsSorted(order) {
		v = stablehlo.Transpose(e.Builder, v, order)
	}
	v = stablehlo.Convert(e.Builder, result.Type(), v)
	if e.Err() != nil {
		return e.Err()
	}
	result.ReplaceAllUses(v)
	return e.op.Erase()
}

// A term is an operand of an einsum, with a letter for each of its dimensions.
type term struct {
	mlir.Value
	labels string
}

// readEinsum returns the operands of an einsum, and the labels of its result. Digits are the labels of the dimensions
// for which "..." stands, of which the last one is 0.
func readEinsum(config string, x, y, result mlir.Value) (a, b term, to string, err error) {
	from, to, ok := strings.Cut(config, "->")
	left, right, two := strings.Cut(from, ",")
	if !ok || !two {
		return a, b, "", fmt.Errorf("its configuration %q is not of two operands and a result", config)
	}
	a, b = term{x, left}, term{y, right}
	r := term{result, to}
	sizes := map[rune]int64{}
	for _, t := range []*term{&a, &b, &r} {
		if t.labels, err = spelled(t.labels, len(dims(t.Value))); err != nil {
			return a, b, "", err
		}
		same, _ := a.Type().Element()
		if elem, _ := t.Type().Element(); !elem.Equal(same) {
			return a, b, "", errors.New("its operands and its result differ in their elements: convert them first")
		}
		for i, l := range t.labels {
			size, known := sizes[l]
			switch {
			case t == &r && !known:
				return a, b, "", fmt.Errorf("no operand has the label %q of its result", l)
			case t == &r && strings.Count(t.labels, string(l)) > 1:
				return a, b, "", fmt.Errorf("its result has the label %q twice", l)
			case known && size != dims(t.Value)[i]:
				return a, b, "", fmt.Errorf("the label %q has the sizes %d and %d", l, size, dims(t.Value)[i])
			}
			sizes[l] = dims(t.Value)[i]
		}
	}
	return a, b, r.labels, nil
}

// spelled returns labels with one for each of rank dimensions.
func spelled(labels string, rank int) (string, error) {
	labels = strings.ReplaceAll(labels, " ", "")
	if first, rest, ok := strings.Cut(labels, "..."); ok {
		const digits = "9876543210"
		n := rank - len(first) - len(rest)
		if n < 0 || n > len(digits) {
			return "", fmt.Errorf("%q does not fit %d dimensions", labels, rank)
		}
		labels = first + digits[len(digits)-n:] + rest
	}
	if len(labels) != rank {
		return "", fmt.Errorf("%q does not fit %d dimensions", labels, rank)
	}
	return labels, nil
}

// takeDiagonals leaves one of the dimensions that have the same label. The elements of the diagonal of n × n elements
// are in the first column of n × (n+1), which has the same elements in the same order and n more.
func (t *term) takeDiagonals(e *emitter) {
	for i := 0; i < len(t.labels); i++ {
		j := strings.LastIndexByte(t.labels, t.labels[i])
		if j == i {
			continue
		}
		b, elem := e.Builder, e.elementOf(t.Value)
		order := make([]int64, 0, len(t.labels))
		for d := range t.labels {
			if d != i && d != j {
				order = append(order, int64(d))
			}
		}
		t.labels = t.labels[:j] + t.labels[j+1:]
		t.labels = t.labels[:i] + t.labels[i+1:] + t.labels[i:i+1]
		t.Value = stablehlo.Transpose(b, t.Value, append(order, int64(i), int64(j)))
		if e.Err() != nil {
			return
		}
		sizes := dims(t.Value)
		last := len(sizes) - 2
		n := sizes[last]
		sizes = sizes[:last]
		with := func(list []int64, more ...int64) []int64 { return append(slices.Clone(list), more...) }
		none, ones := make([]int64, last), slices.Repeat([]int64{1}, last+2)
		flat := stablehlo.Reshape(b, e.tensorOf(elem, with(sizes, n*n)...), t.Value)
		flat = stablehlo.Pad(b, flat, e.zero(elem), with(none, 0), with(none, n), with(none, 0))
		flat = stablehlo.Reshape(b, e.tensorOf(elem, with(sizes, n, n+1)...), flat)
		flat = stablehlo.Slice(b, flat, with(none, 0, 0), with(sizes, n, 1), ones)
		t.Value = stablehlo.Reshape(b, e.tensorOf(elem, with(sizes, n)...), flat)
		i = -1 // the labels have moved
	}
}

// sumExcept sums over the dimensions whose labels are not among others.
func (t *term) sumExcept(e *emitter, others string) {
	var over []int64
	labels := ""
	for i, l := range t.labels {
		if strings.ContainsRune(others, l) {
			labels += string(l)
		} else {
			over = append(over, int64(i))
		}
	}
	if len(over) == 0 {
		return
	}
	t.labels = labels
	elem := e.elementOf(t.Value)
	scalar := e.tensorOf(elem)
	body := e.Region(func(in []mlir.Value) {
		stablehlo.Return(e.Builder, stablehlo.Add(e.Builder, in[0], in[1])) // of booleans: whether one is true
	}, scalar, scalar)
	sum := stablehlo.Reduce(e.Builder, []mlir.Value{t.Value}, []mlir.Value{e.zero(elem)}, over, body)
	if e.Err() == nil {
		t.Value = sum.Result(0)
	}
}

// zero returns a constant of rank 0.
func (e *emitter) zero(elem mlir.Type) mlir.Value {
	return stablehlo.Convert(e.Builder, e.tensorOf(elem), e.scalar(32, 0))
}
