package xlafix

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/calliope-mlir/calliope/internal/ir/quantized"
	"github.com/calliope-mlir/calliope/internal/ir/rewrite"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/mlir/dialect/function"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// expandQuantized computes with integers and floating-point numbers in place of quantized ones, of which XLA's CPU
// compiler has none, if main takes any or an operation makes any of floats. It reports whether there were any.
func expandQuantized(m *mlir.Module, index *mlir.Index) (int, error) {
	if !index.Has("stablehlo.uniform_quantize", "stablehlo.uniform_dequantize") && !takesQuantized(m) {
		return 0, nil
	}
	n, err := quantized.Expand(m)
	if err != nil {
		return 0, fmt.Errorf("expanding quantized numbers, which XLA has none of: %w", err)
	}
	return n, runPasses(m, "func.func(chlo-legalize-to-stablehlo)")
}

// takesQuantized reports whether a function has a quantized parameter.
func takesQuantized(m *mlir.Module) bool {
	for f := range m.Body().Operations() {
		if f.Name() != "func.func" || f.Region(0).NumBlocks() == 0 {
			continue
		}
		for _, v := range f.Region(0).First().Arguments() {
			if stablehlo.IsQuantized(v.Type()) {
				return true
			}
		}
	}
	return false
}

func runPasses(m *mlir.Module, pipeline string) error {
	p, err := m.Context().NewPassManager(mlir.PassManagerOptions{Pipeline: "builtin.module(" + pipeline + ")"})
	if err != nil {
		return err
	}
	return errors.Join(p.Run(m), p.Close())
}

// ExpandUntranslated replaces operations that XLA's CPU compiler does not translate by others: the cube root of complex
// numbers, a convolution whose padding is an operand and a constant, the ragged products that the library's pass
// chlo-legalize-to-stablehlo knows, reductions to one device, and asynchronous operations other than XLA's. It returns
// the number of operations that it replaced.
func ExpandUntranslated(m *mlir.Module) (int, error) {
	index := m.Operation().Index()
	n, err := synchronous(index)
	if err != nil {
		return n, err
	}
	for op := range index.Named("stablehlo.collective_reduce") {
		if err := rewrite.ExpandCollectiveReduce(op); err != nil {
			return n, fmt.Errorf("%s at %s: %w", op.Name(), op.Location().Position(), err)
		}
		n++
	}
	for op := range index.Named("chlo.ragged_dot", "stablehlo.cbrt", "stablehlo.dynamic_conv") {
		if !isStatic(op) {
			continue
		}
		e, t := before(op), op.Result(0).Type()
		var v mlir.Value
		switch op.Name() {
		case "stablehlo.cbrt":
			element, _ := t.Element()
			if !isComplex(element) {
				continue
			}
			v = e.complexCubeRoot(op.Operand(0))
		case "stablehlo.dynamic_conv":
			if v = e.staticConvolution(op); v.IsNil() {
				continue
			}
		default:
			done, err := expandAlone(op, "func.func(chlo-legalize-to-stablehlo)")
			if err != nil {
				return n, err
			}
			if done {
				n++
			}
			continue
		}
		if e.Cause() != nil {
			return n, e.Cause()
		}
		if v.IsResult() {
			rewrite.KeepSharding(op, v.Owner())
		}
		op.Result(0).ReplaceAllUses(v)
		if err := op.Erase(); err != nil {
			return n, err
		}
		n++
	}
	return n, nil
}

// notTranslated are the operations that ExpandUntranslated replaces.
var notTranslated = []string{
	"chlo.ragged_dot", "stablehlo.async_start", "stablehlo.cbrt", "stablehlo.collective_reduce", "stablehlo.dynamic_conv",
}

// synchronous replaces the asynchronous operations that XLA has only as synchronous ones.
func synchronous(index *mlir.Index) (n int, err error) {
	for start := range index.Named("stablehlo.async_start") {
		if op := start.Region(0).First().First(); slices.Contains(asynchronous, op.Name()) {
			continue
		}
		done, err := rewrite.Synchronous(start)
		if err != nil {
			return n, err
		}
		if done {
			n++
		}
	}
	return n, nil
}

// asynchronous are the operations that XLA translates in an async_start.
var asynchronous = strings.Fields(`stablehlo.all_gather stablehlo.all_reduce stablehlo.all_to_all
	stablehlo.collective_broadcast stablehlo.collective_permute stablehlo.reduce_scatter`)

func isComplex(element mlir.Type) bool {
	_, ok := element.ComplexElement()
	return ok
}

// complexCubeRoot returns x to the power of a third.
func (e emitter) complexCubeRoot(x mlir.Value) mlir.Value {
	re := stablehlo.Real(e.Builder, x)
	third := stablehlo.Complex(e.Builder, e.number(re.Type(), 1.0/3), e.Zeros(re.Type()))
	return stablehlo.Power(e.Builder, x, third)
}

// staticConvolution returns a convolution whose padding is an attribute, or nil if no constant states it.
func (e emitter) staticConvolution(op mlir.Operation) (v mlir.Value) {
	o, ok := stablehlo.AsDynamicConv(op)
	if !ok || !o.Padding.IsResult() || o.Padding.Owner().Name() != "stablehlo.constant" {
		return v
	}
	value, _ := o.Padding.Owner().Attribute("value")
	dims, _ := o.Padding.Type().Dims()
	var padding [][2]int64
	for i := range dims[0] {
		var pair [2]int64
		for k := range pair {
			a, _ := value.ElementAt(i, int64(k))
			if pair[k], ok = a.Int(); !ok {
				return v
			}
		}
		padding = append(padding, pair)
	}
	return stablehlo.ConvolutionOp{LHS: o.LHS, RHS: o.RHS, WindowStrides: o.WindowStrides, Padding: padding,
		LHSDilation: o.LHSDilation, RHSDilation: o.RHSDilation, WindowReversal: o.WindowReversal,
		DimensionNumbers: o.DimensionNumbers, FeatureGroupCount: o.FeatureGroupCount,
		BatchGroupCount: o.BatchGroupCount, PrecisionConfig: o.PrecisionConfig,
		ResultType: op.Result(0).Type()}.Create(e.Builder).Result(0)
}

// expandAlone replaces an operation without regions by what passes make of it, and reports whether they can. No other
// operation of the module sees the passes.
func expandAlone(op mlir.Operation, pipeline string) (done bool, err error) {
	m := op.Context().NewModule(op.Location())
	defer func() { err = errors.Join(err, m.Close()) }()
	b := mlir.NewBuilder(mlir.AtEnd(m.Body()), op.Location())
	results := mlir.TypesOf(op.ResultValues())
	function.Func(b, "f", mlir.TypesOf(op.OperandValues()), results, func(in []mlir.Value) {
		state := mlir.OperationState{Name: op.Name(), Operands: in, Results: results}
		for name, a := range op.Attributes() {
			state.Attributes = append(state.Attributes, mlir.NamedAttribute{Name: name, Value: a})
		}
		function.Return(b, b.Create(state).ResultValues()...)
	})
	if b.Err() != nil {
		return false, b.Err()
	}
	if runPasses(m, pipeline) != nil || m.Operation().Index().Has(op.Name()) {
		return false, nil
	}
	_, err = function.Inline(op, m.Body().First())
	return err == nil, err
}
