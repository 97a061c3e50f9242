package callbacks

import (
	"math"
	"strconv"
	"strings"

	"github.com/calliope-mlir/calliope/tensor"
)

// words returns the texts of an array's elements, as NumPy writes them: the numbers of one
// array are aligned at their decimal points. Types that NumPy itself does not have (bf16
// and those of eight bits and fewer) are written one by one, as the package ml_dtypes does.
func words(v tensor.View, l layout) func(i int) string {
	switch d := v.Shape.DType; d {
	case tensor.Pred:
		yes := " True"
		if v.Shape.Rank() == 0 {
			yes = "True"
		}
		return func(i int) string {
			if v.At(i).(bool) {
				return yes
			}
			return "False"
		}
	case tensor.F16, tensor.F32, tensor.F64:
		f := newFloats(v, l, real64, false)
		return func(i int) string { return f.text(real64(v, i)) }
	case tensor.C64, tensor.C128:
		re, im := newFloats(v, l, real64, false), newFloats(v, l, imag64, true)
		return func(i int) string {
			text := im.text(imag64(v, i))
			end := len(strings.TrimRight(text, " "))
			return re.text(real64(v, i)) + text[:end] + "j" + text[end:]
		}
	}
	if isSmall(v.Shape.DType) {
		return func(i int) string { return scalarText(v, i) }
	}
	width := 0
	l.each(v.Shape.Dims, func(i int) { width = max(width, len(scalarText(v, i))) })
	return func(i int) string { return pad(scalarText(v, i), width) }
}

// isSmall reports whether NumPy has the type from ml_dtypes.
func isSmall(d tensor.DType) bool {
	_, float := tensor.Float8(d, 0)
	return float || d == tensor.BF16 || d.Bits() < 8
}

func pad(s string, width int) string { return strings.Repeat(" ", max(width-len(s), 0)) + s }

// real64 returns the real part of an element; small types are widened.
func real64(v tensor.View, i int) float64 {
	switch x := v.At(i).(type) {
	case float32:
		return float64(x)
	case float64:
		return x
	case complex64:
		return float64(real(x))
	case complex128:
		return real(x)
	case uint8:
		f, _ := tensor.Float8(v.Shape.DType, x)
		return float64(f)
	}
	return 0
}

func imag64(v tensor.View, i int) float64 {
	switch x := v.At(i).(type) {
	case complex64:
		return float64(imag(x))
	case complex128:
		return imag(x)
	}
	return 0
}

// scalarText returns an element as Python's str writes a scalar.
func scalarText(v tensor.View, i int) string {
	d := v.Shape.DType
	switch x := v.At(i).(type) {
	case bool:
		if x {
			return "True"
		}
		return "False"
	case float32, float64:
		if d == tensor.BF16 {
			return general(real64(v, i))
		}
		return pythonFloat(real64(v, i), widthOf(d))
	case complex64, complex128:
		re, im := real64(v, i), imag64(v, i)
		text := strings.TrimSuffix(pythonFloat(im, widthOf(d)), ".0") + "j"
		if re == 0 && !math.Signbit(re) {
			return text
		}
		if text[0] != '-' {
			text = "+" + text
		}
		return "(" + strings.TrimSuffix(pythonFloat(re, widthOf(d)), ".0") + text + ")"
	case int8:
		return strconv.FormatInt(int64(x), 10)
	case int16:
		return strconv.FormatInt(int64(x), 10)
	case int32:
		return strconv.FormatInt(int64(x), 10)
	case int64:
		return strconv.FormatInt(x, 10)
	case uint8:
		if f, ok := tensor.Float8(d, x); ok {
			return general(float64(f))
		}
		return strconv.FormatUint(uint64(x), 10)
	case uint16:
		return strconv.FormatUint(uint64(x), 10)
	case uint32:
		return strconv.FormatUint(uint64(x), 10)
	case uint64:
		return strconv.FormatUint(x, 10)
	}
	return ""
}

// widthOf returns the number of bits of an element's real part.
func widthOf(d tensor.DType) int {
	switch d {
	case tensor.F16:
		return 16
	case tensor.F32, tensor.C64:
		return 32
	}
	return 64
}

// pythonFloat returns the shortest text that reads back as the value. It has an exponent
// below 1e-4 and from a limit that depends on the type.
func pythonFloat(x float64, bits int) string {
	if text, ok := notFinite(x); ok {
		return text
	}
	limit := map[int]float64{16: 1e3, 32: 1e6, 64: 1e16}[bits]
	if a := math.Abs(x); a != 0 && (a < 1e-4 || a >= limit) {
		return shortest(x, 'e', bits)
	}
	text := shortest(x, 'f', bits)
	if !strings.Contains(text, ".") {
		text += ".0"
	}
	return text
}

// general formats x like C's %g.
func general(x float64) string {
	if text, ok := notFinite(x); ok {
		return text
	}
	return strconv.FormatFloat(x, 'g', 6, 64)
}

func notFinite(x float64) (string, bool) {
	switch {
	case math.IsNaN(x):
		return "nan", true
	case math.IsInf(x, 1):
		return "inf", true
	case math.IsInf(x, -1):
		return "-inf", true
	}
	return "", false
}

// shortest returns the fewest digits that read back as the value of a type of 16, 32 or 64
// bits, in the form 'e' or 'f'.
func shortest(x float64, form byte, bits int) string {
	if bits != 16 {
		return strconv.FormatFloat(x, form, -1, bits)
	}
	half := tensor.ToFloat16(float32(x))
	for digits := range 5 {
		text := strconv.FormatFloat(x, 'e', digits, 64)
		if y, err := strconv.ParseFloat(text, 64); err == nil && tensor.ToFloat16(float32(y)) == half {
			return strconv.FormatFloat(y, form, -1, 64)
		}
	}
	return strconv.FormatFloat(x, form, -1, 64)
}

// floats says how the floating-point numbers of one array are written, as in NumPy's mode
// maxprec: with at most precision digits after the decimal point, and no more than are
// needed to distinguish the number from the next ones.
type floats struct {
	bits      int
	plus      bool // write a sign also before non-negative numbers
	exponent  bool
	precision int
	left      int // characters before the decimal point
	right     int // and after it
	power     int // digits of the exponent
}

func newFloats(v tensor.View, l layout, part func(tensor.View, int) float64, plus bool) floats {
	f := floats{bits: widthOf(v.Shape.DType), plus: plus, precision: l.precision}
	var finite []float64
	special := 0 // width of values that are not finite
	smallest, largest := math.Inf(1), 0.0
	l.each(v.Shape.Dims, func(i int) {
		x := part(v, i)
		if text, ok := notFinite(x); ok {
			special = max(special, len(text))
			if plus {
				special = 4 // also for a NaN, which has no sign
			}
			return
		}
		finite = append(finite, x)
		if x != 0 {
			smallest, largest = min(smallest, math.Abs(x)), max(largest, math.Abs(x))
		}
	})
	f.exponent = f.wantsExponent(smallest, largest)
	digits := 0
	for _, x := range finite {
		whole, fraction, power := f.split(x, f.precision)
		f.left, f.right = max(f.left, len(whole)), max(f.right, len(fraction))
		digits = max(digits, len(power))
	}
	if f.exponent {
		f.precision, f.power = f.right, digits-1
		f.right = f.power + 2 + f.precision
	}
	f.left = max(f.left, special-f.right-1)
	return f
}

// wantsExponent compares in the type of the array.
func (f floats) wantsExponent(smallest, largest float64) bool {
	if largest == 0 {
		return false
	}
	limit, tiny, ratio := 1e8, 1e-4, largest/smallest
	switch f.bits {
	case 16:
		limit, tiny, ratio = 1e3, float64(tensor.ToFloat16(1e-4).Float32()),
			float64(tensor.ToFloat16(float32(ratio)).Float32())
	case 32:
		limit, tiny, ratio = 1e6, float64(float32(1e-4)), float64(float32(ratio))
	}
	return largest >= limit || smallest < tiny || ratio > 1000
}

// split writes a finite number without the trailing zeros of its fraction.
func (f floats) split(x float64, precision int) (whole, fraction, power string) {
	form := byte('f')
	if f.exponent {
		form = 'e'
	}
	text := shortest(x, form, f.bits)
	whole, fraction, power = cut(text)
	if len(fraction) > precision {
		whole, fraction, power = cut(strconv.FormatFloat(x, form, precision, 64))
		fraction = strings.TrimRight(fraction, "0")
	}
	if f.plus && whole[0] != '-' {
		whole = "+" + whole
	}
	return whole, fraction, power
}

// cut divides 1.5e+07 into 1, 5 and +07.
func cut(text string) (whole, fraction, power string) {
	text, power, _ = strings.Cut(text, "e")
	whole, fraction, _ = strings.Cut(text, ".")
	return whole, fraction, power
}

// text writes a number in the common width of the array.
func (f floats) text(x float64) string {
	if text, ok := notFinite(x); ok {
		if f.plus && text[0] != '-' {
			text = "+" + text
		}
		return pad(text, f.left+1+f.right)
	}
	whole, fraction, power := f.split(x, f.precision)
	if f.exponent {
		if len(fraction) < f.precision { // all have the same number of digits, and the digits are exact
			whole, fraction, power = cut(strconv.FormatFloat(x, 'e', f.precision, 64))
			if f.plus && whole[0] != '-' {
				whole = "+" + whole
			}
		}
		power = power[:1] + strings.Repeat("0", f.power-len(power)+1) + power[1:]
		return pad(whole, f.left) + "." + fraction + "e" + power
	}
	return pad(whole, f.left) + "." + fraction + strings.Repeat(" ", max(f.right-len(fraction), 0))
}
