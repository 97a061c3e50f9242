package ods

import (
	"github.com/calliope-mlir/calliope/mlir"
)

// An Attributer is a Go value that makes an attribute.
type Attributer interface {
	Attribute(c *mlir.Context) (mlir.Attribute, error)
}

func (w *Writer) add(name string, a mlir.Attribute) {
	w.state.Attributes = append(w.state.Attributes, mlir.NamedAttribute{Name: name, Value: a})
}

// Attribute adds an attribute, which must not be nil.
func (w *Writer) Attribute(name string, a mlir.Attribute) {
	if a.IsNil() {
		w.fail("the attribute %s is missing", name)
		return
	}
	w.add(name, a)
}

// OptionalAttribute adds an attribute if it is not nil.
func (w *Writer) OptionalAttribute(name string, a mlir.Attribute) {
	if !a.IsNil() {
		w.add(name, a)
	}
}

// Set adds the attribute of v.
func (w *Writer) Set(name string, v Attributer) {
	a, err := v.Attribute(w.c)
	if err != nil {
		w.fail("%s: %w", name, err)
		return
	}
	w.add(name, a)
}

// SetOptional adds the attribute of *v if v is not nil.
func SetOptional[T Attributer](w *Writer, name string, v *T) {
	if v != nil {
		w.Set(name, *v)
	}
}

// SetKeyword adds the attribute of a keyword if it is not empty.
func SetKeyword[T interface {
	~string
	Attributer
}](w *Writer, name string, v T) {
	if v != "" {
		w.Set(name, v)
	}
}

// SetList adds an array of the elements' attributes if the list is not nil.
func SetList[T Attributer](w *Writer, name string, list []T) {
	if list == nil {
		return
	}
	elements := make([]mlir.Attribute, len(list))
	for i, v := range list {
		a, err := v.Attribute(w.c)
		if err != nil {
			w.fail("%s: element %d: %w", name, i, err)
			return
		}
		elements[i] = a
	}
	w.add(name, w.c.ArrayAttribute(elements...))
}

// Bool adds a boolean.
func (w *Writer) Bool(name string, v bool) { w.add(name, w.c.BoolAttribute(v)) }

// OptionalBool adds a boolean if it is true.
func (w *Writer) OptionalBool(name string, v bool) {
	if v {
		w.Bool(name, v)
	}
}

// Unit adds a unit attribute if v is true.
func (w *Writer) Unit(name string, v bool) {
	if v {
		w.add(name, w.c.UnitAttribute())
	}
}

// Int64 adds a number of type i64.
func (w *Writer) Int64(name string, v int64) {
	w.add(name, w.c.IntegerAttribute(w.c.IntegerType(64, mlir.Signless), v))
}

// Int32 adds a number of type i32.
func (w *Writer) Int32(name string, v int32) {
	w.add(name, w.c.IntegerAttribute(w.c.IntegerType(32, mlir.Signless), int64(v)))
}

// OptionalInt64 adds a number of type i64 if v is not nil.
func (w *Writer) OptionalInt64(name string, v *int64) {
	if v != nil {
		w.Int64(name, *v)
	}
}

// OptionalInt32 adds a number of type i32 if v is not nil.
func (w *Writer) OptionalInt32(name string, v *int32) {
	if v != nil {
		w.Int32(name, *v)
	}
}

// Float32 adds a number of type f32.
func (w *Writer) Float32(name string, v float32) {
	w.add(name, w.c.FloatAttribute(w.c.F32Type(), float64(v)))
}

// Text adds a string.
func (w *Writer) Text(name string, v string) { w.add(name, w.c.StringAttribute(v)) }

// OptionalText adds a string if it is not empty.
func (w *Writer) OptionalText(name string, v string) {
	if v != "" {
		w.Text(name, v)
	}
}

// Symbol adds a reference to a symbol, whose name must not be empty.
func (w *Writer) Symbol(name string, v string) {
	if v == "" {
		w.fail("the symbol %s is missing", name)
		return
	}
	w.add(name, w.c.SymbolAttribute(v))
}

// Int64s adds array<i64: …>.
func (w *Writer) Int64s(name string, v []int64) { w.add(name, w.c.Int64ArrayAttribute(v...)) }

// OptionalInt64s adds array<i64: …> if v is not nil.
func (w *Writer) OptionalInt64s(name string, v []int64) {
	if v != nil {
		w.Int64s(name, v)
	}
}

// OptionalBools adds array<i1: …> if v is not nil.
func (w *Writer) OptionalBools(name string, v []bool) {
	if v != nil {
		w.add(name, mlir.NewDenseArray(w.c, v...))
	}
}

// Pairs adds a tensor<Nx2xi64>.
func (w *Writer) Pairs(name string, v [][2]int64) {
	flat := make([]int64, 0, 2*len(v))
	for _, pair := range v {
		flat = append(flat, pair[:]...)
	}
	w.matrix(name, flat, len(v), 2)
}

// OptionalPairs adds a tensor<Nx2xi64> if v is not nil.
func (w *Writer) OptionalPairs(name string, v [][2]int64) {
	if v != nil {
		w.Pairs(name, v)
	}
}

// Rows adds a tensor<NxMxi64>. Rows shorter than the longest one are padded with -1, as
// StableHLO represents replica groups of different sizes.
func (w *Writer) Rows(name string, v [][]int64) {
	width := 0
	for _, row := range v {
		width = max(width, len(row))
	}
	flat := make([]int64, 0, width*len(v))
	for _, row := range v {
		flat = append(flat, row...)
		for range width - len(row) {
			flat = append(flat, -1)
		}
	}
	w.matrix(name, flat, len(v), width)
}

func (w *Writer) matrix(name string, flat []int64, rows, columns int) {
	t, err := w.c.TensorType(w.c.IntegerType(64, mlir.Signless), int64(rows), int64(columns))
	if err != nil {
		w.fail("%s: %w", name, err)
		return
	}
	a, err := mlir.NewDense(t, flat)
	if err != nil {
		w.fail("%s: %w", name, err)
		return
	}
	w.add(name, a)
}
