package stablehlo

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
)

// attributer is a Go value that makes an attribute.
type attributer interface {
	Attribute(*mlir.Context) (mlir.Attribute, error)
}

var sameTypes = cmp.Options{cmpopts.EquateEmpty(),
	cmp.Comparer(func(a, b mlir.Type) bool { return a.String() == b.String() })}

// roundTrip makes and reads a structure both with the C API and as text, as in libraries
// without that API.
func roundTrip[T attributer](
	t *testing.T, c *mlir.Context, v T, text func(T) string, as func(mlir.Attribute) (T, bool),
	parse func(string) (T, bool),
) {
	t.Helper()
	a, err := v.Attribute(c)
	check.NoError(t, err)
	parsed, err := c.ParseAttribute(text(v))
	if err != nil || !parsed.Equal(a) {
		t.Errorf("the text %s parses as %v, %v; want %v", text(v), parsed, err, a)
	}
	got, ok := as(a)
	if d := cmp.Diff(v, got, sameTypes); d != "" || !ok {
		t.Errorf("read: %v (-want +got):\n%s", ok, d)
	}
	for _, s := range []string{a.String(), text(v)} {
		got, ok := parse(s)
		if d := cmp.Diff(v, got, sameTypes); d != "" || !ok {
			t.Errorf("read from the text %s: %v (-want +got):\n%s", s, ok, d)
		}
	}
	for _, text := range []string{"unit", "[]", `"x"`, "#stablehlo<precision HIGH>",
		"#stablehlo.channel_handle<handle = 9, type = 9>", "#stablehlo.dot<>"} {
		other := parseAttribute(t, c, text)
		if sameKind(other, a) {
			continue
		}
		if got, ok := as(other); ok {
			t.Errorf("%s was read as %v", text, got)
		}
		if got, ok := parse(other.String()); ok {
			t.Errorf("the text %s was read as %v", text, got)
		}
	}
	if got, ok := as(mlir.Attribute{}); ok {
		t.Errorf("the nil attribute was read as %v", got)
	}
	if got, ok := parse(""); ok {
		t.Errorf("the empty text was read as %v", got)
	}
}

func parseAttribute(t *testing.T, c *mlir.Context, text string) mlir.Attribute {
	t.Helper()
	a, err := c.ParseAttribute(text)
	check.NoError(t, err)
	return a
}

func sameKind(a, b mlir.Attribute) bool {
	name := func(text string) string {
		name, _, _ := strings.Cut(text, "<")
		return name
	}
	return name(a.String()) == name(b.String())
}

func TestStructures(t *testing.T) {
	c := mlirtest.Context(t)
	for _, v := range []DotDimensionNumbers{{}, {[]int64{0}, []int64{1}, []int64{2, 3}, []int64{3, 2}},
		{LHSContractingDimensions: []int64{1}, RHSContractingDimensions: []int64{0}}} {
		roundTrip(t, c, v, DotDimensionNumbers.String, AsDotDimensionNumbers, parseDotDimensionNumbers)
	}
	types := mlirtest.Types(c, "tf32", "f32", "f8E5M2")
	tf32, f32, f8 := types[0], types[1], types[2]
	for _, v := range []DotAlgorithm{{tf32, tf32, f32, 1, 1, 3, false}, {f8, f8, f32, 1, 1, 1, true}} {
		roundTrip(t, c, v, DotAlgorithm.String, AsDotAlgorithm, func(text string) (DotAlgorithm, bool) {
			a, err := c.ParseAttribute(text)
			if err != nil {
				return DotAlgorithm{}, false
			}
			return parseDotAlgorithm(a)
		})
	}
	for _, v := range []ConvDimensionNumbers{nhwc, {0, 1, nil, 1, 0, nil, 1, 0, nil},
		{3, 0, []int64{1, 2}, 1, 2, []int64{3, 0}, 0, 3, []int64{2, 1}}} {
		roundTrip(t, c, v, ConvDimensionNumbers.String, AsConvDimensionNumbers, parseConvDimensionNumbers)
	}
	for _, v := range []GatherDimensionNumbers{{}, rows,
		{[]int64{1}, []int64{2}, []int64{3}, []int64{4}, []int64{5, 6}, 7}} {
		roundTrip(t, c, v, GatherDimensionNumbers.String, AsGatherDimensionNumbers, parseGatherDimensionNumbers)
	}
	for _, v := range []ScatterDimensionNumbers{{},
		{[]int64{1}, []int64{2}, []int64{3}, []int64{4}, []int64{5, 6}, 7}} {
		roundTrip(t, c, v, ScatterDimensionNumbers.String, AsScatterDimensionNumbers, parseScatterDimensionNumbers)
	}
	for _, v := range []ChannelHandle{{}, {1, 2}, {math.MaxInt64, -1}} {
		roundTrip(t, c, v, ChannelHandle.String, AsChannelHandle, parseChannelHandle)
	}
	for _, v := range []TypeExtensions{{[]int64{3}}, {[]int64{mlir.Dynamic, 4, 0}}, {[]int64{mlir.Dynamic}}} {
		roundTrip(t, c, v, TypeExtensions.String, AsTypeExtensions, parseTypeExtensions)
	}
	for _, v := range []ResultAccuracy{{Mode: AccuracyDefault}, {Mode: AccuracyHighest}, {1e-5, 0.25, 3,
		AccuracyTolerance}, {1, 2, math.MaxInt64, AccuracyTolerance}, {1.0 / 3, 1e300, 0, AccuracyTolerance}} {
		roundTrip(t, c, v, ResultAccuracy.String, AsResultAccuracy, parseResultAccuracy)
	}
}

func TestStructuresRefused(t *testing.T) {
	c := mlirtest.Context(t)
	f32 := c.F32Type()
	for want, v := range map[string]attributer{
		"a dot algorithm needs": DotAlgorithm{
			LHSPrecisionType: f32, RHSPrecisionType: f32},
		"there is no input dimension 4 among 4": ConvDimensionNumbers{4, 0,
			[]int64{1, 2}, 0, 1, []int64{2, 3}, 0, 1, []int64{2, 3}},
		"the kernel dimension 1 is given twice": ConvDimensionNumbers{0, 1,
			nil, 1, 1, nil, 0, 1, nil},
		`"" is not a known result accuracy mode: use one of DEFAULT, HIGHEST, TOLERANCE`: ResultAccuracy{},
		"a tolerance of NaN is not a finite number": ResultAccuracy{
			Atol: math.NaN(), Mode: AccuracyTolerance},
		"a bound of -1 is not a size":                             TypeExtensions{[]int64{-1}},
		`"eq" is not a known comparison direction: use one of EQ`: ComparisonDirection("eq"),
		`"" is not a known precision`:                             Precision(""),
	} {
		a, err := v.Attribute(c)
		check.Error(t, err, want)
		check.Diff(t, "no attribute", true, a.IsNil())
	}
}

// keywords makes and reads the attribute of every keyword of an enumeration.
func keywords[T interface {
	~string
	attributer
}](t *testing.T, c *mlir.Context, as func(mlir.Attribute) (T, bool), list []T) {
	t.Helper()
	for _, v := range list {
		a, err := v.Attribute(c)
		check.NoError(t, err)
		got, ok := as(a)
		check.Diff(t, "read", v, got)
		check.Diff(t, "is read", true, ok)
		check.Diff(t, "printed and parsed", true, parseAttribute(t, c, a.String()).Equal(a))
	}
	for _, text := range []string{"unit", `"EQ"`, "#stablehlo.bounds<2>"} {
		if got, ok := as(parseAttribute(t, c, text)); ok {
			t.Errorf("%s was read as %v", text, got)
		}
	}
	if got, ok := as(mlir.Attribute{}); ok {
		t.Errorf("the nil attribute was read as %v", got)
	}
}

func TestKeywords(t *testing.T) {
	eachStableHLO(t, func(t *testing.T, c *mlir.Context) {
		keywords(t, c, AsComparisonDirection, comparisonDirections.Cases)
		keywords(t, c, AsComparisonType, comparisonTypes.Cases)
		keywords(t, c, AsPrecision, precisions.Cases)
		keywords(t, c, AsFftType, fftTypes.Cases)
		keywords(t, c, AsTransposeKind, transposeKinds.Cases)
		keywords(t, c, AsRngAlgorithm, rngAlgorithms.Cases)
		keywords(t, c, AsRngDistribution, rngDistributions.Cases)
		keywords(t, c, AsResultAccuracyMode, resultAccuracyModes.Cases)
	})
}
