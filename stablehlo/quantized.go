package stablehlo

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/calliope-mlir/calliope/mlir"
)

// Quantized is the element type !quant.uniform<…>: a stored integer q represents the
// number (q - ZeroPoint) * Scale (StableHLO specification, quantized types). It needs
// the quant dialect; see [LoadQuant].
type Quantized struct {
	Bits     int  // width of the stored integer: 2, 4, 8, 16 or 32
	Unsigned bool // whether the stored integer is unsigned
	// Min and Max are the range of stored integers. If both are zero, it is the full
	// range of the bits.
	Min, Max  int64
	Expressed mlir.Type // float type of the represented numbers
	// Scales and ZeroPoints have one entry each, or with PerAxis one for each index of
	// the dimension Axis. Scales are above zero. Nil ZeroPoints means that all are zero.
	Scales     []float64
	ZeroPoints []int64
	PerAxis    bool
	Axis       int
}

// Type returns the type.
func (q Quantized) Type(c *mlir.Context) (mlir.Type, error) {
	if q.Expressed.IsNil() {
		return mlir.Type{}, fmt.Errorf("stablehlo: a quantized type needs the float type Expressed")
	}
	switch q.Bits {
	case 2, 4, 8, 16, 32:
	default:
		return mlir.Type{}, fmt.Errorf("stablehlo: a quantized type stores 2, 4, 8, 16 or 32 bits, not %d", q.Bits)
	}
	if q.ZeroPoints != nil && len(q.ZeroPoints) != len(q.Scales) {
		return mlir.Type{},
			fmt.Errorf("stablehlo: a quantized type must have as many zero points as scales, not %d and %d",
				len(q.ZeroPoints), len(q.Scales))
	}
	if len(q.Scales) == 0 || !q.PerAxis && len(q.Scales) != 1 {
		return mlir.Type{}, fmt.Errorf(
			"stablehlo: a quantized type must have one scale, or per axis at least one, not %d", len(q.Scales))
	}
	if q.Axis < 0 || !q.PerAxis && q.Axis != 0 {
		return mlir.Type{}, fmt.Errorf("stablehlo: %d is not an axis of this quantized type", q.Axis)
	}
	for _, s := range q.Scales {
		if !(s > 0) || math.IsInf(s, 0) {
			return mlir.Type{}, fmt.Errorf("stablehlo: a scale of %v is not above zero and finite", s)
		}
	}
	if err := LoadQuant(c); err != nil {
		return mlir.Type{}, err
	}
	return c.ParseType(q.String())
}

// LoadQuant loads the quant dialect. A context needs it to make or parse quantized types.
// Quantized.Type loads it. Call LoadQuant before you parse a module that has such types.
// If the library lacks the dialect, the error matches mlir.ErrUnsupported.
func LoadQuant(c *mlir.Context) error {
	if c.LoadDialect("quant") == nil {
		return nil
	}
	// The default library contains the dialect but does not register it. This pass depends
	// on the dialect and loads it.
	if manager, err := c.NewPassManager(
		mlir.PassManagerOptions{Pipeline: "builtin.module(vhlo-legalize-to-stablehlo)"}); err == nil {
		defer manager.Close()
		empty := c.NewModule(mlir.Location{})
		defer empty.Close()
		if manager.Run(empty) == nil && c.LoadDialect("quant") == nil {
			return nil
		}
	}
	return fmt.Errorf("stablehlo: quantized types need the quant dialect, which %s lacks: open the default library, or IREE's (part %q of package native): %w",
		c.Library().Path(), "iree", mlir.ErrUnsupported)
}

// String returns the type's text.
func (q Quantized) String() string {
	var b strings.Builder
	sign := "i"
	if q.Unsigned {
		sign = "u"
	}
	fmt.Fprintf(&b, "!quant.uniform<%s%d", sign, q.Bits)
	if q.Min != 0 || q.Max != 0 {
		fmt.Fprintf(&b, "<%d:%d>", q.Min, q.Max)
	}
	fmt.Fprintf(&b, ":%s", q.Expressed)
	if q.PerAxis {
		fmt.Fprintf(&b, ":%d", q.Axis)
	}
	b.WriteString(", ")
	var steps []string
	for i, s := range q.Scales {
		step := decimal(s)
		if q.ZeroPoints != nil {
			step += ":" + strconv.FormatInt(q.ZeroPoints[i], 10)
		}
		steps = append(steps, step)
	}
	if list := strings.Join(steps, ", "); q.PerAxis {
		fmt.Fprintf(&b, "{%s}>", list)
	} else {
		b.WriteString(list + ">")
	}
	return b.String()
}

// IsQuantized reports whether t, or the element type of the tensor t, is quantized, in any of the forms that the quant
// dialect has.
func IsQuantized(t mlir.Type) bool {
	if e, ok := t.Element(); ok {
		t = e
	}
	return strings.HasPrefix(t.String(), "!quant.")
}

// AsQuantized returns t as a Quantized, with a zero point for each scale. It returns false
// if t is another type.
func AsQuantized(t mlir.Type) (q Quantized, ok bool) {
	if t.IsNil() {
		return q, false
	}
	body, ok := strings.CutPrefix(t.String(), "!quant.uniform<")
	body, closed := strings.CutSuffix(body, ">")
	kind, steps, hasSteps := strings.Cut(body, ", ")
	if !ok || !closed || !hasSteps {
		return q, false
	}
	storage, expressed, ok := strings.Cut(kind, ":")
	if at := strings.Index(kind, ">:"); at >= 0 { // i8<-127:127>:f32
		storage, expressed = kind[:at], kind[at+2:]
		var low, high string
		storage, low, _ = strings.Cut(storage, "<")
		low, high, _ = strings.Cut(low, ":")
		var err1, err2 error
		q.Min, err1 = strconv.ParseInt(low, 10, 64)
		q.Max, err2 = strconv.ParseInt(high, 10, 64)
		ok = ok && err1 == nil && err2 == nil
	}
	var err error
	q.Unsigned = strings.HasPrefix(storage, "u")
	if q.Bits, err = strconv.Atoi(strings.TrimLeft(storage, "iu")); err != nil {
		return q, false
	}
	var axis string
	if expressed, axis, q.PerAxis = strings.Cut(expressed, ":"); q.PerAxis {
		if q.Axis, err = strconv.Atoi(axis); err != nil {
			return q, false // quantized by blocks, with a list of axes
		}
		steps = strings.TrimSuffix(strings.TrimPrefix(steps, "{"), "}")
	}
	if q.Expressed, err = t.Context().ParseType(expressed); err != nil {
		return q, false
	}
	for step := range strings.SplitSeq(steps, ",") {
		scale, zero, hasZero := strings.Cut(strings.TrimSpace(step), ":")
		s, err := strconv.ParseFloat(scale, 64)
		z := int64(0)
		if hasZero && err == nil {
			z, err = strconv.ParseInt(zero, 10, 64)
		}
		if err != nil {
			return q, false
		}
		q.Scales, q.ZeroPoints = append(q.Scales, s), append(q.ZeroPoints, z)
	}
	return q, ok
}

// decimal formats a number for MLIR, which requires a point before an exponent.
func decimal(v float64) string {
	s := strconv.FormatFloat(v, 'e', -1, 64)
	if mantissa, exponent, _ := strings.Cut(s, "e"); !strings.Contains(mantissa, ".") {
		return mantissa + ".0e" + exponent
	}
	return s
}
