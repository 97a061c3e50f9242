package stablehlo

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/calliope-mlir/calliope/experimental/capi"
	"github.com/calliope-mlir/calliope/internal/ir/ods"
	"github.com/calliope-mlir/calliope/internal/ir/raw"
	"github.com/calliope-mlir/calliope/mlir"
)

// TypeExtensions is StableHLO's encoding of a tensor type. It holds the largest size of
// each dynamic dimension.
type TypeExtensions struct {
	// Bounds has one entry for each dimension: its bound, or mlir.Dynamic for none.
	Bounds []int64
}

// Attribute returns #stablehlo.bounds<…>.
func (e TypeExtensions) Attribute(c *mlir.Context) (mlir.Attribute, error) {
	for _, b := range e.Bounds {
		if b < 0 && b != mlir.Dynamic {
			return mlir.Attribute{}, fmt.Errorf("stablehlo: a bound of %d is not a size: use mlir.Dynamic for none", b)
		}
	}
	return ods.NewAttribute(c, "stablehlo", "stablehloTypeExtensionsGet", e.String,
		func(t *capi.Table, h capi.MlirContext) capi.MlirAttribute {
			return capi.StablehloTypeExtensionsGet(t, h, len(e.Bounds), raw.First(e.Bounds))
		})
}

// String returns the attribute's text.
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

// AsTypeExtensions returns attr as TypeExtensions. It returns false if attr is another
// attribute.
func AsTypeExtensions(attr mlir.Attribute) (TypeExtensions, bool) {
	t, a, ok := ods.Handle(attr, "stablehloAttributeIsTypeExtensions")
	if !ok {
		return parseTypeExtensions(ods.TextOf(attr))
	}
	if !capi.StablehloAttributeIsTypeExtensions(t, a) {
		return TypeExtensions{}, false
	}
	return TypeExtensions{
		ods.Gather(t, a, capi.StablehloTypeExtensionsGetBoundsSize, capi.StablehloTypeExtensionsGetBoundsElem)}, true
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
			e.Bounds = append(e.Bounds, ods.FieldInt(word, &ok))
		}
	}
	return e, ok
}

// A Dimension is a dimension of a tensor type.
type Dimension struct {
	Size int64 // mlir.Dynamic if it is not known
	// Bound is the largest size of a dynamic dimension, or 0 if that is not known.
	Bound int64
}

// DimensionsOf returns the dimensions of a ranked tensor type with their bounds. It
// returns false if t is another type.
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

// BoundedTensorType returns the type of a tensor whose dynamic dimensions may have
// bounds: tensor<?x4xf32, #stablehlo.bounds<8, ?>>. If no dimension has a bound, the type
// has no encoding.
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
			return mlir.Type{},
				fmt.Errorf("stablehlo: dimension %d has the size %d: only a dynamic dimension has a bound", i, d.Size)
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
