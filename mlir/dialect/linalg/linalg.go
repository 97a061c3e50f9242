// Package linalg builds and reads the operations of MLIR's dialect linalg: computations on tensors and memrefs as
// loops with indexing maps. Generic takes a Go function that builds the body, and FillRegion gives a named operation
// its own. ContractionOf, ConvolutionOf and IndexingMaps say what an operation computes. If the library lacks what a
// function needs, the error matches mlir.ErrUnsupported.
package linalg

import (
	"fmt"
	"strings"

	"github.com/calliope-mlir/calliope/experimental/capi"
	"github.com/calliope-mlir/calliope/internal/ir/raw"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/mlir/affine"
)

// A Contraction holds the loops of a contraction by their roles.
type Contraction struct{ Batch, M, N, K []int64 }

// A Convolution holds the loops of a convolution by their roles.
type Convolution struct {
	Batch, OutputImage, OutputChannel, FilterLoop, InputChannel, Depth []int64
	Strides, Dilations                                                 []int64
}

// verified returns the handles of an operation, after it verified it. The library reads the
// region and the maps of a linalg operation without checking that they exist.
func verified(
	o mlir.Operation, method string, functions ...string,
) (*mlir.Context, *capi.Table, capi.MlirOperation, error) {
	c, h := raw.UnwrapOperation(o, "linalg."+method)
	if err := raw.Need(c.Library(), functions...); err != nil {
		return nil, nil, h, err
	}
	return c, raw.Table(c), h, o.Verify()
}

// IsContraction reports whether o is a contraction. It verifies o first.
func IsContraction(o mlir.Operation) (bool, error) {
	_, t, h, err := verified(o, "IsContraction", "mlirLinalgIsAContractionOp")
	return err == nil && capi.MlirLinalgIsAContractionOp(t, h), err
}

// IsConvolution reports whether o is a convolution. It verifies o first.
func IsConvolution(o mlir.Operation) (bool, error) {
	_, t, h, err := verified(o, "IsConvolution", "mlirLinalgIsAConvolutionOp")
	return err == nil && capi.MlirLinalgIsAConvolutionOp(t, h), err
}

// ContractionOf returns the dimensions of a contraction. It verifies o first, and returns
// an error if o is not a contraction.
func ContractionOf(o mlir.Operation) (Contraction, error) {
	c, t, h, err := verified(o, "ContractionOf", "mlirLinalgIsAContractionOp", "mlirLinalgInferContractionDimensions")
	if err != nil {
		return Contraction{}, err
	}
	if !capi.MlirLinalgIsAContractionOp(t, h) {
		return Contraction{}, fmt.Errorf("linalg: %s is not a contraction", o.Name())
	}
	return contraction(c, capi.MlirLinalgInferContractionDimensions(t, h)), nil
}

// ContractionOfMaps returns the dimensions of a contraction from the indexing maps of its
// two operands and its result. All of them have the same loops.
func ContractionOfMaps(left, right, result affine.Map) (Contraction, error) {
	const function = "mlirLinalgInferContractionDimensionsFromMaps"
	c := left.Context()
	if err := raw.Need(c.Library(), function); err != nil {
		return Contraction{}, err
	}
	maps := []affine.Map{left, right, result}
	list := make([]capi.MlirAffineMap, len(maps))
	for i, m := range maps {
		if m.IsNil() || m.NumSymbols() != 0 || m.NumDims() != left.NumDims() || !m.IsProjectedPermutation() {
			return Contraction{}, fmt.Errorf("linalg: %s is not a map of a contraction over %d loops: each result must be one of them", m, left.NumDims())
		}
		list[i] = raw.Map(m.Attribute(), c, "linalg.ContractionOfMaps")
	}
	d := contraction(c, capi.MlirLinalgInferContractionDimensionsFromMaps(raw.Table(c), raw.First(list), len(list)))
	if len(d.K) == 0 {
		return Contraction{}, fmt.Errorf("linalg: %s, %s and %s do not form a contraction", left, right, result)
	}
	return d, nil
}

func contraction(c *mlir.Context, d capi.MlirLinalgContractionDimensions) Contraction {
	return Contraction{Batch: list(c, d.Batch), M: list(c, d.M), N: list(c, d.N), K: list(c, d.K)}
}

// ConvolutionOf returns the dimensions of a convolution. It verifies o first, and returns
// an error if o is not a convolution.
func ConvolutionOf(o mlir.Operation) (Convolution, error) {
	c, t, h, err := verified(o, "ConvolutionOf", "mlirLinalgIsAConvolutionOp", "mlirLinalgInferConvolutionDimensions")
	if err != nil {
		return Convolution{}, err
	}
	if !capi.MlirLinalgIsAConvolutionOp(t, h) {
		return Convolution{}, fmt.Errorf("linalg: %s is not a convolution", o.Name())
	}
	return convolution(c, capi.MlirLinalgInferConvolutionDimensions(t, h)), nil
}

// ConvolutionOfMaps returns the dimensions of a convolution from the indexing maps of its image,
// its filter and its result. All of them have the same loops.
func ConvolutionOfMaps(image, filter, result affine.Map) (Convolution, error) {
	const function = "mlirLinalgInferConvolutionDimensionsFromMaps"
	c := image.Context()
	if err := raw.Need(c.Library(), function); err != nil {
		return Convolution{}, err
	}
	maps := []affine.Map{image, filter, result}
	list := make([]capi.MlirAffineMap, len(maps))
	for i, m := range maps {
		if m.IsNil() || m.NumSymbols() != 0 || m.NumDims() != image.NumDims() || i > 0 && !m.IsProjectedPermutation() {
			return Convolution{}, fmt.Errorf("linalg: %s is not a map of a convolution over %d loops: each result of a filter's and a result's must be one of them", m, image.NumDims())
		}
		list[i] = raw.Map(m.Attribute(), c, "linalg.ConvolutionOfMaps")
	}
	if !isImage(image) {
		return Convolution{}, fmt.Errorf("linalg: %s is not a map of an image: each result must be a loop or the sum of two, which may be multiplied by positive numbers", image)
	}
	d := convolution(c, capi.MlirLinalgInferConvolutionDimensionsFromMaps(raw.Table(c), raw.First(list), len(list)))
	if len(d.OutputImage) == 0 {
		return Convolution{}, fmt.Errorf("linalg: %s, %s and %s do not form a convolution", image, filter, result)
	}
	return d, nil
}

// isImage reports whether a map has the form that the library expects of an image: other forms
// may crash it.
func isImage(m affine.Map) bool {
	seen := map[int]bool{}
	loop := func(e affine.Expr) bool {
		if left, right, ok := e.Operands(); ok {
			factor, ok := right.Constant()
			if e.Kind() != affine.KindMul || !ok || factor < 1 {
				return false
			}
			e = left
		}
		i, _ := e.Position()
		ok := e.Kind() == affine.KindDim && !seen[i]
		seen[i] = true
		return ok
	}
	results := m.Results()
	for _, e := range results {
		left, right, _ := e.Operands()
		switch {
		case e.Kind() == affine.KindDim && loop(e):
		case e.Kind() == affine.KindAdd && loop(left) && loop(right):
		default:
			return false
		}
	}
	return len(results) > 0
}

func convolution(c *mlir.Context, d capi.MlirLinalgConvolutionDimensions) Convolution {
	return Convolution{
		Batch: list(c, d.Batch), OutputImage: list(c, d.OutputImage), OutputChannel: list(c, d.OutputChannel),
		FilterLoop: list(c, d.FilterLoop), InputChannel: list(c, d.InputChannel), Depth: list(c, d.Depth),
		Strides: list(c, d.Strides), Dilations: list(c, d.Dilations),
	}
}

// IndexingMaps returns the maps from the loops of a linalg operation to its operands. It
// verifies o first.
func IndexingMaps(o mlir.Operation) ([]affine.Map, error) {
	c, t, h, err := verified(o, "IndexingMaps", "mlirLinalgGetIndexingMapsAttribute")
	if err != nil {
		return nil, err
	}
	var maps []affine.Map
	if a := capi.MlirLinalgGetIndexingMapsAttribute(t, h); a.Ptr != nil {
		each, _ := raw.WrapAttribute(c, a).Elements()
		for _, e := range each {
			m, _ := affine.MapOf(e)
			maps = append(maps, m)
		}
		return maps, nil
	}
	return nil, fmt.Errorf("linalg: %s has no indexing maps", o.Name())
}

// list reads one list of loops, of 32 or 64 bits.
func list(c *mlir.Context, h capi.MlirAttribute) []int64 {
	if h.Ptr == nil {
		return nil
	}
	a := raw.WrapAttribute(c, h)
	if wide, ok := a.Int64s(); ok {
		return wide
	}
	narrow, _ := mlir.DenseArrayOf[int32](a)
	var out []int64
	for _, v := range narrow {
		out = append(out, int64(v))
	}
	return out
}

// FillRegion fills the region of a named operation, such as linalg.matmul, with the body
// that its name defines. The operation must have one empty region.
func FillRegion(o mlir.Operation) error {
	c, h := raw.UnwrapOperation(o, "linalg.FillRegion")
	if err := raw.Need(c.Library(), "mlirLinalgFillBuiltinNamedOpRegion"); err != nil {
		return err
	}
	function, ok := strings.CutPrefix(o.Name(), "linalg.")
	want, known := arity(function)
	if function == "elementwise" {
		a, _ := o.Attribute("kind")
		kind, ok := AsElementwiseKind(a)
		if !ok {
			return fmt.Errorf("linalg: %s has no kind", o.Name())
		}
		function = elementwiseKindCases.Cases[kind-1]
		if want, known = arity(function); !known {
			want, known = 3, true // max_signed and others
		}
	}
	switch {
	case !ok || !known:
		return fmt.Errorf("linalg: %s is not a known named operation", o.Name())
	case o.NumRegions() != 1 || !o.Region(0).First().IsNil():
		return fmt.Errorf("linalg: %s must have one region, and it must be empty", o.Name())
	case o.NumOperands() != want:
		return fmt.Errorf("linalg: %s takes %d operands, but has %d", o.Name(), want, o.NumOperands())
	}
	if err := checkNumbers(c, o, function); err != nil {
		return err
	}
	capi.MlirLinalgFillBuiltinNamedOpRegion(raw.Table(c), h)
	return nil
}

// elementOf returns what the elements of operand i must be, or "" if any numbers will do.
// The library ends the process on others.
func elementOf(name string, i int) string {
	switch name {
	case "abs", "ceil", "erf", "exp", "floor", "log", "negf", "reciprocal", "round", "rsqrt", "sqrt", "square", "tanh",
		"powf":
		return "floating-point numbers"
	case "fill_rng_2d":
		return [...]string{"f64", "f64", "i32", "numbers"}[i]
	}
	return ""
}

func isElement(t mlir.Type, what string) bool {
	_, isFloat := t.FloatKind()
	_, sign, isInteger := t.IntegerWidth()
	switch what {
	case "numbers":
		return isFloat || isInteger && sign == mlir.Signless
	case "floating-point numbers":
		return isFloat
	}
	return t.String() == what
}

// arity returns the number of operands of a named operation, inputs and outputs. The
// library does not check it, and reads past the operands of an operation that has fewer.
// The names are those of LinalgNamedStructuredOps.
func arity(name string) (int, bool) {
	n, ok := arities[name]
	if ok {
		return n, true
	}
	for _, prefix := range []string{"conv_", "depthwise_conv_", "pooling_"} {
		if strings.HasPrefix(name, prefix) {
			if strings.HasSuffix(name, "_q") { // two additional zero points
				return 5, true
			}
			return 3, true
		}
	}
	return 0, false
}

var arities = func() map[string]int {
	m := map[string]int{"select": 4, "fill_rng_2d": 4, "quantized_matmul": 5, "quantized_batch_matmul": 5}
	for n, names := range map[int]string{
		2: "copy exp log abs ceil floor negf reciprocal round sqrt rsqrt square tanh erf fill transpose broadcast",
		3: "add sub mul div div_unsigned max min powf matmul batch_matmul batch_reduce_matmul mmt4d batch_mmt4d " +
			"matvec vecmat batch_matvec batch_vecmat dot contract",
	} {
		for name := range strings.FieldsSeq(names) {
			m[name] = n
		}
	}
	return m
}()
