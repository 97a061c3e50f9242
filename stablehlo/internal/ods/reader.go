package ods

import (
	"math"
	"slices"

	"github.com/calliope-mlir/calliope/mlir"
)

// A Reader reads the parts of an operation. If a part is missing or does not match the
// operation's definition, OK returns false.
type Reader struct {
	op    mlir.Operation
	next  int // index of the next operand
	group int // number of operands in each variadic one
	ok    bool
}

// Read returns a Reader of an operation, or nil if it has another name. The definition has
// the given numbers of single and variadic operands. All variadic operands have the same
// length.
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

// OK reports whether all parts that were read exist and match the definition.
func (r *Reader) OK() bool { return r.ok }

// Operand returns the next operand.
func (r *Reader) Operand() mlir.Value {
	if !r.ok {
		return mlir.Value{}
	}
	r.next++
	return r.op.Operand(r.next - 1)
}

// Operands returns the operands of the next variadic one.
func (r *Reader) Operands() []mlir.Value {
	var values []mlir.Value
	for range r.group {
		values = append(values, r.Operand())
	}
	return values
}

// Result returns the type of the only result.
func (r *Reader) Result() mlir.Type {
	if r.op.NumResults() != 1 {
		r.ok = false
		return mlir.Type{}
	}
	return r.op.Result(0).Type()
}

// Results returns the types of the results.
func (r *Reader) Results() []mlir.Type {
	var types []mlir.Type
	for _, v := range r.op.Results() {
		types = append(types, v.Type())
	}
	return types
}

// Region returns the i-th region.
func (r *Reader) Region(i int) mlir.Region {
	if i >= r.op.NumRegions() {
		r.ok = false
		return mlir.Region{}
	}
	return r.op.Region(i)
}

// Regions returns all regions.
func (r *Reader) Regions() []mlir.Region {
	var regions []mlir.Region
	for _, region := range r.op.Regions() {
		regions = append(regions, region)
	}
	return regions
}

// Attribute returns a required attribute.
func (r *Reader) Attribute(name string) mlir.Attribute {
	a := r.OptionalAttribute(name)
	r.ok = r.ok && !a.IsNil()
	return a
}

// OptionalAttribute returns an attribute, or nil if the operation does not have it.
func (r *Reader) OptionalAttribute(name string) mlir.Attribute {
	a, _ := r.op.Attribute(name)
	return a
}

// Get reads a required attribute.
func Get[T any](r *Reader, name string, read func(mlir.Attribute) (T, bool)) (v T) {
	if a := r.Attribute(name); !a.IsNil() {
		v = take(r, a, read)
	}
	return v
}

// GetOptional reads an attribute. It returns the zero value if the operation does not
// have it.
func GetOptional[T any](r *Reader, name string, read func(mlir.Attribute) (T, bool)) (v T) {
	if a := r.OptionalAttribute(name); !a.IsNil() {
		v = take(r, a, read)
	}
	return v
}

// GetPointer reads an attribute. It returns nil if the operation does not have it.
func GetPointer[T any](r *Reader, name string, read func(mlir.Attribute) (T, bool)) *T {
	a := r.OptionalAttribute(name)
	if a.IsNil() {
		return nil
	}
	v := take(r, a, read)
	return &v
}

// GetList reads an array attribute. It returns nil if the operation does not have it.
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

// Int32 reads an integer that fits into an int32.
func Int32(a mlir.Attribute) (int32, bool) {
	v, ok := a.Int()
	return int32(v), ok && v >= math.MinInt32 && v <= math.MaxInt32
}

// Float32 reads a floating-point number.
func Float32(a mlir.Attribute) (float32, bool) {
	v, ok := a.Float()
	return float32(v), ok
}

// Unit returns true for any attribute.
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

// Rows reads a tensor<NxMxi64>, which may be a splat.
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
