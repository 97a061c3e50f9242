package stablehlo

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/calliope-mlir/calliope/internal/capi"
	"github.com/calliope-mlir/calliope/internal/raw"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo/internal/ods"
)

// TypeExtensions is what StableHLO adds to a tensor type, as its encoding: for each
// dimension that is not known the largest size that it can have.
type TypeExtensions struct {
	// Bounds has one entry for each dimension, mlir.Dynamic where there is no bound.
	Bounds []int64
}

// Attribute is #stablehlo.bounds<…>.
func (e TypeExtensions) Attribute(c *mlir.Context) (mlir.Attribute, error) {
	for _, b := range e.Bounds {
		if b < 0 && b != mlir.Dynamic {
			return mlir.Attribute{}, fmt.Errorf("stablehlo: a bound of %d is no size: use mlir.Dynamic for none", b)
		}
	}
	return ods.NewAttribute(c, "stablehlo", "stablehloTypeExtensionsGet", e.String, func(t *capi.Table, h capi.MlirContext) capi.MlirAttribute {
		return capi.StablehloTypeExtensionsGet(t, h, len(e.Bounds), raw.First(e.Bounds))
	})
}

// String is the attribute's text.
func (e TypeExtensions) String() string {
	var words []string
	for _, b := range e.Bounds {
		if b == mlir.Dynamic {
			words = append(words, "?")
		} else {
			words = append(words, strconv.FormatInt(b, 10))
		}
	}
	return "#stablehlo.bounds<" + strings.Join(words, ", ") + ">"
}

// AsTypeExtensions reads the attribute; false where it is another one.
func AsTypeExtensions(attr mlir.Attribute) (TypeExtensions, bool) {
	t, a, ok := ods.Handle(attr, "stablehloAttributeIsTypeExtensions")
	if !ok {
		return parseTypeExtensions(ods.TextOf(attr))
	}
	if !capi.StablehloAttributeIsTypeExtensions(t, a) {
		return TypeExtensions{}, false
	}
	return TypeExtensions{ods.Gather(t, a, capi.StablehloTypeExtensionsGetBoundsSize, capi.StablehloTypeExtensionsGetBoundsElem)}, true
}

func parseTypeExtensions(text string) (e TypeExtensions, ok bool) {
	body, ok := strings.CutPrefix(text, "#stablehlo.bounds<")
	body, closed := strings.CutSuffix(body, ">")
	if !ok || !closed {
		return e, false
	}
	for word := range strings.SplitSeq(body, ", ") {
		switch word {
		case "":
		case "?":
			e.Bounds = append(e.Bounds, mlir.Dynamic)
		default:
			e.Bounds = append(e.Bounds, ods.Number(word, &ok))
		}
	}
	return e, ok
}

// Dimension is one of a tensor type's dimensions.
type Dimension struct {
	Size int64 // mlir.Dynamic where it is not known
	// Bound is the largest size that an unknown one can have, 0 where that is not
	// known either.
	Bound int64
}

// DimensionsOf are the dimensions of a ranked tensor type with their bounds; false for
// any other type.
func DimensionsOf(t mlir.Type) ([]Dimension, bool) {
	if t.IsNil() || !t.IsRankedTensor() {
		return nil, false
	}
	sizes, _ := t.Dims()
	out := make([]Dimension, len(sizes))
	for i, size := range sizes {
		out[i].Size = size
	}
	if encoding, ok := t.Encoding(); ok {
		if e, ok := AsTypeExtensions(encoding); ok && len(e.Bounds) == len(out) {
			for i, b := range e.Bounds {
				if b != mlir.Dynamic {
					out[i].Bound = b
				}
			}
		}
	}
	return out, true
}

// BoundedTensorType is the type of a tensor whose unknown dimensions may have bounds:
// tensor<?x4xf32, #stablehlo.bounds<8, ?>>. Without any bound it is a plain tensor.
func BoundedTensorType(c *mlir.Context, element mlir.Type, dims ...Dimension) (mlir.Type, error) {
	if element.IsNil() {
		return mlir.Type{}, fmt.Errorf("stablehlo: a tensor type needs an element type")
	}
	sizes, bounds := make([]int64, len(dims)), make([]int64, len(dims))
	for i, d := range dims {
		sizes[i], bounds[i] = d.Size, mlir.Dynamic
		if d.Bound == 0 {
			continue
		}
		if d.Size != mlir.Dynamic {
			return mlir.Type{}, fmt.Errorf("stablehlo: dimension %d has the size %d and so needs no bound", i, d.Size)
		}
		bounds[i] = d.Bound
	}
	if !slices.ContainsFunc(bounds, func(b int64) bool { return b != mlir.Dynamic }) {
		return c.TensorType(element, sizes...)
	}
	encoding, err := TypeExtensions{bounds}.Attribute(c)
	if err != nil {
		return mlir.Type{}, err
	}
	return c.EncodedTensorType(element, encoding, sizes...)
}
