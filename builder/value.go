package builder

import (
	"errors"
	"slices"

	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
	"github.com/calliope-mlir/calliope/tensor"
)

// A Value is a value of a function under construction. A Value that Like made is a
// template, which only has a type.
type Value struct {
	s    *scope        // in which it was made
	v    mlir.Value    // nil if it was not built because of an earlier mistake
	like *tensor.Shape // of a template
}

// Shape returns the value's element type and dimensions. It returns the zero Shape if an
// earlier mistake kept the value from being built.
func (v Value) Shape() tensor.Shape {
	if v.like != nil {
		return *v.like
	}
	if v.s == nil || v.v.IsNil() {
		return tensor.Shape{}
	}
	b, t := v.s.f.b, v.v.Type()
	s, known := b.shapes[t]
	if !known {
		s, _ = stablehlo.ShapeOf(t)
		b.shapes[t] = s
	}
	s.Dims = slices.Clone(s.Dims)
	return s
}

// MLIR returns the value in the module, for operations that the builder does not offer. It
// returns the zero Value if an earlier mistake kept the value from being built.
func (v Value) MLIR() mlir.Value { return v.v }

// describe returns the value's type in readable form, for example "f32[2,3]".
func (v Value) describe() string {
	if v.like != nil {
		return v.like.String()
	}
	if v.v.IsNil() {
		return "nothing"
	}
	return describeType(v.v.Type())
}

func describeType(t mlir.Type) string {
	if s, err := stablehlo.ShapeOf(t); err == nil {
		return s.String()
	}
	return t.String()
}

// static returns an error if a value's type cannot be the type of a result.
func (v Value) static() error {
	for _, d := range v.Shape().Dims {
		if d < 0 {
			return errDynamic
		}
	}
	return nil
}

var errDynamic = errors.New("a dimension is unknown: memory for a result is allocated before the call")

// funcOf returns the function that operands belong to, or nil if no operand names one.
func funcOf(operands ...Value) *Func {
	for _, v := range operands {
		if v.s != nil {
			return v.s.f
		}
	}
	return nil
}

// mustFuncOf is funcOf for an operation that has operands. It panics without a function,
// because no builder could record the mistake.
func mustFuncOf(operands ...Value) *Func {
	f := funcOf(operands...)
	if f == nil {
		panic(misuse("all operands are zero Values or templates, which belong to no function: use the result of an " +
			"operation or of Func.Param"))
	}
	return f
}
