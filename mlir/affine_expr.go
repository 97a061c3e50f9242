package mlir

import (
	"fmt"
	"math"
	"math/bits"

	"github.com/calliope-mlir/calliope/internal/capi"
)

// AffineExpr is an expression on the dimensions (d0, d1 …) and symbols (s0, s1 …) of
// an affine map or integer set: sums, products, remainders and divisions of integers.
// Expressions are uniqued by their context and simplified as they are made: equal
// expressions are equal values.
type AffineExpr struct {
	life *lifetime
	raw  capi.MlirAffineExpr
}

// AffineKind is what an affine expression is.
type AffineKind int

const (
	AffineDim      AffineKind = iota + 1 // d0
	AffineSymbol                         // s0
	AffineConstant                       // 3
	AffineAdd                            // a + b
	AffineMul                            // a * b
	AffineMod                            // a mod b
	AffineFloorDiv                       // a floordiv b
	AffineCeilDiv                        // a ceildiv b
)

func (k AffineKind) String() string {
	names := [...]string{AffineDim: "dim", AffineSymbol: "symbol", AffineConstant: "constant",
		AffineAdd: "+", AffineMul: "*", AffineMod: "mod", AffineFloorDiv: "floordiv", AffineCeilDiv: "ceildiv"}
	if k < AffineDim || int(k) >= len(names) {
		return "unknown affine kind"
	}
	return names[k]
}

// maxAffine bounds the dimensions and symbols of a map, far above what any loop nest
// or tensor has: the library reserves memory for every one of them.
const maxAffine = 1 << 16

func checkAffineCount(method string, counts ...int) {
	for _, n := range counts {
		if n < 0 || n > maxAffine {
			panic(fmt.Sprintf("mlir: %s: %d is no number of dimensions, symbols or results", method, n))
		}
	}
}

// AffineDim is the dimension d<i>.
func (c *Context) AffineDim(i int) AffineExpr {
	t := c.life.check("Context.AffineDim")
	inRange("Context.AffineDim", i, maxAffine)
	return AffineExpr{c.life, capi.MlirAffineDimExprGet(t, c.raw, i)}
}

// AffineSymbol is the symbol s<i>.
func (c *Context) AffineSymbol(i int) AffineExpr {
	t := c.life.check("Context.AffineSymbol")
	inRange("Context.AffineSymbol", i, maxAffine)
	return AffineExpr{c.life, capi.MlirAffineSymbolExprGet(t, c.raw, i)}
}

// AffineConstant is an integer.
func (c *Context) AffineConstant(v int64) AffineExpr {
	return AffineExpr{c.life, capi.MlirAffineConstantExprGet(c.life.check("Context.AffineConstant"), c.raw, v)}
}

// IsNil reports whether e is the zero AffineExpr.
func (e AffineExpr) IsNil() bool { return e.raw.Ptr == nil }

// Equal reports whether both are one expression.
func (e AffineExpr) Equal(f AffineExpr) bool { return e.raw == f.raw }

func (e AffineExpr) check(method string) *capi.Table {
	api := e.life.check(method)
	if e.IsNil() {
		panic("mlir: " + method + " was given the nil affine expression")
	}
	return api
}

func (e AffineExpr) in(c *Context, method string) capi.MlirAffineExpr {
	e.check(method)
	e.life.mine(c, "an affine expression", method)
	return e.raw
}

// Context is the context that the expression belongs to.
func (e AffineExpr) Context() *Context {
	e.check("AffineExpr.Context")
	return e.life.ctx
}

// String is the expression as MLIR prints it, for example "d0 * 2 + s0".
func (e AffineExpr) String() string {
	if e.IsNil() {
		return "<nil affine expression>"
	}
	api := e.check("AffineExpr.String")
	return string(capi.Collect(func(cb capi.MlirStringCallback, ud pointer) {
		capi.MlirAffineExprPrint(api, e.raw, cb, ud)
	}))
}

// Add is e + f.
func (e AffineExpr) Add(f AffineExpr) AffineExpr { return e.binary("AffineExpr.Add", AffineAdd, f) }

// Sub is e - f.
func (e AffineExpr) Sub(f AffineExpr) AffineExpr {
	f.in(e.Context(), "AffineExpr.Sub")
	return e.binary("AffineExpr.Sub", AffineAdd, f.Neg())
}

// Neg is -e.
func (e AffineExpr) Neg() AffineExpr {
	return e.binary("AffineExpr.Neg", AffineMul, e.Context().AffineConstant(-1))
}

// Mul is e * f. In a pure affine expression one of them is constant or symbolic.
func (e AffineExpr) Mul(f AffineExpr) AffineExpr { return e.binary("AffineExpr.Mul", AffineMul, f) }

// Mod is the remainder of e by f, which is never negative. It panics where f is a
// constant below one, as do FloorDiv and CeilDiv.
func (e AffineExpr) Mod(f AffineExpr) AffineExpr { return e.binary("AffineExpr.Mod", AffineMod, f) }

// FloorDiv is e / f rounded towards minus infinity.
func (e AffineExpr) FloorDiv(f AffineExpr) AffineExpr {
	return e.binary("AffineExpr.FloorDiv", AffineFloorDiv, f)
}

// CeilDiv is e / f rounded towards infinity.
func (e AffineExpr) CeilDiv(f AffineExpr) AffineExpr {
	return e.binary("AffineExpr.CeilDiv", AffineCeilDiv, f)
}

var affineBinaries = [...]func(*capi.Table, capi.MlirAffineExpr, capi.MlirAffineExpr) capi.MlirAffineExpr{
	AffineAdd: capi.MlirAffineAddExprGet, AffineMul: capi.MlirAffineMulExprGet, AffineMod: capi.MlirAffineModExprGet,
	AffineFloorDiv: capi.MlirAffineFloorDivExprGet, AffineCeilDiv: capi.MlirAffineCeilDivExprGet,
}

func (e AffineExpr) binary(method string, k AffineKind, f AffineExpr) AffineExpr {
	api := e.check(method)
	raw := f.in(e.life.ctx, method)
	mustStaySmall(method, e.parts()+f.parts())
	if v, ok := f.Constant(); ok && v < 1 && k >= AffineMod {
		panic(fmt.Sprintf("mlir: %s by %d: the divisor of an affine expression is above zero", method, v))
	}
	return AffineExpr{e.life, affineBinaries[k](api, e.raw, raw)}
}

// Kind is what the expression is.
func (e AffineExpr) Kind() AffineKind {
	api := e.check("AffineExpr.Kind")
	switch {
	case capi.MlirAffineExprIsADim(api, e.raw):
		return AffineDim
	case capi.MlirAffineExprIsASymbol(api, e.raw):
		return AffineSymbol
	case capi.MlirAffineExprIsAConstant(api, e.raw):
		return AffineConstant
	case capi.MlirAffineExprIsAAdd(api, e.raw):
		return AffineAdd
	case capi.MlirAffineExprIsAMul(api, e.raw):
		return AffineMul
	case capi.MlirAffineExprIsAMod(api, e.raw):
		return AffineMod
	case capi.MlirAffineExprIsAFloorDiv(api, e.raw):
		return AffineFloorDiv
	}
	return AffineCeilDiv
}

// Constant is the value of a constant; false for any other expression.
func (e AffineExpr) Constant() (int64, bool) {
	api := e.check("AffineExpr.Constant")
	if !capi.MlirAffineExprIsAConstant(api, e.raw) {
		return 0, false
	}
	return capi.MlirAffineConstantExprGetValue(api, e.raw), true
}

// Position is the number of a dimension or symbol; false for any other expression.
func (e AffineExpr) Position() (int, bool) {
	api := e.check("AffineExpr.Position")
	switch {
	case capi.MlirAffineExprIsADim(api, e.raw):
		return capi.MlirAffineDimExprGetPosition(api, e.raw), true
	case capi.MlirAffineExprIsASymbol(api, e.raw):
		return capi.MlirAffineSymbolExprGetPosition(api, e.raw), true
	}
	return 0, false
}

// Operands are the two sides of a sum, product, remainder or division; false for any
// other expression.
func (e AffineExpr) Operands() (left, right AffineExpr, ok bool) {
	api := e.check("AffineExpr.Operands")
	if !capi.MlirAffineExprIsABinary(api, e.raw) {
		return AffineExpr{}, AffineExpr{}, false
	}
	return AffineExpr{e.life, capi.MlirAffineBinaryOpExprGetLHS(api, e.raw)},
		AffineExpr{e.life, capi.MlirAffineBinaryOpExprGetRHS(api, e.raw)}, true
}

// Walk visits every different expression inside e once, each after its operands, and
// ends early when visit returns false. It reports whether it reached e.
func (e AffineExpr) Walk(visit func(AffineExpr) bool) bool {
	e.check("AffineExpr.Walk")
	// A stack of our own, and each expression once: a shared one may stand in e more
	// often than could be counted.
	type frame struct {
		e    AffineExpr
		last bool
	}
	seen := map[capi.MlirAffineExpr]bool{}
	for stack := []frame{{e: e}}; len(stack) > 0; {
		f := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if f.last {
			if !visit(f.e) {
				return false
			}
			continue
		}
		if seen[f.e.raw] {
			continue
		}
		seen[f.e.raw] = true
		stack = append(stack, frame{f.e, true})
		if left, right, ok := f.e.Operands(); ok {
			stack = append(stack, frame{e: right}, frame{e: left})
		}
	}
	return true
}

// uses is how many dimensions and symbols there must be for e: one more than the
// highest that stands in it.
func (e AffineExpr) uses() (dims, symbols int) {
	e.Walk(func(f AffineExpr) bool {
		if i, ok := f.Position(); ok {
			if f.Kind() == AffineDim {
				dims = max(dims, i+1)
			} else {
				symbols = max(symbols, i+1)
			}
		}
		return true
	})
	return dims, symbols
}

// mustUse panics where the expressions use more than there is.
func mustUse(method string, dims, symbols int, exprs ...AffineExpr) {
	for _, e := range exprs {
		d, s := e.uses()
		if d > dims || s > symbols {
			panic(fmt.Sprintf("mlir: %s: %s stands among %d dimensions and %d symbols", method, e, dims, symbols))
		}
	}
}

// maxParts bounds the parts of an expression, shared ones counted as often as they
// stand in it: the library visits them all, recursively, whenever it makes a larger
// one, and a few dozen steps that use one expression twice would keep it for ever.
const maxParts = 1 << 12

// parts counts the parts of e, up to a little above maxParts.
func (e AffineExpr) parts() int {
	n := 0
	for stack := []AffineExpr{e}; len(stack) > 0 && n <= maxParts; n++ {
		top := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if left, right, ok := top.Operands(); ok {
			stack = append(stack, left, right)
		}
	}
	return n
}

// mostParts is the number of parts of the largest expression.
func mostParts(exprs ...AffineExpr) int {
	n := 1
	for _, e := range exprs {
		n = max(n, e.parts())
	}
	return n
}

func mustStaySmall(method string, parts int) {
	if parts > maxParts {
		panic(fmt.Sprintf("mlir: %s: an affine expression of more than %d parts is more than MLIR can handle", method, maxParts))
	}
}

// IsSymbolicOrConstant reports whether no dimension stands in e.
func (e AffineExpr) IsSymbolicOrConstant() bool {
	return capi.MlirAffineExprIsSymbolicOrConstant(e.check("AffineExpr.IsSymbolicOrConstant"), e.raw)
}

// IsPureAffine reports whether e is affine in the strict sense: of a product one side
// is constant, and divisions and remainders are by constants.
func (e AffineExpr) IsPureAffine() bool {
	return capi.MlirAffineExprIsPureAffine(e.check("AffineExpr.IsPureAffine"), e.raw)
}

// LargestKnownDivisor is the largest number that is known to divide e whatever its
// dimensions and symbols are.
func (e AffineExpr) LargestKnownDivisor() int64 {
	return capi.MlirAffineExprGetLargestKnownDivisor(e.check("AffineExpr.LargestKnownDivisor"), e.raw)
}

// IsMultipleOf reports whether e is known to be a multiple of a factor above zero.
func (e AffineExpr) IsMultipleOf(factor int64) bool {
	api := e.check("AffineExpr.IsMultipleOf")
	if factor < 1 {
		panic(fmt.Sprintf("mlir: AffineExpr.IsMultipleOf(%d): the factor must be above zero", factor))
	}
	return capi.MlirAffineExprIsMultipleOf(api, e.raw, factor)
}

// DependsOnDim reports whether the dimension d<i> stands in e.
func (e AffineExpr) DependsOnDim(i int) bool {
	api := e.check("AffineExpr.DependsOnDim")
	return i >= 0 && i < maxAffine && capi.MlirAffineExprIsFunctionOfDim(api, e.raw, i)
}

// Compose puts the results of m in the places of e's dimensions. It panics where m has
// fewer results than e has dimensions.
func (e AffineExpr) Compose(m AffineMap) AffineExpr {
	api := e.check("AffineExpr.Compose")
	raw := m.in(e.life.ctx, "AffineExpr.Compose")
	mustUse("AffineExpr.Compose", m.NumResults(), maxAffine, e)
	mustStaySmall("AffineExpr.Compose", e.parts()*mostParts(m.results()...))
	return AffineExpr{e.life, capi.MlirAffineExprCompose(api, e.raw, raw)}
}

// Substitute puts expressions in the places of e's dimensions and symbols, as many as
// stand in it.
func (e AffineExpr) Substitute(dims, symbols []AffineExpr) AffineExpr {
	e.check("AffineExpr.Substitute")
	mustUse("AffineExpr.Substitute", len(dims), len(symbols), e)
	for _, list := range [][]AffineExpr{dims, symbols} {
		for _, x := range list {
			x.in(e.life.ctx, "AffineExpr.Substitute")
		}
	}
	done := map[capi.MlirAffineExpr]AffineExpr{}
	e.Walk(func(f AffineExpr) bool {
		to := f
		switch k := f.Kind(); k {
		case AffineConstant:
		case AffineDim:
			i, _ := f.Position()
			to = dims[i]
		case AffineSymbol:
			i, _ := f.Position()
			to = symbols[i]
		default:
			left, right, _ := f.Operands()
			to = done[left.raw].binary("AffineExpr.Substitute", k, done[right.raw])
		}
		done[f.raw] = to
		return true
	})
	return done[e.raw]
}

// ShiftDims turns d<i> into d<i+shift> for each i from offset up to numDims. Libraries
// older than LLVM 21 give an *UnsupportedError.
func (e AffineExpr) ShiftDims(numDims, shift, offset int) (AffineExpr, error) {
	return e.shift("AffineExpr.ShiftDims", "mlirAffineExprShiftDims", capi.MlirAffineExprShiftDims, numDims, shift, offset)
}

// ShiftSymbols turns s<i> into s<i+shift> for each i from offset up to numSymbols.
// Libraries older than LLVM 21 give an *UnsupportedError.
func (e AffineExpr) ShiftSymbols(numSymbols, shift, offset int) (AffineExpr, error) {
	return e.shift("AffineExpr.ShiftSymbols", "mlirAffineExprShiftSymbols", capi.MlirAffineExprShiftSymbols, numSymbols, shift, offset)
}

func (e AffineExpr) shift(method, function string,
	call func(*capi.Table, capi.MlirAffineExpr, uint32, uint32, uint32) capi.MlirAffineExpr, n, shift, offset int) (AffineExpr, error) {
	api := e.check(method)
	checkAffineCount(method, n, shift, offset, n+shift, n-offset)
	if err := e.life.ctx.lib.need(function); err != nil {
		return AffineExpr{}, err
	}
	return AffineExpr{e.life, call(api, e.raw, uint32(n), uint32(shift), uint32(offset))}, nil
}

// Simplify makes e simpler, knowing that there are so many dimensions and symbols. It
// panics where more of them stand in e. Libraries older than LLVM 21 give an
// *UnsupportedError.
func (e AffineExpr) Simplify(numDims, numSymbols int) (AffineExpr, error) {
	api := e.check("AffineExpr.Simplify")
	checkAffineCount("AffineExpr.Simplify", numDims, numSymbols)
	mustUse("AffineExpr.Simplify", numDims, numSymbols, e)
	if err := e.life.ctx.lib.need("mlirSimplifyAffineExpr"); err != nil {
		return AffineExpr{}, err
	}
	return AffineExpr{e.life, capi.MlirSimplifyAffineExpr(api, e.raw, uint32(numDims), uint32(numSymbols))}, nil
}

// Eval is the value of e where its dimensions and symbols have the given values. It is
// an error where there are too few of them, where something is divided by a number
// below one, and where a number has no place in 64 bits.
func (e AffineExpr) Eval(dims, symbols []int64) (int64, error) {
	e.check("AffineExpr.Eval")
	values := map[capi.MlirAffineExpr]int64{}
	var err error
	e.Walk(func(f AffineExpr) bool {
		var v int64
		v, err = f.eval(values, dims, symbols)
		values[f.raw] = v
		return err == nil
	})
	return values[e.raw], err
}

func (e AffineExpr) eval(values map[capi.MlirAffineExpr]int64, dims, symbols []int64) (int64, error) {
	if v, ok := e.Constant(); ok {
		return v, nil
	}
	kind := e.Kind()
	if i, ok := e.Position(); ok {
		given := dims
		if kind == AffineSymbol {
			given = symbols
		}
		if i >= len(given) {
			return 0, fmt.Errorf("mlir: no value was given for %s", e)
		}
		return given[i], nil
	}
	left, right, _ := e.Operands()
	v, ok := affineValue(kind, values[left.raw], values[right.raw])
	if !ok {
		return 0, fmt.Errorf("mlir: %s has no value here: %d %s %d", e, values[left.raw], kind, values[right.raw])
	}
	return v, nil
}

func affineValue(k AffineKind, a, b int64) (int64, bool) {
	switch k {
	case AffineAdd:
		s := a + b
		return s, (s > a) == (b > 0)
	case AffineMul:
		hi, lo := bits.Mul64(magnitude(a), magnitude(b))
		if (a < 0) != (b < 0) {
			return -int64(lo), hi == 0 && lo <= 1<<63
		}
		return int64(lo), hi == 0 && lo <= math.MaxInt64
	}
	if b < 1 {
		return 0, false
	}
	quotient, rest := a/b, a%b
	switch {
	case k == AffineMod && rest < 0:
		return rest + b, true
	case k == AffineMod:
		return rest, true
	case k == AffineFloorDiv && rest < 0:
		return quotient - 1, true
	case k == AffineCeilDiv && rest > 0:
		return quotient + 1, true
	}
	return quotient, true
}

func magnitude(v int64) uint64 {
	if v < 0 {
		return -uint64(v)
	}
	return uint64(v)
}
