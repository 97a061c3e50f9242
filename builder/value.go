package builder

import (
	"errors"
	"fmt"

	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
	"github.com/calliope-mlir/calliope/tensor"
)

// Value is a value of a function that is being built, or, made by Like, a template
// that only says what a value is to be.
type Value struct {
	f    *Func
	v    mlir.Value
	like *tensor.Shape // of a template
}

// Shape is the value's element type and dimensions; the zero Shape for a value that
// an earlier mistake kept from being built.
func (v Value) Shape() tensor.Shape {
	if v.like != nil {
		return *v.like
	}
	if v.f == nil || v.v.IsNil() {
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

func (v Value) describe() string {
	if v.like == nil && v.v.IsNil() {
		return "nothing"
	}
	return v.Shape().String()
}

func (v Value) checkIn(f *Func) error {
	switch {
	case v.like != nil:
		return errors.New("is a template: it has a type and no value")
	case v.f == nil:
		return errors.New("is the zero Value: use what an operation returned")
	case v.f != f:
		return fmt.Errorf("belongs to the function %q, not to %q", v.f.name, f.name)
	case v.v.IsNil():
		return errors.New("was never built")
	}
	return nil
}

// funcOf is the function that operands belong to, nil where no operand says.
func funcOf(operands ...Value) *Func {
	for _, v := range operands {
		if v.f != nil {
			return v.f
		}
	}
	return nil
}
