package mlir

import (
	"fmt"
	"iter"

	"github.com/calliope-mlir/calliope/experimental/capi"
)

// An AffineMap maps dimensions and symbols to the values of affine expressions: (d0,
// d1)[s0] -> (d0 + s0, d1). Its context uniques maps, so equal maps are equal values.
type AffineMap struct {
	life *lifetime
	raw  capi.MlirAffineMap
}

// AffineMap returns (d0 …)[s0 …] -> (results…). It panics if a result uses a dimension or
// symbol that the map does not have.
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

// ConstantMap returns () -> (v).
func (c *Context) ConstantMap(v int64) AffineMap {
	return AffineMap{c.life, capi.MlirAffineMapConstantGet(c.life.check("Context.ConstantMap"), c.raw, v)}
}

// IdentityMap returns (d0, d1 …) -> (d0, d1 …).
func (c *Context) IdentityMap(numDims int) AffineMap {
	t := c.life.check("Context.IdentityMap")
	checkAffineCount("Context.IdentityMap", numDims)
	return AffineMap{c.life, capi.MlirAffineMapMultiDimIdentityGet(t, c.raw, numDims)}
}

// MinorIdentityMap returns the map from numDims dimensions to the last numResults of them:
// with 3 and 2, (d0, d1, d2) -> (d1, d2).
func (c *Context) MinorIdentityMap(numDims, numResults int) AffineMap {
	t := c.life.check("Context.MinorIdentityMap")
	checkAffineCount("Context.MinorIdentityMap", numDims, numResults, numDims-numResults)
	if numResults == 0 {
		return c.AffineMap(numDims, 0)
	}
	return AffineMap{c.life, capi.MlirAffineMapMinorIdentityGet(t, c.raw, numDims, numResults)}
}

// PermutationMap returns the map that permutes its dimensions: with 2, 0, 1, (d0, d1, d2)
// -> (d2, d0, d1). It panics if a number from 0 up is missing or repeated.
func (c *Context) PermutationMap(permutation ...int) AffineMap {
	t := c.life.check("Context.PermutationMap")
	raw, seen := make([]uint32, len(permutation)), make([]bool, len(permutation))
	for i, p := range permutation {
		if p < 0 || p >= len(seen) || seen[p] {
			panic(fmt.Sprintf("mlir: Context.PermutationMap: %v is not a permutation of the numbers from 0",
				permutation))
		}
		raw[i], seen[p] = uint32(p), true
	}
	if len(raw) == 0 {
		return c.AffineMap(0, 0)
	}
	return AffineMap{c.life, capi.MlirAffineMapPermutationGet(t, c.raw, len(raw), first(raw))}
}

// ParseAffineMap parses a map, for example "(d0)[s0] -> (d0 * s0)".
func (c *Context) ParseAffineMap(text string) (AffineMap, error) {
	a, err := c.ParseAttribute("affine_map<" + text + ">")
	if err != nil {
		return AffineMap{}, err
	}
	m, ok := a.AffineMapValue()
	if !ok {
		return AffineMap{}, fmt.Errorf("mlir: %q is not an affine map", text)
	}
	return m, nil
}

// IsNil reports whether m is the zero AffineMap.
func (m AffineMap) IsNil() bool { return m.raw.Ptr == nil }

// Equal reports whether m and n are the same map.
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

// Context returns the context of the map.
func (m AffineMap) Context() *Context {
	m.check("AffineMap.Context")
	return m.life.ctx
}

// String returns the map as MLIR prints it, for example "(d0)[s0] -> (d0 * s0)".
func (m AffineMap) String() string {
	if m.IsNil() {
		return "<nil affine map>"
	}
	api := m.check("AffineMap.String")
	return string(capi.Collect(func(cb capi.MlirStringCallback, ud pointer) {
		capi.MlirAffineMapPrint(api, m.raw, cb, ud)
	}))
}

// NumDims returns the number of dimensions.
func (m AffineMap) NumDims() int {
	return capi.MlirAffineMapGetNumDims(m.check("AffineMap.NumDims"), m.raw)
}

// NumSymbols returns the number of symbols.
func (m AffineMap) NumSymbols() int {
	return capi.MlirAffineMapGetNumSymbols(m.check("AffineMap.NumSymbols"), m.raw)
}

// NumInputs returns the number of dimensions and symbols together.
func (m AffineMap) NumInputs() int {
	return capi.MlirAffineMapGetNumInputs(m.check("AffineMap.NumInputs"), m.raw)
}

// NumResults returns the number of results.
func (m AffineMap) NumResults() int {
	return capi.MlirAffineMapGetNumResults(m.check("AffineMap.NumResults"), m.raw)
}

// Result returns the i-th result. It panics if i is out of range.
func (m AffineMap) Result(i int) AffineExpr {
	api := m.check("AffineMap.Result")
	inRange("AffineMap.Result", i, capi.MlirAffineMapGetNumResults(api, m.raw))
	return AffineExpr{m.life, capi.MlirAffineMapGetResult(api, m.raw, i)}
}

// Results returns an iterator over the results.
func (m AffineMap) Results() iter.Seq2[int, AffineExpr] { return indexed(m.NumResults(), m.Result) }

func (m AffineMap) results() []AffineExpr {
	out := make([]AffineExpr, m.NumResults())
	for i := range out {
		out[i] = m.Result(i)
	}
	return out
}

// IsIdentity reports whether the results of m are its dimensions in order.
func (m AffineMap) IsIdentity() bool {
	return capi.MlirAffineMapIsIdentity(m.check("AffineMap.IsIdentity"), m.raw)
}

// IsMinorIdentity reports whether the results of m are the last of its dimensions in
// order.
func (m AffineMap) IsMinorIdentity() bool {
	return capi.MlirAffineMapIsMinorIdentity(m.check("AffineMap.IsMinorIdentity"), m.raw)
}

// IsEmpty reports whether m is () -> ().
func (m AffineMap) IsEmpty() bool {
	return capi.MlirAffineMapIsEmpty(m.check("AffineMap.IsEmpty"), m.raw)
}

// IsPermutation reports whether the results of m are all its dimensions in some order.
func (m AffineMap) IsPermutation() bool {
	return capi.MlirAffineMapIsPermutation(m.check("AffineMap.IsPermutation"), m.raw)
}

// IsProjectedPermutation reports whether the results of m are some of its dimensions in
// some order.
func (m AffineMap) IsProjectedPermutation() bool {
	return capi.MlirAffineMapIsProjectedPermutation(m.check("AffineMap.IsProjectedPermutation"), m.raw)
}

// Constant returns the value of the only result of m, and whether m has one result that is
// a constant.
func (m AffineMap) Constant() (int64, bool) {
	api := m.check("AffineMap.Constant")
	if !capi.MlirAffineMapIsSingleConstant(api, m.raw) {
		return 0, false
	}
	return capi.MlirAffineMapGetSingleConstantResult(api, m.raw), true
}

// SubMap returns m with only the results at the given indices, in that order. It panics if
// an index is out of range.
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

// MajorSubMap returns m with only the first n results. It panics if m has fewer.
func (m AffineMap) MajorSubMap(n int) AffineMap {
	return m.subMap("AffineMap.MajorSubMap", n, capi.MlirAffineMapGetMajorSubMap)
}

// MinorSubMap returns m with only the last n results. It panics if m has fewer.
func (m AffineMap) MinorSubMap(n int) AffineMap {
	return m.subMap("AffineMap.MinorSubMap", n, capi.MlirAffineMapGetMinorSubMap)
}

func (m AffineMap) subMap(
	method string, n int, get func(*capi.Table, capi.MlirAffineMap, int) capi.MlirAffineMap,
) AffineMap {
	api := m.check(method)
	inRange(method, n, m.NumResults()+1)
	if n == 0 { // the library returns the null map for 0
		return m.life.ctx.AffineMap(m.NumDims(), m.NumSymbols())
	}
	return AffineMap{m.life, get(api, m.raw, n)}
}

// Replace returns m with an expression replaced by another one wherever it occurs in a
// result. The new map has numDims dimensions and numSymbols symbols. Replace panics if a
// result uses more.
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

// Compose returns the map that applies n to its dimensions and then m to the results. Its
// symbols are m's, then n's. It panics if the number of n's results is not the number of
// m's dimensions.
func (m AffineMap) Compose(n AffineMap) AffineMap {
	m.check("AffineMap.Compose")
	c := m.life.ctx
	n.in(c, "AffineMap.Compose")
	if n.NumResults() != m.NumDims() {
		panic(fmt.Sprintf("mlir: AffineMap.Compose: %s does not have %d results", n, m.NumDims()))
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

// Eval returns the values of the results for the given values of the dimensions and
// symbols. Its errors are those of AffineExpr.Eval, and one if the number of values is
// wrong.
func (m AffineMap) Eval(dims, symbols []int64) ([]int64, error) {
	m.check("AffineMap.Eval")
	if len(dims) != m.NumDims() || len(symbols) != m.NumSymbols() {
		return nil, fmt.Errorf("mlir: %s takes %d dimensions and %d symbols, not %d and %d",
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

// CompressUnusedSymbols returns the maps without the symbols that none of them uses. It
// panics if the maps differ in their numbers of dimensions or symbols.
func CompressUnusedSymbols(maps ...AffineMap) []AffineMap {
	if len(maps) == 0 {
		return nil
	}
	api := maps[0].check("CompressUnusedSymbols")
	in, out := make([]capi.MlirAffineMap, len(maps)), make([]capi.MlirAffineMap, len(maps))
	for i, m := range maps {
		in[i] = m.in(maps[0].life.ctx, "CompressUnusedSymbols")
		if m.NumDims() != maps[0].NumDims() || m.NumSymbols() != maps[0].NumSymbols() {
			panic(fmt.Sprintf("mlir: CompressUnusedSymbols: %s and %s have different numbers of dimensions or symbols",
				maps[0], m))
		}
	}
	capi.CompressSymbols(api, in, out)
	result := make([]AffineMap, len(maps))
	for i, raw := range out {
		result[i] = AffineMap{maps[0].life, raw}
	}
	return result
}
