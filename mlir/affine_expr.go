package mlir

import (
	"fmt"
	"math"
	"math/bits"

	"github.com/calliope-mlir/calliope/experimental/capi"
)

// An AffineExpr is an expression on the dimensions (d0, d1 …) and symbols (s0, s1 …) of an
// affine map or integer set: sums, products, remainders and divisions of integers. Its
// context uniques and simplifies expressions when it creates them, so equal expressions
// are equal values.
type AffineExpr struct {
	life *lifetime
	raw  capi.MlirAffineExpr
}

// An AffineKind is the kind of an affine expression.
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

// maxAffine bounds the dimensions and symbols of a map. It is far above what any loop nest
// or tensor has. The library reserves memory for each of them.
const maxAffine = 1 << 16

func checkAffineCount(method string, counts ...int) {
	for _, n := range counts {
		if n < 0 || n > maxAffine {
			panic(fmt.Sprintf("mlir: %s: %d is not a valid number of dimensions, symbols or results: use 0 to 65536",
				method, n))
		}
	}
}

// AffineDim returns the dimension d<i>.
func (c *Context) AffineDim(i int) AffineExpr {
	t := c.life.check("Context.AffineDim")
	inRange("Context.AffineDim", i, maxAffine)
	return AffineExpr{c.life, capi.MlirAffineDimExprGet(t, c.raw, i)}
}

// AffineSymbol returns the symbol s<i>.
func (c *Context) AffineSymbol(i int) AffineExpr {
	t := c.life.check("Context.AffineSymbol")
	inRange("Context.AffineSymbol", i, maxAffine)
	return AffineExpr{c.life, capi.MlirAffineSymbolExprGet(t, c.raw, i)}
}

// AffineConstant returns v as an expression.
func (c *Context) AffineConstant(v int64) AffineExpr {
	return AffineExpr{c.life, capi.MlirAffineConstantExprGet(c.life.check("Context.AffineConstant"), c.raw, v)}
}

// IsNil reports whether e is the zero AffineExpr.
func (e AffineExpr) IsNil() bool { return e.raw.Ptr == nil }

// Equal reports whether e and f are the same expression.
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

// Context returns the context of the expression.
func (e AffineExpr) Context() *Context {
	e.check("AffineExpr.Context")
	return e.life.ctx
}

// String returns the expression as MLIR prints it, for example "d0 * 2 + s0".
func (e AffineExpr) String() string {
	if e.IsNil() {
		return "<nil affine expression>"
	}
	api := e.check("AffineExpr.String")
	return string(capi.Collect(func(cb capi.MlirStringCallback, ud pointer) {
		capi.MlirAffineExprPrint(api, e.raw, cb, ud)
	}))
}

// Add returns e + f.
func (e AffineExpr) Add(f AffineExpr) AffineExpr { return e.binary("AffineExpr.Add", AffineAdd, f) }

// Sub returns e - f.
func (e AffineExpr) Sub(f AffineExpr) AffineExpr {
	f.in(e.Context(), "AffineExpr.Sub")
	return e.binary("AffineExpr.Sub", AffineAdd, f.Neg())
}

// Neg returns -e.
func (e AffineExpr) Neg() AffineExpr {
	return e.binary("AffineExpr.Neg", AffineMul, e.Context().AffineConstant(-1))
}

// Mul returns e * f. In a pure affine expression one of them is constant or symbolic.
func (e AffineExpr) Mul(f AffineExpr) AffineExpr { return e.binary("AffineExpr.Mul", AffineMul, f) }

// Mod returns e mod f, which is never negative. Mod, FloorDiv and CeilDiv panic if f is a
// constant below one.
func (e AffineExpr) Mod(f AffineExpr) AffineExpr { return e.binary("AffineExpr.Mod", AffineMod, f) }

// FloorDiv returns e / f, rounded towards minus infinity.
func (e AffineExpr) FloorDiv(f AffineExpr) AffineExpr {
	return e.binary("AffineExpr.FloorDiv", AffineFloorDiv, f)
}

// CeilDiv returns e / f, rounded towards infinity.
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
		panic(fmt.Sprintf("mlir: %s by %d: the divisor of an affine expression must be above zero", method, v))
	}
	return AffineExpr{e.life, affineBinaries[k](api, e.raw, raw)}
}

// Kind returns the kind of the expression.
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

// Constant returns the value of e and whether e is a constant.
func (e AffineExpr) Constant() (int64, bool) {
	api := e.check("AffineExpr.Constant")
	if !capi.MlirAffineExprIsAConstant(api, e.raw) {
		return 0, false
	}
	return capi.MlirAffineConstantExprGetValue(api, e.raw), true
}

// Position returns the number of e and whether e is a dimension or symbol.
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

// Operands returns the two operands of a sum, product, remainder or division. ok is false
// for any other expression.
func (e AffineExpr) Operands() (left, right AffineExpr, ok bool) {
	api := e.check("AffineExpr.Operands")
	if !capi.MlirAffineExprIsABinary(api, e.raw) {
		return AffineExpr{}, AffineExpr{}, false
	}
	return AffineExpr{e.life, capi.MlirAffineBinaryOpExprGetLHS(api, e.raw)},
		AffineExpr{e.life, capi.MlirAffineBinaryOpExprGetRHS(api, e.raw)}, true
}

// Walk calls visit once for each distinct expression in e, after its operands. It stops if
// visit returns false. Walk reports whether it visited all of them.
func (e AffineExpr) Walk(visit func(AffineExpr) bool) bool {
	e.check("AffineExpr.Walk")
	// The stack is explicit and each expression is visited once, because the number of
	// occurrences of shared expressions can be exponential.
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

// uses returns how many dimensions and symbols e needs: one more than the highest that
// occurs in it.
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

// mustUse panics if an expression uses a dimension or symbol outside the given counts.
func mustUse(method string, dims, symbols int, exprs ...AffineExpr) {
	for _, e := range exprs {
		d, s := e.uses()
		if d > dims || s > symbols {
			panic(fmt.Sprintf("mlir: %s: %s uses more than %d dimensions and %d symbols", method, e, dims, symbols))
		}
	}
}

// maxParts bounds the parts of an expression; a shared part counts once for each use. The
// library visits them all recursively when it makes a larger expression. A few dozen steps
// that each use one expression twice would not end in any reasonable time.
const maxParts = 1 << 12

// parts counts the parts of e. It stops slightly above maxParts.
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

// mostParts returns the number of parts of the largest expression.
func mostParts(exprs ...AffineExpr) int {
	n := 1
	for _, e := range exprs {
		n = max(n, e.parts())
	}
	return n
}

func mustStaySmall(method string, parts int) {
	if parts > maxParts {
		panic(fmt.Sprintf("mlir: %s: an affine expression of more than %d parts is too large for MLIR", method,
			maxParts))
	}
}

// IsSymbolicOrConstant reports whether e contains no dimension.
func (e AffineExpr) IsSymbolicOrConstant() bool {
	return capi.MlirAffineExprIsSymbolicOrConstant(e.check("AffineExpr.IsSymbolicOrConstant"), e.raw)
}

// IsPureAffine reports whether e is affine in the strict sense: one operand of each
// product is constant, and divisions and remainders are by constants.
func (e AffineExpr) IsPureAffine() bool {
	return capi.MlirAffineExprIsPureAffine(e.check("AffineExpr.IsPureAffine"), e.raw)
}

// LargestKnownDivisor returns the largest number that is known to divide e for all values
// of its dimensions and symbols.
func (e AffineExpr) LargestKnownDivisor() int64 {
	return capi.MlirAffineExprGetLargestKnownDivisor(e.check("AffineExpr.LargestKnownDivisor"), e.raw)
}

// IsMultipleOf reports whether e is known to be a multiple of factor. It panics if factor
// is below one.
func (e AffineExpr) IsMultipleOf(factor int64) bool {
	api := e.check("AffineExpr.IsMultipleOf")
	if factor < 1 {
		panic(fmt.Sprintf("mlir: AffineExpr.IsMultipleOf(%d): the factor must be above zero", factor))
	}
	return capi.MlirAffineExprIsMultipleOf(api, e.raw, factor)
}

// DependsOnDim reports whether the dimension d<i> occurs in e.
func (e AffineExpr) DependsOnDim(i int) bool {
	api := e.check("AffineExpr.DependsOnDim")
	return i >= 0 && i < maxAffine && capi.MlirAffineExprIsFunctionOfDim(api, e.raw, i)
}

// Compose returns e with its dimensions replaced by the results of m. It panics if m has
// fewer results than e has dimensions.
func (e AffineExpr) Compose(m AffineMap) AffineExpr {
	api := e.check("AffineExpr.Compose")
	raw := m.in(e.life.ctx, "AffineExpr.Compose")
	mustUse("AffineExpr.Compose", m.NumResults(), maxAffine, e)
	mustStaySmall("AffineExpr.Compose", e.parts()*mostParts(m.results()...))
	return AffineExpr{e.life, capi.MlirAffineExprCompose(api, e.raw, raw)}
}

// Substitute returns e with its dimensions and symbols replaced by expressions. It panics
// if there are fewer of these than dimensions and symbols in e.
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

// ShiftDims returns e with d<i+shift> instead of d<i> for each i from offset up to
// numDims. It returns an *UnsupportedError if the library is older than LLVM 21.
func (e AffineExpr) ShiftDims(numDims, shift, offset int) (AffineExpr, error) {
	return e.shift("AffineExpr.ShiftDims", "mlirAffineExprShiftDims", capi.MlirAffineExprShiftDims, numDims, shift,
		offset)
}

// ShiftSymbols returns e with s<i+shift> instead of s<i> for each i from offset up to
// numSymbols. It returns an *UnsupportedError if the library is older than LLVM 21.
func (e AffineExpr) ShiftSymbols(numSymbols, shift, offset int) (AffineExpr, error) {
	return e.shift("AffineExpr.ShiftSymbols", "mlirAffineExprShiftSymbols", capi.MlirAffineExprShiftSymbols, numSymbols,
		shift, offset)
}

func (e AffineExpr) shift(method, function string,
	call func(*capi.Table, capi.MlirAffineExpr, uint32, uint32, uint32) capi.MlirAffineExpr, n, shift,
	offset int) (AffineExpr, error) {
	api := e.check(method)
	checkAffineCount(method, n, shift, offset, n+shift, n-offset)
	if err := e.life.ctx.lib.need(function); err != nil {
		return AffineExpr{}, err
	}
	return AffineExpr{e.life, call(api, e.raw, uint32(n), uint32(shift), uint32(offset))}, nil
}

// Simplify returns e in a simpler form, given the numbers of dimensions and symbols. It
// panics if e uses more. It returns an *UnsupportedError if the library is older than LLVM
// 21.
func (e AffineExpr) Simplify(numDims, numSymbols int) (AffineExpr, error) {
	api := e.check("AffineExpr.Simplify")
	checkAffineCount("AffineExpr.Simplify", numDims, numSymbols)
	mustUse("AffineExpr.Simplify", numDims, numSymbols, e)
	if err := e.life.ctx.lib.need("mlirSimplifyAffineExpr"); err != nil {
		return AffineExpr{}, err
	}
	return AffineExpr{e.life, capi.MlirSimplifyAffineExpr(api, e.raw, uint32(numDims), uint32(numSymbols))}, nil
}

// Eval returns the value of e for the given values of its dimensions and symbols. It
// returns an error if there are too few values, if a divisor is below one, or if a number
// does not fit in 64 bits.
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
			return 0, fmt.Errorf("mlir: %s has no value: pass more values of dimensions or symbols", e)
		}
		return given[i], nil
	}
	left, right, _ := e.Operands()
	v, ok := affineValue(kind, values[left.raw], values[right.raw])
	if !ok {
		return 0, fmt.Errorf("mlir: cannot evaluate %s: %d %s %d overflows int64 or has a divisor below one", e,
			values[left.raw], kind, values[right.raw])
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
