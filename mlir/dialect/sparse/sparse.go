// Package sparse builds and reads the operations of MLIR's dialect sparse_tensor: sparse tensors, their storage and
// iteration. Encoding says how the elements of a tensor are stored, level by level. If the library lacks what a
// function needs, the error matches mlir.ErrUnsupported.
package sparse

import (
	"errors"
	"fmt"
	"slices"

	"github.com/calliope-mlir/calliope/experimental/capi"
	"github.com/calliope-mlir/calliope/internal/ir/raw"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/mlir/affine"
)

// Format is the storage format of a level.
type Format int

const (
	Dense           Format = iota // every coordinate
	Batch                         // every coordinate, for a whole batch
	Compressed                    // only the stored coordinates
	Singleton                     // one coordinate for each one of the level above
	LooseCompressed               // Compressed, with gaps between segments
	NOutOfM                       // N coordinates in each block of M
)

var formats = []capi.MlirSparseTensorLevelFormat{
	capi.MLIR_SPARSE_TENSOR_LEVEL_DENSE, capi.MLIR_SPARSE_TENSOR_LEVEL_BATCH, capi.MLIR_SPARSE_TENSOR_LEVEL_COMPRESSED,
	capi.MLIR_SPARSE_TENSOR_LEVEL_SINGLETON, capi.MLIR_SPARSE_TENSOR_LEVEL_LOOSE_COMPRESSED,
	capi.MLIR_SPARSE_TENSOR_LEVEL_N_OUT_OF_M,
}

// A Level is a level of storage.
type Level struct {
	Format     Format
	NonUnique  bool // coordinates may repeat
	NonOrdered bool // coordinates may be unordered
	SoA        bool // coordinates of singletons are stored in separate arrays
	N, M       int  // for NOutOfM, at most 255
}

// An Encoding is #sparse_tensor.encoding<…>.
type Encoding struct {
	Levels []Level
	// DimToLevel maps coordinates of dimensions to coordinates of levels. It has one
	// result for each level. LevelToDim is the inverse. MLIR computes it if it is zero.
	DimToLevel, LevelToDim affine.Map
	// PosWidth and CrdWidth are the widths of stored positions and coordinates in bits: 8,
	// 16, 32, 64, or 0 for the width of an index.
	PosWidth, CrdWidth int
	// Explicit is the value of the stored elements, if all have the same one. Implicit is
	// the value of all others, if it is not zero.
	Explicit, Implicit mlir.Attribute
}

// Attribute returns the attribute.
func (e Encoding) Attribute(c *mlir.Context) (mlir.Attribute, error) {
	const method = "sparse.Encoding.Attribute"
	t, err := raw.Load(c, "sparse_tensor", "mlirSparseTensorEncodingAttrGet",
		"mlirSparseTensorEncodingAttrBuildLvlType")
	if err != nil {
		return mlir.Attribute{}, err
	}
	if err := e.check(); err != nil {
		return mlir.Attribute{}, err
	}
	levels := make([]capi.MlirSparseTensorLevelType, len(e.Levels))
	for i, l := range e.Levels {
		p := l.properties()
		levels[i] = capi.MlirSparseTensorEncodingAttrBuildLvlType(t, formats[l.Format], raw.First(p), uint32(len(p)),
			uint32(l.N), uint32(l.M))
	}
	var inverse capi.MlirAffineMap
	if !e.LevelToDim.IsNil() {
		inverse = raw.Map(e.LevelToDim.Attribute(), c, method)
	}
	var explicit, implicit capi.MlirAttribute
	if !e.Explicit.IsNil() {
		explicit = raw.AttributeIn(e.Explicit, c, method)
	}
	if !e.Implicit.IsNil() {
		implicit = raw.AttributeIn(e.Implicit, c, method)
	}
	return raw.ParsedAttribute(
		raw.WrapAttribute(c, capi.MlirSparseTensorEncodingAttrGet(t, raw.Context(c), len(levels), raw.First(levels),
			raw.Map(e.DimToLevel.Attribute(), c, method), inverse, int32(e.PosWidth), int32(e.CrdWidth), explicit,
			implicit)))
}

// check returns an error for mistakes that the C function does not detect.
func (e Encoding) check() error {
	switch {
	case len(e.Levels) == 0:
		return errors.New("sparse: an encoding must have at least one level")
	case e.DimToLevel.IsNil():
		return errors.New("sparse: DimToLevel of the encoding is missing")
	case e.DimToLevel.NumDims() == 0 || len(e.DimToLevel.Results()) != len(e.Levels):
		return fmt.Errorf("sparse: %s does not map dimensions to %d levels", e.DimToLevel, len(e.Levels))
	case !e.LevelToDim.IsNil() && (e.LevelToDim.NumSymbols() != 0 || e.LevelToDim.NumDims() != len(e.Levels) ||
		len(e.LevelToDim.Results()) != e.DimToLevel.NumDims()):
		return fmt.Errorf("sparse: %s is not the inverse of %s", e.LevelToDim, e.DimToLevel)
	}
	for _, width := range []int{e.PosWidth, e.CrdWidth} {
		if !slices.Contains([]int{0, 8, 16, 32, 64}, width) {
			return fmt.Errorf("sparse: positions and coordinates must have 8, 16, 32 or 64 bits, or 0 for an index, not %d", width)
		}
	}
	for i, l := range e.Levels {
		properties := l.NonUnique || l.NonOrdered || l.SoA
		switch {
		case l.Format < Dense || l.Format > NOutOfM:
			return fmt.Errorf("sparse: level %d has the unknown format %d: use the constants", i, l.Format)
		case properties && (l.Format == Dense || l.Format == Batch || l.Format == NOutOfM):
			return fmt.Errorf("sparse: level %d stores its coordinates in order and once: it cannot have properties", i)
		case l.SoA && l.Format != Singleton:
			return fmt.Errorf("sparse: level %d is not a singleton and cannot be SoA", i)
		case l.Format == NOutOfM && (l.N < 1 || l.M < l.N || l.M > 255):
			return fmt.Errorf("sparse: level %d cannot have %d out of %d", i, l.N, l.M)
		case l.Format != NOutOfM && (l.N != 0 || l.M != 0):
			return fmt.Errorf("sparse: level %d has N and M: only NOutOfM has them", i)
		}
	}
	return nil
}

func (l Level) properties() []capi.MlirSparseTensorLevelPropertyNondefault {
	var out []capi.MlirSparseTensorLevelPropertyNondefault
	if l.NonUnique {
		out = append(out, capi.MLIR_SPARSE_PROPERTY_NON_UNIQUE)
	}
	if l.NonOrdered {
		out = append(out, capi.MLIR_SPARSE_PROPERTY_NON_ORDERED)
	}
	if l.SoA {
		out = append(out, capi.MLIR_SPARSE_PROPERTY_SOA)
	}
	return out
}

// Is reports whether a is #sparse_tensor.encoding<…>.
func Is(a mlir.Attribute) bool { return raw.IsAttribute(a, "#sparse_tensor.encoding") }

// ReadEncoding returns a as an Encoding. It returns an error if a is another attribute.
func ReadEncoding(a mlir.Attribute) (Encoding, error) {
	c, h := raw.UnwrapAttribute(a, "sparse.ReadEncoding")
	if err := raw.Need(c.Library(), "mlirSparseTensorEncodingGetLvlRank", "mlirSparseTensorEncodingAttrGetLvlType",
		"mlirSparseTensorEncodingAttrGetLvlFmt", "mlirSparseTensorEncodingAttrGetDimToLvl",
		"mlirSparseTensorEncodingAttrGetLvlToDim",
		"mlirSparseTensorEncodingAttrGetPosWidth", "mlirSparseTensorEncodingAttrGetCrdWidth",
		"mlirSparseTensorEncodingAttrGetExplicitVal", "mlirSparseTensorEncodingAttrGetImplicitVal",
		"mlirSparseTensorEncodingAttrGetStructuredN", "mlirSparseTensorEncodingAttrGetStructuredM"); err != nil {
		return Encoding{}, err
	}
	if !Is(a) {
		return Encoding{}, fmt.Errorf("sparse: %s is not an encoding", a)
	}
	t := raw.Table(c)
	e := Encoding{
		DimToLevel: affine.MapFromPointer(c, capi.MlirSparseTensorEncodingAttrGetDimToLvl(t, h).Ptr),
		LevelToDim: affine.MapFromPointer(c, capi.MlirSparseTensorEncodingAttrGetLvlToDim(t, h).Ptr),
		PosWidth:   int(capi.MlirSparseTensorEncodingAttrGetPosWidth(t, h)),
		CrdWidth:   int(capi.MlirSparseTensorEncodingAttrGetCrdWidth(t, h)),
	}
	if v := capi.MlirSparseTensorEncodingAttrGetExplicitVal(t, h); v.Ptr != nil {
		e.Explicit = raw.WrapAttribute(c, v)
	}
	if v := capi.MlirSparseTensorEncodingAttrGetImplicitVal(t, h); v.Ptr != nil {
		e.Implicit = raw.WrapAttribute(c, v)
	}
	for i := range capi.MlirSparseTensorEncodingGetLvlRank(t, h) {
		kind := capi.MlirSparseTensorEncodingAttrGetLvlType(t, h, i)
		has := func(p capi.MlirSparseTensorLevelPropertyNondefault) bool {
			return kind&capi.MlirSparseTensorLevelType(p) != 0
		}
		e.Levels = append(e.Levels, Level{
			Format:     Format(slices.Index(formats, capi.MlirSparseTensorEncodingAttrGetLvlFmt(t, h, i))),
			NonUnique:  has(capi.MLIR_SPARSE_PROPERTY_NON_UNIQUE),
			NonOrdered: has(capi.MLIR_SPARSE_PROPERTY_NON_ORDERED),
			SoA:        has(capi.MLIR_SPARSE_PROPERTY_SOA),
			N:          int(capi.MlirSparseTensorEncodingAttrGetStructuredN(t, kind)),
			M:          int(capi.MlirSparseTensorEncodingAttrGetStructuredM(t, kind)),
		})
	}
	return e, nil
}
