package builder

import (
	"errors"

	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
	"github.com/calliope-mlir/calliope/tensor"
)

// Value is a value of a function that is being built, or, made by Like, a template
// that only says what a value is to be.
type Value struct {
	s    *scope        // where it was made
	v    mlir.Value    // nil where an earlier mistake kept it from being built
	like *tensor.Shape // of a template
}

// Shape is the value's element type and dimensions; the zero Shape for a value that
// an earlier mistake kept from being built.
func (v Value) Shape() tensor.Shape {
	if v.like != nil {
		return *v.like
	}
	if v.s == nil || v.v.IsNil() {
		return tensor.Shape{}
	}
	s, err := stablehlo.ShapeOf(v.v.Type())
	if err != nil {
		return tensor.Shape{}
	}
	return s
}

// MLIR is the value in the module, for what the builder does not offer; zero for one
// that an earlier mistake kept from being built.
func (v Value) MLIR() mlir.Value { return v.v }

// describe is the value's type as a person reads it, for example "f32[2,3]".
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

// static says why a value's type cannot be the type of a result.
func (v Value) static() error {
	for _, d := range v.Shape().Dims {
		if d < 0 {
			return errDynamic
		}
	}
	return nil
}

var errDynamic = errors.New("a dimension that is not known: memory for a result is taken before the call")

// funcOf is the function that operands belong to, nil where no operand says.
func funcOf(operands ...Value) *Func {
	for _, v := range operands {
		if v.s != nil {
			return v.s.f
		}
	}
	return nil
}

// mustFuncOf is funcOf for an operation that has operands. Without any function there
// is nowhere to keep the mistake.
func mustFuncOf(op string, operands ...Value) *Func {
	f := funcOf(operands...)
	if f == nil {
		panic("builder: " + op + " was given zero Values and templates only: use what an operation or Func.Param returned")
	}
	return f
}
