package affine

import (
	"fmt"

	"github.com/calliope-mlir/calliope/experimental/capi"
	"github.com/calliope-mlir/calliope/internal/ir/raw"
	"github.com/calliope-mlir/calliope/mlir"
)

// A Map maps dimensions and symbols to the values of expressions: (d0, d1)[s0] -> (d0 + s0, d1).
type Map struct {
	c   *mlir.Context
	raw capi.MlirAffineMap
}

// NewMap returns (d0 …)[s0 …] -> (results…). It panics if a result uses a dimension or symbol that the map does not
// have.
func NewMap(c *mlir.Context, numDims, numSymbols int, results ...Expr) Map {
	const method = "affine.NewMap"
	t := raw.Use(c, method)
	checkCount(method, numDims, numSymbols)
	list := handles(c, method, results)
	mustUse(method, numDims, numSymbols, results...)
	if len(list) == 0 {
		return Map{c, capi.MlirAffineMapZeroResultGet(t, raw.Context(c), numDims, numSymbols)}
	}
	return Map{c, capi.MlirAffineMapGet(t, raw.Context(c), numDims, numSymbols, len(list), raw.First(list))}
}

// Identity returns (d0, d1 …) -> (d0, d1 …).
func Identity(c *mlir.Context, numDims int) Map {
	const method = "affine.Identity"
	t := raw.Use(c, method)
	checkCount(method, numDims)
	return Map{c, capi.MlirAffineMapMultiDimIdentityGet(t, raw.Context(c), numDims)}
}

// MinorIdentity returns the map from numDims dimensions to the last numResults of them: with 3 and 2, (d0, d1, d2) ->
// (d1, d2).
func MinorIdentity(c *mlir.Context, numDims, numResults int) Map {
	const method = "affine.MinorIdentity"
	t := raw.Use(c, method)
	checkCount(method, numDims, numResults, numDims-numResults)
	if numResults == 0 {
		return NewMap(c, numDims, 0)
	}
	return Map{c, capi.MlirAffineMapMinorIdentityGet(t, raw.Context(c), numDims, numResults)}
}

// Permutation returns the map that permutes its dimensions: with 2, 0, 1, (d0, d1, d2) -> (d2, d0, d1). It panics if a
// number from 0 up is missing or repeated.
func Permutation(c *mlir.Context, permutation ...int) Map {
	t := raw.Use(c, "affine.Permutation")
	list, seen := make([]uint32, len(permutation)), make([]bool, len(permutation))
	for i, p := range permutation {
		if p < 0 || p >= len(seen) || seen[p] {
			panic(fmt.Sprintf("mlir: affine.Permutation: %v is not a permutation of the numbers from 0", permutation))
		}
		list[i], seen[p] = uint32(p), true
	}
	if len(list) == 0 {
		return NewMap(c, 0, 0)
	}
	return Map{c, capi.MlirAffineMapPermutationGet(t, raw.Context(c), len(list), raw.First(list))}
}

// ParseMap parses a map, for example "(d0)[s0] -> (d0 * s0)". The error is an *mlir.DiagnosticError with the library's
// messages.
func ParseMap(c *mlir.Context, text string) (Map, error) {
	a, err := c.ParseAttribute("affine_map<" + text + ">")
	if err != nil {
		return Map{}, err
	}
	m, ok := MapOf(a)
	if !ok {
		return Map{}, fmt.Errorf("affine: %q is not an affine map", text)
	}
	return m, nil
}

// MapOf returns the map in an affine map attribute, and whether a is one.
func MapOf(a mlir.Attribute) (Map, bool) {
	if a.IsNil() {
		return Map{}, false
	}
	c, h := raw.UnwrapAttribute(a, "affine.MapOf")
	if t := raw.Table(c); capi.MlirAttributeIsAAffineMap(t, h) {
		return Map{c, capi.MlirAffineMapAttrGetValue(t, h)}, true
	}
	return Map{}, false
}

// LayoutOf returns the layout of a memref type as a map from its indices to a position in memory, and whether t is a
// ranked memref type.
func LayoutOf(t mlir.Type) (Map, bool) {
	if t.IsNil() {
		return Map{}, false
	}
	c, h := raw.UnwrapType(t, "affine.LayoutOf")
	if api := raw.Table(c); capi.MlirTypeIsAMemRef(api, h) {
		return Map{c, capi.MlirMemRefTypeGetAffineMap(api, h)}, true
	}
	return Map{}, false
}

// IsNil reports whether m is the zero Map.
func (m Map) IsNil() bool { return m.raw.Ptr == nil }

func (m Map) check(method string) *capi.Table {
	if m.IsNil() {
		panic("mlir: " + method + " was given the nil map")
	}
	return raw.Use(m.c, method)
}

func (m Map) in(c *mlir.Context, method string) capi.MlirAffineMap {
	if m.check(method); m.c != c {
		panic("mlir: " + method + " was given a map of another context")
	}
	return m.raw
}

// Context returns the context of the map.
func (m Map) Context() *mlir.Context {
	m.check("affine.Map.Context")
	return m.c
}

// Attribute returns affine_map<m>.
func (m Map) Attribute() mlir.Attribute {
	t := m.check("affine.Map.Attribute")
	return raw.WrapAttribute(m.c, capi.MlirAffineMapAttrGet(t, m.raw))
}

// String returns the map as MLIR prints it, for example "(d0)[s0] -> (d0 * s0)".
func (m Map) String() string {
	if m.IsNil() {
		return "<nil affine map>"
	}
	t := m.check("affine.Map.String")
	return text(func(cb capi.MlirStringCallback, ud pointer) { capi.MlirAffineMapPrint(t, m.raw, cb, ud) })
}

// NumDims returns the number of dimensions.
func (m Map) NumDims() int { return capi.MlirAffineMapGetNumDims(m.check("affine.Map.NumDims"), m.raw) }

// NumSymbols returns the number of symbols.
func (m Map) NumSymbols() int {
	return capi.MlirAffineMapGetNumSymbols(m.check("affine.Map.NumSymbols"), m.raw)
}

// Results returns the results.
func (m Map) Results() []Expr {
	t := m.check("affine.Map.Results")
	list := make([]Expr, capi.MlirAffineMapGetNumResults(t, m.raw))
	for i := range list {
		list[i] = Expr{m.c, capi.MlirAffineMapGetResult(t, m.raw, i)}
	}
	return list
}

// IsIdentity reports whether the results of m are its dimensions in order.
func (m Map) IsIdentity() bool {
	return capi.MlirAffineMapIsIdentity(m.check("affine.Map.IsIdentity"), m.raw)
}

// IsMinorIdentity reports whether the results of m are the last of its dimensions in order.
func (m Map) IsMinorIdentity() bool {
	return capi.MlirAffineMapIsMinorIdentity(m.check("affine.Map.IsMinorIdentity"), m.raw)
}

// IsPermutation reports whether the results of m are all its dimensions in some order.
func (m Map) IsPermutation() bool {
	return capi.MlirAffineMapIsPermutation(m.check("affine.Map.IsPermutation"), m.raw)
}

// IsProjectedPermutation reports whether the results of m are some of its dimensions in some order.
func (m Map) IsProjectedPermutation() bool {
	return capi.MlirAffineMapIsProjectedPermutation(m.check("affine.Map.IsProjectedPermutation"), m.raw)
}

// Select returns m with only the results at the given indices, in that order. It panics if an index is out of range.
func (m Map) Select(results ...int) Map {
	const method = "affine.Map.Select"
	all := m.Results()
	list := make([]Expr, len(results))
	for i, at := range results {
		inRange(method, at, len(all))
		list[i] = all[at]
	}
	return NewMap(m.c, m.NumDims(), m.NumSymbols(), list...)
}

// Replace returns m with an expression replaced by another one wherever it occurs in a result. The new map has numDims
// dimensions and numSymbols symbols. Replace panics if a result uses more.
func (m Map) Replace(old, with Expr, numDims, numSymbols int) Map {
	const method = "affine.Map.Replace"
	t := m.check(method)
	from, to := old.in(m.c, method), with.in(m.c, method)
	checkCount(method, numDims, numSymbols)
	mustStaySmall(method, mostParts(m.Results()...)*mostParts(with))
	out := Map{m.c, capi.MlirAffineMapReplace(t, m.raw, from, to, numDims, numSymbols)}
	mustUse(method, numDims, numSymbols, out.Results()...)
	return out
}

// Compose returns the map that applies n to its dimensions and then m to the results. Its symbols are m's, then n's. It
// panics if the number of n's results is not the number of m's dimensions.
func (m Map) Compose(n Map) Map {
	const method = "affine.Map.Compose"
	m.check(method)
	n.in(m.c, method)
	inner := n.Results()
	if len(inner) != m.NumDims() {
		panic(fmt.Sprintf("mlir: %s: %s does not have %d results", method, n, m.NumDims()))
	}
	symbols := make([]Expr, n.NumSymbols())
	for i := range symbols {
		symbols[i] = Symbol(m.c, m.NumSymbols()+i)
	}
	for i, e := range inner {
		inner[i] = e.Substitute(nil, symbols)
	}
	results := m.Results()
	for i, e := range results {
		results[i] = e.Substitute(inner, nil)
	}
	return NewMap(m.c, n.NumDims(), m.NumSymbols()+n.NumSymbols(), results...)
}

// Eval returns the values of the results for the given values of the dimensions and symbols. Its errors are those of
// Expr.Eval, and one if the number of values is wrong.
func (m Map) Eval(dims, symbols []int64) ([]int64, error) {
	m.check("affine.Map.Eval")
	if len(dims) != m.NumDims() || len(symbols) != m.NumSymbols() {
		return nil, fmt.Errorf("affine: %s takes %d dimensions and %d symbols, not %d and %d",
			m, m.NumDims(), m.NumSymbols(), len(dims), len(symbols))
	}
	results := m.Results()
	out := make([]int64, len(results))
	for i, e := range results {
		v, err := e.Eval(dims, symbols)
		if err != nil {
			return nil, err
		}
		out[i] = v
	}
	return out, nil
}

// CompressSymbols returns the maps without the symbols that none of them uses. It panics if the maps differ in their
// numbers of dimensions or symbols.
func CompressSymbols(maps ...Map) []Map {
	const method = "affine.CompressSymbols"
	if len(maps) == 0 {
		return nil
	}
	first := maps[0]
	t := first.check(method)
	in, out := make([]capi.MlirAffineMap, len(maps)), make([]capi.MlirAffineMap, len(maps))
	for i, m := range maps {
		in[i] = m.in(first.c, method)
		if m.NumDims() != first.NumDims() || m.NumSymbols() != first.NumSymbols() {
			panic(fmt.Sprintf("mlir: %s: %s and %s have different numbers of dimensions or symbols", method, first, m))
		}
	}
	capi.CompressSymbols(t, in, out)
	result := make([]Map, len(maps))
	for i, h := range out {
		result[i] = Map{first.c, h}
	}
	return result
}
