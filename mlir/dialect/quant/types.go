package quant

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/calliope-mlir/calliope/experimental/capi"
	"github.com/calliope-mlir/calliope/internal/ir/raw"
	"github.com/calliope-mlir/calliope/mlir"
)

const dialect = "quant"

// Storage describes the integers that store the values. If Min and Max are both zero, the
// range is that of the integer type.
type Storage struct {
	Integer  mlir.Type // iN of at most 32 bits
	Unsigned bool
	Min, Max int64
}

// Any is !quant.any<…>: stored as integers, without a scale and zero points.
type Any struct {
	Storage   Storage
	Expressed mlir.Type // a float type, or nil
}

// Type returns the type.
func (q Any) Type(c *mlir.Context) (mlir.Type, error) {
	m := begin(c, "quant.Any.Type", "mlirAnyQuantizedTypeGet", q.Storage, q.Expressed, true)
	return m.end(func() capi.MlirType {
		return capi.MlirAnyQuantizedTypeGet(m.api, m.flags, m.storage, m.expressed, m.min, m.max)
	})
}

// Uniform is !quant.uniform<…> with one scale: (stored - ZeroPoint) * Scale.
type Uniform struct {
	Storage   Storage
	Expressed mlir.Type
	Scale     float64
	ZeroPoint int64
}

// Type returns the type.
func (q Uniform) Type(c *mlir.Context) (mlir.Type, error) {
	m := begin(c, "quant.Uniform.Type", "mlirUniformQuantizedTypeGet", q.Storage, q.Expressed, false)
	m.scale(q.Scale)
	return m.end(func() capi.MlirType {
		return capi.MlirUniformQuantizedTypeGet(m.api, m.flags, m.storage, m.expressed, q.Scale, q.ZeroPoint, m.min,
			m.max)
	})
}

// PerAxis is !quant.uniform<…> with a scale and a zero point for each index along one
// dimension of the tensor.
type PerAxis struct {
	Storage    Storage
	Expressed  mlir.Type
	Axis       int
	Scales     []float64
	ZeroPoints []int64 // as many as scales
}

// Type returns the type.
func (q PerAxis) Type(c *mlir.Context) (mlir.Type, error) {
	m := begin(c, "quant.PerAxis.Type", "mlirUniformQuantizedPerAxisTypeGet", q.Storage, q.Expressed, false)
	m.scale(q.Scales...)
	if len(q.Scales) == 0 || len(q.Scales) != len(q.ZeroPoints) {
		m.fail(fmt.Errorf("quant: an axis must have as many zero points as scales, and at least one: it has %d scales and %d zero points",
			len(q.Scales), len(q.ZeroPoints)))
	}
	if q.Axis < 0 || q.Axis > math.MaxInt32 {
		m.fail(fmt.Errorf("quant: %d is not a dimension", q.Axis))
	}
	return m.end(func() capi.MlirType {
		return capi.MlirUniformQuantizedPerAxisTypeGet(m.api, m.flags, m.storage, m.expressed, len(q.Scales),
			raw.First(q.Scales),
			raw.First(q.ZeroPoints), int32(q.Axis), m.min, m.max)
	})
}

// SubChannel is !quant.uniform<…> with a scale and a zero point for each block of the
// tensor.
type SubChannel struct {
	Storage   Storage
	Expressed mlir.Type
	// Scales are dense elements of the expressed type, and ZeroPoints of the storage type.
	// Both have the same shape: the number of blocks along each dimension.
	Scales, ZeroPoints mlir.Attribute
	// Blocks holds the dimensions that are divided into blocks, and the sizes of the blocks.
	Blocks []Block
}

// A Block is the size of the blocks along a dimension.
type Block struct {
	Axis int32
	Size int64
}

// Type returns the type.
func (q SubChannel) Type(c *mlir.Context) (mlir.Type, error) {
	const method = "quant.SubChannel.Type"
	m := begin(c, method, "mlirUniformQuantizedSubChannelTypeGet", q.Storage, q.Expressed, false)
	scales, zeros := raw.AttributeIn(q.Scales, c, method), raw.AttributeIn(q.ZeroPoints, c, method)
	var axes []int32
	var sizes []int64
	for _, b := range q.Blocks {
		axes, sizes = append(axes, b.Axis), append(sizes, b.Size)
		if b.Axis < 0 || b.Size <= 0 {
			m.fail(fmt.Errorf("quant: dimension %d cannot be divided into blocks of %d", b.Axis, b.Size))
		}
	}
	m.elements("scales", q.Scales, q.Expressed)
	m.elements("zero points", q.ZeroPoints, q.Storage.Integer)
	if m.err == nil && !slices.Equal(m.dims(q.Scales), m.dims(q.ZeroPoints)) {
		m.fail(fmt.Errorf("quant: scales and zero points must have the same shape, not %v and %v", m.dims(q.Scales),
			m.dims(q.ZeroPoints)))
	}
	return m.end(func() capi.MlirType {
		return capi.MlirUniformQuantizedSubChannelTypeGet(m.api, m.flags, m.storage, m.expressed, scales, zeros,
			len(axes), raw.First(axes), raw.First(sizes), m.min, m.max)
	})
}

// Calibrated is !quant.calibrated<…>: a float type with the observed range.
type Calibrated struct {
	Expressed mlir.Type
	Min, Max  float64
}

// Type returns the type.
func (q Calibrated) Type(c *mlir.Context) (mlir.Type, error) {
	m := maker{c: c}
	m.expressed = raw.TypeIn(q.Expressed, c, "quant.Calibrated.Type")
	m.api, m.err = raw.Load(c, dialect, "mlirCalibratedQuantizedTypeGet")
	if m.err == nil {
		m.float(q.Expressed)
	}
	if !(q.Min < q.Max) || math.IsInf(q.Min, 0) || math.IsInf(q.Max, 0) {
		m.fail(fmt.Errorf("quant: %g to %g is not a range", q.Min, q.Max))
	}
	return m.end(func() capi.MlirType { return capi.MlirCalibratedQuantizedTypeGet(m.api, m.expressed, q.Min, q.Max) })
}

// maker checks the parameters, because the C functions do not. It keeps the first error.
type maker struct {
	c                  *mlir.Context
	api                *capi.Table
	flags              uint32
	storage, expressed capi.MlirType
	min, max           int64
	err                error
}

func begin(c *mlir.Context, method, function string, s Storage, expressed mlir.Type, optional bool) *maker {
	m := &maker{c: c, min: s.Min, max: s.Max}
	m.storage = raw.TypeIn(s.Integer, c, method)
	if !optional || !expressed.IsNil() {
		m.expressed = raw.TypeIn(expressed, c, method)
	}
	if m.api, m.err = raw.Load(c, dialect, function,
		"mlirQuantizedTypeGetSignedFlag", "mlirQuantizedTypeGetDefaultMinimumForInteger",
		"mlirQuantizedTypeGetDefaultMaximumForInteger"); m.err != nil {
		return m
	}
	if !expressed.IsNil() {
		m.float(expressed)
	}
	if !capi.MlirTypeIsAInteger(m.api, m.storage) || !capi.MlirIntegerTypeIsSignless(m.api, m.storage) {
		m.fail(fmt.Errorf("quant: values must be stored in a signless integer type, not %s", s.Integer))
		return m
	}
	width := capi.MlirIntegerTypeGetWidth(m.api, m.storage)
	if width < 1 || width > 32 {
		m.fail(fmt.Errorf("quant: values must be stored in 1 to 32 bits, not in %s", s.Integer))
		return m
	}
	if !s.Unsigned {
		m.flags = capi.MlirQuantizedTypeGetSignedFlag(m.api)
	}
	least := capi.MlirQuantizedTypeGetDefaultMinimumForInteger(m.api, !s.Unsigned, width)
	most := capi.MlirQuantizedTypeGetDefaultMaximumForInteger(m.api, !s.Unsigned, width)
	if m.min == 0 && m.max == 0 {
		m.min, m.max = least, most
	}
	if m.min < least || m.max > most || m.min >= m.max {
		m.fail(fmt.Errorf("quant: %d to %d is not a range of %s, which has %d to %d", m.min, m.max, s.Integer, least,
			most))
	}
	return m
}

func (m *maker) fail(err error) {
	if m.err == nil {
		m.err = err
	}
}

func (m *maker) float(t mlir.Type) {
	if !capi.MlirTypeIsAFloat(m.api, m.expressed) {
		m.fail(fmt.Errorf("quant: the expressed type must be a float type, not %s", t))
	}
}

func (m *maker) scale(values ...float64) {
	for _, v := range values {
		if !(v > 0) || math.IsInf(v, 0) {
			m.fail(fmt.Errorf("quant: %g is not a scale: it must be positive and finite", v))
		}
	}
}

// elements checks that a is dense and has the element type.
func (m *maker) elements(what string, a mlir.Attribute, element mlir.Type) {
	if m.err != nil {
		return
	}
	if capi.MlirAttributeIsADenseElements(m.api, raw.Attribute(a)) {
		t := raw.WrapType(m.c, capi.MlirAttributeGetType(m.api, raw.Attribute(a)))
		if got, ok := t.Element(); ok && got.Equal(element) {
			return
		}
	}
	m.fail(fmt.Errorf("quant: the %s must be dense elements of type %s, not %s", what, element, a))
}

func (m *maker) dims(a mlir.Attribute) []int64 {
	dims, _ := raw.WrapType(m.c, capi.MlirAttributeGetType(m.api, raw.Attribute(a))).Dims()
	return dims
}

// end makes the type if there was no error. It parses the type's text, because only the
// parser runs the verifier of these types.
func (m *maker) end(get func() capi.MlirType) (mlir.Type, error) {
	if m.err != nil {
		return mlir.Type{}, m.err
	}
	t := raw.WrapType(m.c, get())
	if t.IsNil() {
		return t, raw.Failure(m.c, "making a quantized type")
	}
	// raw.Parsed would fail, because the text has fewer digits than the scale.
	if _, err := m.c.ParseType(t.String()); err != nil {
		return mlir.Type{}, err
	}
	return t, nil
}

// IntegerRange returns the range of an integer of 1 to 63 bits.
func IntegerRange(l *mlir.Library, signed bool, bits int) (least, most int64, err error) {
	if err := raw.Need(l, "mlirQuantizedTypeGetDefaultMinimumForInteger",
		"mlirQuantizedTypeGetDefaultMaximumForInteger"); err != nil {
		return 0, 0, err
	}
	if bits < 1 || bits > 63 {
		return 0, 0, errors.New("quant: an integer must have 1 to 63 bits")
	}
	t := raw.LibraryTable(l)
	return capi.MlirQuantizedTypeGetDefaultMinimumForInteger(t, signed, uint32(bits)),
		capi.MlirQuantizedTypeGetDefaultMaximumForInteger(t, signed, uint32(bits)), nil
}
