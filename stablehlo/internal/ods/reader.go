package ods

import (
	"math"
	"slices"

	"github.com/calliope-mlir/calliope/mlir"
)

// Reader takes an operation apart. What is missing or of another kind than the
// operation's definition says makes OK false.
type Reader struct {
	op    mlir.Operation
	next  int // operand
	group int // how many operands a variadic one stands for
	ok    bool
}

// Read begins to read an operation, nil where it has another name. It has so many
// single operands and so many variadic ones, which are equally long.
func Read(op mlir.Operation, name string, single, variadic int) *Reader {
	if op.IsNil() || op.Name() != name {
		return nil
	}
	r := &Reader{op: op, ok: true}
	rest := op.NumOperands() - single
	if variadic > 0 {
		r.group = rest / variadic
		rest -= r.group * variadic
	}
	r.ok = rest == 0 && r.group >= 0
	return r
}

// OK reports whether everything that was read was there.
func (r *Reader) OK() bool { return r.ok }

// Operand is the next operand.
func (r *Reader) Operand() mlir.Value {
	if !r.ok {
		return mlir.Value{}
	}
	r.next++
	return r.op.Operand(r.next - 1)
}

// Operands are the next variadic operands.
func (r *Reader) Operands() []mlir.Value {
	var values []mlir.Value
	for range r.group {
		values = append(values, r.Operand())
	}
	return values
}

// Result is the type of the only result.
func (r *Reader) Result() mlir.Type {
	if r.op.NumResults() != 1 {
		r.ok = false
		return mlir.Type{}
	}
	return r.op.Result(0).Type()
}

// Results are the types of the results.
func (r *Reader) Results() []mlir.Type {
	var types []mlir.Type
	for _, v := range r.op.Results() {
		types = append(types, v.Type())
	}
	return types
}

// Region is the i-th region.
func (r *Reader) Region(i int) mlir.Region {
	if i >= r.op.NumRegions() {
		r.ok = false
		return mlir.Region{}
	}
	return r.op.Region(i)
}

// Regions are all regions.
func (r *Reader) Regions() []mlir.Region {
	var regions []mlir.Region
	for _, region := range r.op.Regions() {
		regions = append(regions, region)
	}
	return regions
}

// Attribute is an attribute that must be there.
func (r *Reader) Attribute(name string) mlir.Attribute {
	a := r.OptionalAttribute(name)
	r.ok = r.ok && !a.IsNil()
	return a
}

// OptionalAttribute is an attribute, nil where it is not there.
func (r *Reader) OptionalAttribute(name string) mlir.Attribute {
	a, _ := r.op.Attribute(name)
	return a
}

// Get reads an attribute that must be there.
func Get[T any](r *Reader, name string, read func(mlir.Attribute) (T, bool)) (v T) {
	if a := r.Attribute(name); !a.IsNil() {
		v = take(r, a, read)
	}
	return v
}

// GetOptional reads an attribute; the zero value where it is not there.
func GetOptional[T any](r *Reader, name string, read func(mlir.Attribute) (T, bool)) (v T) {
	if a := r.OptionalAttribute(name); !a.IsNil() {
		v = take(r, a, read)
	}
	return v
}

// GetPointer reads an attribute; nil where it is not there.
func GetPointer[T any](r *Reader, name string, read func(mlir.Attribute) (T, bool)) *T {
	a := r.OptionalAttribute(name)
	if a.IsNil() {
		return nil
	}
	v := take(r, a, read)
	return &v
}

// GetList reads an array attribute; nil where it is not there.
func GetList[T any](r *Reader, name string, read func(mlir.Attribute) (T, bool)) []T {
	a := r.OptionalAttribute(name)
	if a.IsNil() {
		return nil
	}
	elements, ok := a.Elements()
	r.ok = r.ok && ok
	list := make([]T, len(elements))
	for i, e := range elements {
		list[i] = take(r, e, read)
	}
	return list
}

func take[T any](r *Reader, a mlir.Attribute, read func(mlir.Attribute) (T, bool)) T {
	v, ok := read(a)
	r.ok = r.ok && ok
	return v
}

// Int32 reads a number that an int32 holds.
func Int32(a mlir.Attribute) (int32, bool) {
	v, ok := a.Int()
	return int32(v), ok && v >= math.MinInt32 && v <= math.MaxInt32
}

// Float32 reads a floating-point number.
func Float32(a mlir.Attribute) (float32, bool) {
	v, ok := a.Float()
	return float32(v), ok
}

// Unit takes whatever is there for true.
func Unit(a mlir.Attribute) (bool, bool) { return true, true }

// Bools reads array<i1: …>.
func Bools(a mlir.Attribute) ([]bool, bool) { return mlir.DenseArrayOf[bool](a) }

// Pairs reads a tensor<Nx2xi64>.
func Pairs(a mlir.Attribute) ([][2]int64, bool) {
	rows, ok := Rows(a)
	if !ok {
		return nil, false
	}
	pairs := make([][2]int64, len(rows))
	for i, row := range rows {
		if copy(pairs[i][:], row) != 2 || len(row) != 2 {
			return nil, false
		}
	}
	return pairs, true
}

// Rows reads a tensor<NxMxi64>, of a splat too.
func Rows(a mlir.Attribute) ([][]int64, bool) {
	t, ok := a.Type()
	if !ok {
		return nil, false
	}
	dims, ok := t.Dims()
	if !ok || len(dims) != 2 {
		return nil, false
	}
	d, err := mlir.DenseOf[int64](a)
	if err != nil {
		return nil, false
	}
	values, err := d.Values()
	if err != nil {
		return nil, false
	}
	rows := make([][]int64, dims[0])
	for i := range rows {
		rows[i] = slices.Clone(values[int64(i)*dims[1] : int64(i+1)*dims[1]])
	}
	return rows, true
}
