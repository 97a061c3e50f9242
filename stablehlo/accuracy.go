package stablehlo

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/calliope-mlir/calliope/experimental/capi"
	"github.com/calliope-mlir/calliope/internal/ir/ods"
	"github.com/calliope-mlir/calliope/internal/ir/raw"
	"github.com/calliope-mlir/calliope/mlir"
)

// A ResultAccuracy is the requested accuracy of an elementwise operation's result. With
// AccuracyTolerance the error is at most max(Atol, Rtol·|result|, Ulps units in the
// last place). With another mode the three are zero.
type ResultAccuracy struct {
	Atol, Rtol float64
	Ulps       int64
	Mode       ResultAccuracyMode
}

// Attribute returns #stablehlo.result_accuracy<…>. The tolerances must be finite.
func (r ResultAccuracy) Attribute(c *mlir.Context) (mlir.Attribute, error) {
	// The library aborts the process if the mode is unknown.
	if _, err := r.Mode.Attribute(c); err != nil {
		return mlir.Attribute{}, err
	}
	for _, v := range []float64{r.Atol, r.Rtol} {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return mlir.Attribute{}, fmt.Errorf("a tolerance of %v is not a finite number", v)
		}
	}
	return ods.NewAttribute(c, "stablehlo", "stablehloResultAccuracyAttrGet", r.String,
		func(t *capi.Table, raw capi.MlirContext) capi.MlirAttribute {
			return capi.StablehloResultAccuracyAttrGet(t, raw, r.Atol, r.Rtol, r.Ulps, string(r.Mode))
		})
}

// String returns the attribute's text.
func (r ResultAccuracy) String() string {
	return fmt.Sprintf("#stablehlo.result_accuracy<atol = %s, rtol = %s, ulps = %d, mode = #stablehlo.result_accuracy_mode<%s>>",
		decimal(r.Atol), decimal(r.Rtol), r.Ulps, r.Mode)
}

// AsResultAccuracy returns attr as a ResultAccuracy. It returns false if attr is another
// attribute.
func AsResultAccuracy(attr mlir.Attribute) (ResultAccuracy, bool) {
	t, a, ok := ods.Handle(attr, "stablehloAttributeIsAResultAccuracyAttr")
	if !ok {
		return parseResultAccuracy(ods.TextOf(attr))
	}
	if !capi.StablehloAttributeIsAResultAccuracyAttr(t, a) {
		return ResultAccuracy{}, false
	}
	mode, ok := AsResultAccuracyMode(raw.WrapAttribute(attr.Context(), capi.StablehloResultAccuracyAttrGetMode(t, a)))
	return ResultAccuracy{
		Atol: capi.StablehloResultAccuracyAttrGetAtol(t, a),
		Rtol: capi.StablehloResultAccuracyAttrGetRtol(t, a),
		Ulps: capi.StablehloResultAccuracyAttrGetUlps(t, a),
		Mode: mode,
	}, ok
}

func parseResultAccuracy(text string) (r ResultAccuracy, ok bool) {
	f, ok := ods.Fields(text, "#stablehlo.result_accuracy<")
	number := func(text string) float64 {
		if text == "" {
			return 0
		}
		v, err := strconv.ParseFloat(text, 64)
		ok = ok && err == nil
		return v
	}
	r.Atol, r.Rtol = number(f["atol"]), number(f["rtol"])
	r.Ulps = ods.FieldInt(f["ulps"], &ok)
	mode, isMode := strings.CutPrefix(f["mode"], "#stablehlo.result_accuracy_mode<")
	r.Mode = ResultAccuracyMode(strings.TrimSuffix(mode, ">"))
	return r, ok && isMode
}
