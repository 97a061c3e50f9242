package stablehlo

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/calliope-mlir/calliope/internal/capi"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo/internal/ods"
)

// ConvDimensionNumbers says what each dimension of a convolution's operands and result
// is (StableHLO specification, convolution). The i-th spatial dimensions of the three
// go together.
type ConvDimensionNumbers struct {
	InputBatchDimension, InputFeatureDimension                int64
	InputSpatialDimensions                                    []int64
	KernelInputFeatureDimension, KernelOutputFeatureDimension int64
	KernelSpatialDimensions                                   []int64
	OutputBatchDimension, OutputFeatureDimension              int64
	OutputSpatialDimensions                                   []int64
}

// Attribute is #stablehlo.conv<…>. Each dimension of an operand or of the result is
// named once.
func (d ConvDimensionNumbers) Attribute(c *mlir.Context) (mlir.Attribute, error) {
	if err := d.check(); err != nil {
		return mlir.Attribute{}, err
	}
	return structured(c, "stablehloConvDimensionNumbersGet", d.String, func(t *capi.Table) capi.MlirAttribute {
		return capi.StablehloConvDimensionNumbersGet(t, c.Raw(),
			d.InputBatchDimension, d.InputFeatureDimension,
			len(d.InputSpatialDimensions), ods.First(d.InputSpatialDimensions),
			d.KernelInputFeatureDimension, d.KernelOutputFeatureDimension,
			len(d.KernelSpatialDimensions), ods.First(d.KernelSpatialDimensions),
			d.OutputBatchDimension, d.OutputFeatureDimension,
			len(d.OutputSpatialDimensions), ods.First(d.OutputSpatialDimensions))
	})
}

// check looks for dimensions that are not there: the library ends the process when it
// prints them.
func (d ConvDimensionNumbers) check() error {
	for _, side := range []struct {
		what    string
		a, b    int64
		spatial []int64
	}{
		{"input", d.InputBatchDimension, d.InputFeatureDimension, d.InputSpatialDimensions},
		{"kernel", d.KernelInputFeatureDimension, d.KernelOutputFeatureDimension, d.KernelSpatialDimensions},
		{"output", d.OutputBatchDimension, d.OutputFeatureDimension, d.OutputSpatialDimensions},
	} {
		taken := make([]bool, 2+len(side.spatial))
		for _, i := range append([]int64{side.a, side.b}, side.spatial...) {
			if err := place("convolution", side.what+" dimension", i, taken); err != nil {
				return err
			}
		}
	}
	return nil
}

// String is the attribute's text, in the form that can say anything.
func (d ConvDimensionNumbers) String() string {
	return fmt.Sprintf("#stablehlo.conv<raw input_batch_dimension = %d, input_feature_dimension = %d, input_spatial_dimensions = %s, "+
		"kernel_input_feature_dimension = %d, kernel_output_feature_dimension = %d, kernel_spatial_dimensions = %s, "+
		"output_batch_dimension = %d, output_feature_dimension = %d, output_spatial_dimensions = %s>",
		d.InputBatchDimension, d.InputFeatureDimension, ods.List(d.InputSpatialDimensions),
		d.KernelInputFeatureDimension, d.KernelOutputFeatureDimension, ods.List(d.KernelSpatialDimensions),
		d.OutputBatchDimension, d.OutputFeatureDimension, ods.List(d.OutputSpatialDimensions))
}

// AsConvDimensionNumbers reads the attribute; false where it is another one.
func AsConvDimensionNumbers(attr mlir.Attribute) (ConvDimensionNumbers, bool) {
	t, a, ok := handle(attr, "stablehloAttributeIsAConvDimensionNumbers")
	if !ok {
		return parseConvDimensionNumbers(text(attr))
	}
	if !capi.StablehloAttributeIsAConvDimensionNumbers(t, a) {
		return ConvDimensionNumbers{}, false
	}
	return ConvDimensionNumbers{
		InputBatchDimension:          capi.StablehloConvDimensionNumbersGetInputBatchDimension(t, a),
		InputFeatureDimension:        capi.StablehloConvDimensionNumbersGetInputFeatureDimension(t, a),
		InputSpatialDimensions:       ods.Gather(t, a, capi.StablehloConvDimensionNumbersGetInputSpatialDimensionsSize, capi.StablehloConvDimensionNumbersGetInputSpatialDimensionsElem),
		KernelInputFeatureDimension:  capi.StablehloConvDimensionNumbersGetKernelInputFeatureDimension(t, a),
		KernelOutputFeatureDimension: capi.StablehloConvDimensionNumbersGetKernelOutputFeatureDimension(t, a),
		KernelSpatialDimensions:      ods.Gather(t, a, capi.StablehloConvDimensionNumbersGetKernelSpatialDimensionsSize, capi.StablehloConvDimensionNumbersGetKernelSpatialDimensionsElem),
		OutputBatchDimension:         capi.StablehloConvDimensionNumbersGetOutputBatchDimension(t, a),
		OutputFeatureDimension:       capi.StablehloConvDimensionNumbersGetOutputFeatureDimension(t, a),
		OutputSpatialDimensions:      ods.Gather(t, a, capi.StablehloConvDimensionNumbersGetOutputSpatialDimensionsSize, capi.StablehloConvDimensionNumbersGetOutputSpatialDimensionsElem),
	}, true
}

// parseConvDimensionNumbers reads both printed forms: [b, 0, f]x[0, i, o]->[b, 0, f],
// and the raw one.
func parseConvDimensionNumbers(text string) (d ConvDimensionNumbers, ok bool) {
	const prefix = "#stablehlo.conv"
	if raw, isRaw := strings.CutPrefix(text, prefix+"<raw "); isRaw {
		f, ok := ods.Fields(prefix+"<"+raw, prefix)
		return ConvDimensionNumbers{
			InputBatchDimension:          ods.Number(f["input_batch_dimension"], &ok),
			InputFeatureDimension:        ods.Number(f["input_feature_dimension"], &ok),
			InputSpatialDimensions:       ods.Numbers(f["input_spatial_dimensions"], &ok),
			KernelInputFeatureDimension:  ods.Number(f["kernel_input_feature_dimension"], &ok),
			KernelOutputFeatureDimension: ods.Number(f["kernel_output_feature_dimension"], &ok),
			KernelSpatialDimensions:      ods.Numbers(f["kernel_spatial_dimensions"], &ok),
			OutputBatchDimension:         ods.Number(f["output_batch_dimension"], &ok),
			OutputFeatureDimension:       ods.Number(f["output_feature_dimension"], &ok),
			OutputSpatialDimensions:      ods.Numbers(f["output_spatial_dimensions"], &ok),
		}, ok
	}
	body, ok := strings.CutPrefix(text, prefix+"<[")
	body, closed := strings.CutSuffix(body, "]>")
	input, rest, hasKernel := strings.Cut(body, "]x[")
	kernel, output, hasOutput := strings.Cut(rest, "]->[")
	if !ok || !closed || !hasKernel || !hasOutput {
		return d, false
	}
	d.InputSpatialDimensions = dimensionRoles(input, "b", &d.InputBatchDimension, "f", &d.InputFeatureDimension, &ok)
	d.KernelSpatialDimensions = dimensionRoles(kernel, "i", &d.KernelInputFeatureDimension, "o", &d.KernelOutputFeatureDimension, &ok)
	d.OutputSpatialDimensions = dimensionRoles(output, "b", &d.OutputBatchDimension, "f", &d.OutputFeatureDimension, &ok)
	return d, ok
}

// dimensionRoles reads one list such as "b, 0, 1, f": at which place stands what.
func dimensionRoles(list, role1 string, at1 *int64, role2 string, at2 *int64, ok *bool) (spatial []int64) {
	roles := strings.Split(list, ", ")
	spatial = make([]int64, max(0, len(roles)-2))
	for i, role := range roles {
		switch role {
		case role1:
			*at1 = int64(i)
		case role2:
			*at2 = int64(i)
		default:
			n, err := strconv.Atoi(role)
			if err != nil || n < 0 || n >= len(spatial) {
				*ok = false
				return nil
			}
			spatial[n] = int64(i)
		}
	}
	return spatial
}
