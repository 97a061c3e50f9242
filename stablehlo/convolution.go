package stablehlo

import (
	"strconv"
	"strings"
)

// check returns an error for dimensions that do not exist. The library aborts the process
// when it prints them.
func (v ConvDimensionNumbers) check() error {
	for _, side := range []struct {
		what    string
		a, b    int64
		spatial []int64
	}{
		{"input", v.InputBatchDimension, v.InputFeatureDimension, v.InputSpatialDimensions},
		{"kernel", v.KernelInputFeatureDimension, v.KernelOutputFeatureDimension, v.KernelSpatialDimensions},
		{"output", v.OutputBatchDimension, v.OutputFeatureDimension, v.OutputSpatialDimensions},
	} {
		taken := make([]bool, 2+len(side.spatial))
		for _, i := range append([]int64{side.a, side.b}, side.spatial...) {
			if err := take("convolution", side.what+" dimension", i, taken); err != nil {
				return err
			}
		}
	}
	return nil
}

// parseConvDimensionNumbers reads both printed forms: [b, 0, f]x[0, i, o]->[b, 0, f],
// and the raw one.
func parseConvDimensionNumbers(text string) (d ConvDimensionNumbers, ok bool) {
	if d, ok := parseRawConvDimensionNumbers(text); ok {
		return d, true
	}
	body, ok := strings.CutPrefix(text, "#stablehlo.conv<[")
	body, closed := strings.CutSuffix(body, "]>")
	input, rest, hasKernel := strings.Cut(body, "]x[")
	kernel, output, hasOutput := strings.Cut(rest, "]->[")
	if !ok || !closed || !hasKernel || !hasOutput {
		return d, false
	}
	d.InputSpatialDimensions = dimensionRoles(input, "b", &d.InputBatchDimension, "f", &d.InputFeatureDimension, &ok)
	d.KernelSpatialDimensions = dimensionRoles(kernel, "i", &d.KernelInputFeatureDimension, "o",
		&d.KernelOutputFeatureDimension, &ok)
	d.OutputSpatialDimensions = dimensionRoles(output, "b", &d.OutputBatchDimension, "f", &d.OutputFeatureDimension,
		&ok)
	return d, ok
}

// dimensionRoles reads a list of roles such as "b, 0, 1, f". It stores the positions of
// the two roles and returns those of the spatial dimensions.
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
