package rules

import (
	"errors"

	"github.com/calliope-mlir/calliope/lint"
	"github.com/calliope-mlir/calliope/lint/finding"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
	"github.com/calliope-mlir/calliope/tensor"
)

// DynamicShape reports shapes that stay dynamic whatever shapes the arguments have.
var DynamicShape = &lint.Analyzer{
	Name:     "dynamic-shape",
	Doc:      "a shape depends on values, so that it stays dynamic when the shapes of all arguments are known",
	Run:      dynamicShape,
	Severity: finding.Warning,
	Details: `Severity: warning.

XLA compiles static shapes. A module with dynamic ones is refined for the shapes of its arguments: by Calliope, by
jax.export's call, by XLA's own refinement. This fails if a shape depends on the values of an array. The rule refines @main
for a size of its dynamic dimensions that its assertions allow, and reports the first shape that stays dynamic.

    %0 = stablehlo.dynamic_iota %n, dim = 0 : (tensor<1xi32>) -> tensor<?xf32>   // %n is an argument

Compute the shape from constants and stablehlo.get_dimension_size, or use a static bound and a mask. Dimensions with a
bound, which XLA supports, are not reported. Source: StableHLO's documentation of dynamism, shape refinement.`,
}

// sizes are those of dynamic dimensions that are tried, until the assertions of the module allow one.
var sizes = []int{8, 1, 2, 16, 128}

func dynamicShape(p *lint.Pass) error {
	// A text has a question mark for each dynamic dimension.
	if !p.Mentions("?", bytecode) || !hasDynamic(p) {
		return nil
	}
	module := p.Module
	if _, ok := stablehlo.PlatformArgument(module); ok {
		module = module.Clone()
		defer module.Close()
		if stablehlo.SelectPlatform(module, 0) != nil {
			return nil
		}
	}
	for _, n := range sizes {
		shapes, ok := shapesOf(module, n)
		if !ok {
			return nil
		}
		refined, err := stablehlo.Refine(module, shapes...)
		if err == nil {
			return refined.Close()
		}
		if stays, ok := errors.AsType[*stablehlo.RefineError](err); ok && stays.Operation != "" {
			if module.Context().Registered(stays.Operation) { // of others nothing is known
				reportDynamic(p, stays)
			}
			return nil
		}
	}
	return nil // it is not known: an assertion holds for none of the sizes, or they contradict an operation
}

// reportDynamic reports the operation whose shape stays dynamic.
func reportDynamic(p *lint.Pass, stays *stablehlo.RefineError) {
	for op := range p.Operations(stays.Operation) {
		if op.Location().Position() == stays.Position {
			p.Report(op, finding.Warning, "%s whatever the shapes of the arguments are, and XLA compiles static ones: compute it from constants and sizes, or use a bound",
				stays.Reason)
			return
		}
	}
}

// hasDynamic reports whether an operation of the module has a result of a dynamic shape without a bound.
func hasDynamic(p *lint.Pass) bool {
	known := map[mlir.Type]bool{}
	for _, op := range p.Index.All() {
		for _, v := range op.Results() {
			t := v.Type()
			if known[t] {
				continue
			}
			known[t] = true
			if _, encoded := t.Encoding(); t.IsRankedTensor() && !encoded {
				if _, static := t.NumElements(); !static {
					return true
				}
			}
		}
	}
	return false
}

// shapesOf returns the shapes of main's arguments with n for each dynamic dimension, or false if there is no main, or
// an argument of another type.
func shapesOf(m *mlir.Module, n int) (shapes []tensor.Shape, ok bool) {
	for op := range m.Body().Operations() {
		if name, _ := op.Symbol(); name != "main" || op.Name() != "func.func" || entryOf(op).IsNil() {
			continue
		}
		for _, v := range entryOf(op).Arguments() {
			shape := tensor.Shape{DType: tensor.Token}
			if !stablehlo.IsToken(v.Type()) {
				var err error
				if shape, err = stablehlo.ShapeOf(v.Type()); err != nil {
					return nil, false
				}
				for i, d := range shape.Dims {
					if d < 0 {
						shape.Dims[i] = n
					}
				}
			}
			shapes = append(shapes, shape)
		}
		return shapes, true
	}
	return nil, false
}
