package mlir

import (
	"fmt"
	"iter"

	"github.com/calliope-mlir/calliope/internal/capi"
)

// AffineMap takes dimensions and symbols to the values of affine expressions:
// (d0, d1)[s0] -> (d0 + s0, d1). Maps are uniqued by their context: equal maps are
// equal values.
type AffineMap struct {
	life *lifetime
	raw  capi.MlirAffineMap
}

// AffineMap is (d0 …)[s0 …] -> (results…). It panics where a dimension or symbol
// stands in a result that there is none of.
func (c *Context) AffineMap(numDims, numSymbols int, results ...AffineExpr) AffineMap {
	return c.affineMap("Context.AffineMap", numDims, numSymbols, results)
}

func (c *Context) affineMap(method string, numDims, numSymbols int, results []AffineExpr) AffineMap {
	t := c.life.check(method)
	checkAffineCount(method, numDims, numSymbols)
	raw := make([]capi.MlirAffineExpr, len(results))
	for i, e := range results {
		raw[i] = e.in(c, method)
	}
	mustUse(method, numDims, numSymbols, results...)
	if len(raw) == 0 {
		return AffineMap{c.life, capi.MlirAffineMapZeroResultGet(t, c.raw, numDims, numSymbols)}
	}
	return AffineMap{c.life, capi.MlirAffineMapGet(t, c.raw, numDims, numSymbols, len(raw), first(raw))}
}

// ConstantMap is () -> (v).
func (c *Context) ConstantMap(v int64) AffineMap {
	return AffineMap{c.life, capi.MlirAffineMapConstantGet(c.life.check("Context.ConstantMap"), c.raw, v)}
}

// IdentityMap is (d0, d1 …) -> (d0, d1 …).
func (c *Context) IdentityMap(numDims int) AffineMap {
	t := c.life.check("Context.IdentityMap")
	checkAffineCount("Context.IdentityMap", numDims)
	return AffineMap{c.life, capi.MlirAffineMapMultiDimIdentityGet(t, c.raw, numDims)}
}

// MinorIdentityMap gives the last of its dimensions: with 3 and 2, (d0, d1, d2) ->
// (d1, d2).
func (c *Context) MinorIdentityMap(numDims, numResults int) AffineMap {
	t := c.life.check("Context.MinorIdentityMap")
	checkAffineCount("Context.MinorIdentityMap", numDims, numResults, numDims-numResults)
	if numResults == 0 {
		return c.AffineMap(numDims, 0)
	}
	return AffineMap{c.life, capi.MlirAffineMapMinorIdentityGet(t, c.raw, numDims, numResults)}
}

// PermutationMap gives its dimensions in another order: with 2, 0, 1, (d0, d1, d2) ->
// (d2, d0, d1). It panics where a number from 0 up is missing or stands twice.
func (c *Context) PermutationMap(permutation ...int) AffineMap {
	t := c.life.check("Context.PermutationMap")
	raw, seen := make([]uint32, len(permutation)), make([]bool, len(permutation))
	for i, p := range permutation {
		if p < 0 || p >= len(seen) || seen[p] {
			panic(fmt.Sprintf("mlir: Context.PermutationMap: %v is no permutation", permutation))
		}
		raw[i], seen[p] = uint32(p), true
	}
	if len(raw) == 0 {
		return c.AffineMap(0, 0)
	}
	return AffineMap{c.life, capi.MlirAffineMapPermutationGet(t, c.raw, len(raw), first(raw))}
}

// ParseAffineMap reads a map from its text, for example "(d0)[s0] -> (d0 * s0)".
func (c *Context) ParseAffineMap(text string) (AffineMap, error) {
	a, err := c.ParseAttribute("affine_map<" + text + ">")
	if err != nil {
		return AffineMap{}, err
	}
	m, ok := a.AffineMapValue()
	if !ok {
		return AffineMap{}, fmt.Errorf("mlir: %q is no affine map", text)
	}
	return m, nil
}

// IsNil reports whether m is the zero AffineMap.
func (m AffineMap) IsNil() bool { return m.raw.Ptr == nil }

// Equal reports whether both are one map.
func (m AffineMap) Equal(n AffineMap) bool { return m.raw == n.raw }

func (m AffineMap) check(method string) *capi.Table {
	api := m.life.check(method)
	if m.IsNil() {
		panic("mlir: " + method + " was given the nil affine map")
	}
	return api
}

func (m AffineMap) in(c *Context, method string) capi.MlirAffineMap {
	m.check(method)
	m.life.mine(c, "an affine map", method)
	return m.raw
}

// Context is the context that the map belongs to.
func (m AffineMap) Context() *Context {
	m.check("AffineMap.Context")
	return m.life.ctx
}

// String is the map as MLIR prints it, for example "(d0)[s0] -> (d0 * s0)".
func (m AffineMap) String() string {
	if m.IsNil() {
		return "<nil affine map>"
	}
	api := m.check("AffineMap.String")
	return string(capi.Collect(func(cb capi.MlirStringCallback, ud pointer) {
		capi.MlirAffineMapPrint(api, m.raw, cb, ud)
	}))
}

// NumDims is the number of dimensions.
func (m AffineMap) NumDims() int {
	return capi.MlirAffineMapGetNumDims(m.check("AffineMap.NumDims"), m.raw)
}

// NumSymbols is the number of symbols.
func (m AffineMap) NumSymbols() int {
	return capi.MlirAffineMapGetNumSymbols(m.check("AffineMap.NumSymbols"), m.raw)
}

// NumInputs is the number of dimensions and symbols together.
func (m AffineMap) NumInputs() int {
	return capi.MlirAffineMapGetNumInputs(m.check("AffineMap.NumInputs"), m.raw)
}

// NumResults is the number of results.
func (m AffineMap) NumResults() int {
	return capi.MlirAffineMapGetNumResults(m.check("AffineMap.NumResults"), m.raw)
}

// Result is the i-th result. It panics where there is none.
func (m AffineMap) Result(i int) AffineExpr {
	api := m.check("AffineMap.Result")
	inRange("AffineMap.Result", i, capi.MlirAffineMapGetNumResults(api, m.raw))
	return AffineExpr{m.life, capi.MlirAffineMapGetResult(api, m.raw, i)}
}

// Results iterates over the results.
func (m AffineMap) Results() iter.Seq2[int, AffineExpr] { return indexed(m.NumResults(), m.Result) }

func (m AffineMap) results() []AffineExpr {
	out := make([]AffineExpr, m.NumResults())
	for i := range out {
		out[i] = m.Result(i)
	}
	return out
}

// IsIdentity reports whether m gives its dimensions as they are.
func (m AffineMap) IsIdentity() bool {
	return capi.MlirAffineMapIsIdentity(m.check("AffineMap.IsIdentity"), m.raw)
}

// IsMinorIdentity reports whether m gives the last of its dimensions as they are.
func (m AffineMap) IsMinorIdentity() bool {
	return capi.MlirAffineMapIsMinorIdentity(m.check("AffineMap.IsMinorIdentity"), m.raw)
}

// IsEmpty reports whether m is () -> ().
func (m AffineMap) IsEmpty() bool {
	return capi.MlirAffineMapIsEmpty(m.check("AffineMap.IsEmpty"), m.raw)
}

// IsPermutation reports whether m gives all its dimensions in some order.
func (m AffineMap) IsPermutation() bool {
	return capi.MlirAffineMapIsPermutation(m.check("AffineMap.IsPermutation"), m.raw)
}

// IsProjectedPermutation reports whether m gives some of its dimensions in some order.
func (m AffineMap) IsProjectedPermutation() bool {
	return capi.MlirAffineMapIsProjectedPermutation(m.check("AffineMap.IsProjectedPermutation"), m.raw)
}

// Constant is the only result of m where it is a constant; false for any other map.
func (m AffineMap) Constant() (int64, bool) {
	api := m.check("AffineMap.Constant")
	if !capi.MlirAffineMapIsSingleConstant(api, m.raw) {
		return 0, false
	}
	return capi.MlirAffineMapGetSingleConstantResult(api, m.raw), true
}

// SubMap has only the results at the given places, in that order. It panics where
// there is none at a place.
func (m AffineMap) SubMap(results ...int) AffineMap {
	api := m.check("AffineMap.SubMap")
	for _, i := range results {
		inRange("AffineMap.SubMap", i, m.NumResults())
	}
	if len(results) == 0 {
		return m.life.ctx.AffineMap(m.NumDims(), m.NumSymbols())
	}
	return AffineMap{m.life, capi.MlirAffineMapGetSubMap(api, m.raw, len(results), first(results))}
}

// MajorSubMap has only the first n results. It panics where there are fewer.
func (m AffineMap) MajorSubMap(n int) AffineMap {
	return m.subMap("AffineMap.MajorSubMap", n, capi.MlirAffineMapGetMajorSubMap)
}

// MinorSubMap has only the last n results. It panics where there are fewer.
func (m AffineMap) MinorSubMap(n int) AffineMap {
	return m.subMap("AffineMap.MinorSubMap", n, capi.MlirAffineMapGetMinorSubMap)
}

func (m AffineMap) subMap(method string, n int, get func(*capi.Table, capi.MlirAffineMap, int) capi.MlirAffineMap) AffineMap {
	api := m.check(method)
	inRange(method, n, m.NumResults()+1)
	if n == 0 { // for which the library has the null map
		return m.life.ctx.AffineMap(m.NumDims(), m.NumSymbols())
	}
	return AffineMap{m.life, get(api, m.raw, n)}
}

// Replace puts one expression in the place of another wherever that stands in a
// result; the new map has so many dimensions and symbols. It panics where more of them
// stand in a result.
func (m AffineMap) Replace(old, with AffineExpr, numDims, numSymbols int) AffineMap {
	api := m.check("AffineMap.Replace")
	c := m.life.ctx
	rawOld, rawWith := old.in(c, "AffineMap.Replace"), with.in(c, "AffineMap.Replace")
	checkAffineCount("AffineMap.Replace", numDims, numSymbols)
	mustStaySmall("AffineMap.Replace", mostParts(m.results()...)*mostParts(with))
	out := AffineMap{m.life, capi.MlirAffineMapReplace(api, m.raw, rawOld, rawWith, numDims, numSymbols)}
	mustUse("AffineMap.Replace", numDims, numSymbols, out.results()...)
	return out
}

// Compose is the map that first takes its dimensions through n and what comes out
// through m. The symbols are m's, then n's. It panics where n does not have as many
// results as m has dimensions.
func (m AffineMap) Compose(n AffineMap) AffineMap {
	m.check("AffineMap.Compose")
	c := m.life.ctx
	n.in(c, "AffineMap.Compose")
	if n.NumResults() != m.NumDims() {
		panic(fmt.Sprintf("mlir: AffineMap.Compose: %s has no %d results", n, m.NumDims()))
	}
	dims, symbols := make([]AffineExpr, n.NumDims()), make([]AffineExpr, m.NumSymbols()+n.NumSymbols())
	for i := range dims {
		dims[i] = c.AffineDim(i)
	}
	for i := range symbols {
		symbols[i] = c.AffineSymbol(i)
	}
	inner := n.results()
	for i, e := range inner {
		inner[i] = e.Substitute(dims, symbols[m.NumSymbols():])
	}
	results := m.results()
	for i, e := range results {
		results[i] = e.Substitute(inner, symbols[:m.NumSymbols()])
	}
	return c.affineMap("AffineMap.Compose", len(dims), len(symbols), results)
}

// Eval are the values of the results where the dimensions and symbols have the given
// values. See AffineExpr.Eval for its errors.
func (m AffineMap) Eval(dims, symbols []int64) ([]int64, error) {
	m.check("AffineMap.Eval")
	if len(dims) != m.NumDims() || len(symbols) != m.NumSymbols() {
		return nil, fmt.Errorf("mlir: %s takes %d dimensions and %d symbols, %d and %d given",
			m, m.NumDims(), m.NumSymbols(), len(dims), len(symbols))
	}
	out := make([]int64, m.NumResults())
	for i, e := range m.Results() {
		v, err := e.Eval(dims, symbols)
		if err != nil {
			return nil, err
		}
		out[i] = v
	}
	return out, nil
}

// CompressUnusedSymbols are the maps without the symbols that none of them uses. They
// must have as many dimensions and symbols as one another; it panics where they don't.
func CompressUnusedSymbols(maps ...AffineMap) []AffineMap {
	if len(maps) == 0 {
		return nil
	}
	api := maps[0].check("CompressUnusedSymbols")
	in, out := make([]capi.MlirAffineMap, len(maps)), make([]capi.MlirAffineMap, len(maps))
	for i, m := range maps {
		in[i] = m.in(maps[0].life.ctx, "CompressUnusedSymbols")
		if m.NumDims() != maps[0].NumDims() || m.NumSymbols() != maps[0].NumSymbols() {
			panic(fmt.Sprintf("mlir: CompressUnusedSymbols: %s and %s differ in their inputs", maps[0], m))
		}
	}
	capi.CompressSymbols(api, in, out)
	result := make([]AffineMap, len(maps))
	for i, raw := range out {
		result[i] = AffineMap{maps[0].life, raw}
	}
	return result
}
