package transform

import (
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// The composites that state derivatives: see package autodiff.
const (
	StopGradient = "calliope.stop_gradient"
	CustomJVP    = "calliope.custom_jvp"
	CustomVJP    = "calliope.custom_vjp"
)

// HasRule reports whether an operation is a composite that states its derivative.
func HasRule(op mlir.Operation) bool {
	o, ok := stablehlo.AsComposite(op)
	return ok && (o.Name == StopGradient || o.Name == CustomJVP || o.Name == CustomVJP)
}

// NumArguments returns the number of operands of a composite with which its derivative is, or -1 if it is wrong.
func NumArguments(o stablehlo.CompositeOp) int {
	if o.Name == StopGradient {
		return len(o.Inputs)
	}
	a, _ := o.CompositeAttributes.Entry("arguments")
	if n, ok := a.Int(); ok && n >= 0 && n <= int64(len(o.Inputs)) {
		return int(n)
	}
	return -1
}

// FunctionOf returns the name of a function that an attribute has as a symbol or, after an artifact, as a string.
func FunctionOf(a mlir.Attribute) string {
	name, ok := a.Symbol()
	if !ok {
		name, _ = a.Text()
	}
	return name
}
