package affine

import (
	"fmt"

	"github.com/calliope-mlir/calliope/experimental/capi"
	"github.com/calliope-mlir/calliope/internal/ir/raw"
	"github.com/calliope-mlir/calliope/mlir"
)

// An Expr is an expression on the dimensions (d0, d1 …) and symbols (s0, s1 …) of a map or set: sums, products,
// remainders and divisions of integers. Its context simplifies it when it is made.
type Expr struct {
	c   *mlir.Context
	raw capi.MlirAffineExpr
}

// A Kind is the kind of an expression.
type Kind int

const (
	KindDim      Kind = iota + 1 // d0
	KindSymbol                   // s0
	KindConstant                 // 3
	KindAdd                      // a + b
	KindMul                      // a * b
	KindMod                      // a mod b
	KindFloorDiv                 // a floordiv b
	KindCeilDiv                  // a ceildiv b
)

func (k Kind) String() string {
	names := [...]string{KindDim: "dim", KindSymbol: "symbol", KindConstant: "constant",
		KindAdd: "+", KindMul: "*", KindMod: "mod", KindFloorDiv: "floordiv", KindCeilDiv: "ceildiv"}
	if k < KindDim || int(k) >= len(names) {
		return "unknown affine kind"
	}
	return names[k]
}

// Dim returns the dimension d<i>. It panics if i is not from 0 to 65535.
func Dim(c *mlir.Context, i int) Expr {
	const method = "affine.Dim"
	t := raw.Use(c, method)
	inRange(method, i, most)
	return Expr{c, capi.MlirAffineDimExprGet(t, raw.Context(c), i)}
}

// Symbol returns the symbol s<i>. It panics if i is not from 0 to 65535.
func Symbol(c *mlir.Context, i int) Expr {
	const method = "affine.Symbol"
	t := raw.Use(c, method)
	inRange(method, i, most)
	return Expr{c, capi.MlirAffineSymbolExprGet(t, raw.Context(c), i)}
}

// Constant returns v as an expression.
func Constant(c *mlir.Context, v int64) Expr {
	return Expr{c, capi.MlirAffineConstantExprGet(raw.Use(c, "affine.Constant"), raw.Context(c), v)}
}

// IsNil reports whether e is the zero Expr.
func (e Expr) IsNil() bool { return e.raw.Ptr == nil }

func (e Expr) check(method string) *capi.Table {
	if e.IsNil() {
		panic("mlir: " + method + " was given the nil expression")
	}
	return raw.Use(e.c, method)
}

func (e Expr) in(c *mlir.Context, method string) capi.MlirAffineExpr {
	if e.check(method); e.c != c {
		panic("mlir: " + method + " was given an expression of another context")
	}
	return e.raw
}

// handles returns the C handles of expressions of context c.
func handles(c *mlir.Context, method string, list []Expr) []capi.MlirAffineExpr {
	out := make([]capi.MlirAffineExpr, len(list))
	for i, e := range list {
		out[i] = e.in(c, method)
	}
	return out
}

// Context returns the context of the expression.
func (e Expr) Context() *mlir.Context {
	e.check("affine.Expr.Context")
	return e.c
}

// String returns the expression as MLIR prints it, for example "d0 * 2 + s0".
func (e Expr) String() string {
	if e.IsNil() {
		return "<nil affine expression>"
	}
	t := e.check("affine.Expr.String")
	return text(func(cb capi.MlirStringCallback, ud pointer) { capi.MlirAffineExprPrint(t, e.raw, cb, ud) })
}

// Add returns e + f.
func (e Expr) Add(f Expr) Expr { return e.binary("affine.Expr.Add", KindAdd, f) }

// Sub returns e - f.
func (e Expr) Sub(f Expr) Expr {
	f.in(e.Context(), "affine.Expr.Sub")
	return e.binary("affine.Expr.Sub", KindAdd, f.Neg())
}

// Neg returns -e.
func (e Expr) Neg() Expr { return e.binary("affine.Expr.Neg", KindMul, Constant(e.Context(), -1)) }

// Mul returns e * f. In a pure affine expression one of them is constant or symbolic.
func (e Expr) Mul(f Expr) Expr { return e.binary("affine.Expr.Mul", KindMul, f) }

// Mod returns e mod f, which is never negative. Mod, FloorDiv and CeilDiv panic if f is a constant below one.
func (e Expr) Mod(f Expr) Expr { return e.binary("affine.Expr.Mod", KindMod, f) }

// FloorDiv returns e / f, rounded towards minus infinity.
func (e Expr) FloorDiv(f Expr) Expr { return e.binary("affine.Expr.FloorDiv", KindFloorDiv, f) }

// CeilDiv returns e / f, rounded towards infinity.
func (e Expr) CeilDiv(f Expr) Expr { return e.binary("affine.Expr.CeilDiv", KindCeilDiv, f) }

var binaries = [...]func(*capi.Table, capi.MlirAffineExpr, capi.MlirAffineExpr) capi.MlirAffineExpr{
	KindAdd: capi.MlirAffineAddExprGet, KindMul: capi.MlirAffineMulExprGet, KindMod: capi.MlirAffineModExprGet,
	KindFloorDiv: capi.MlirAffineFloorDivExprGet, KindCeilDiv: capi.MlirAffineCeilDivExprGet,
}

func (e Expr) binary(method string, k Kind, f Expr) Expr {
	t := e.check(method)
	right := f.in(e.c, method)
	mustStaySmall(method, e.parts()+f.parts())
	if v, ok := f.Constant(); ok && v < 1 && k >= KindMod {
		panic(fmt.Sprintf("mlir: %s by %d: the divisor of an affine expression must be above zero", method, v))
	}
	return Expr{e.c, binaries[k](t, e.raw, right)}
}

// Substitute returns e with d<i> replaced by dims[i] and s<i> by symbols[i]. Dimensions and symbols that the lists do
// not reach stay.
func (e Expr) Substitute(dims, symbols []Expr) Expr {
	const method = "affine.Expr.Substitute"
	e.check(method)
	handles(e.c, method, dims)
	handles(e.c, method, symbols)
	done := map[Expr]Expr{}
	e.Walk(func(f Expr) bool {
		to := f
		if left, right, ok := f.Operands(); ok {
			to = done[left].binary(method, f.Kind(), done[right])
		} else if i, ok := f.Position(); ok {
			with := dims
			if f.Kind() == KindSymbol {
				with = symbols
			}
			if i < len(with) {
				to = with[i]
			}
		}
		done[f] = to
		return true
	})
	return done[e]
}

// Simplify returns e in a simpler form, given the numbers of dimensions and symbols. It panics if e uses more. It
// returns an *mlir.UnsupportedError if the library is older than LLVM 21.
func (e Expr) Simplify(numDims, numSymbols int) (Expr, error) {
	const method = "affine.Expr.Simplify"
	t := e.check(method)
	checkCount(method, numDims, numSymbols)
	mustUse(method, numDims, numSymbols, e)
	if err := raw.Need(e.c.Library(), "mlirSimplifyAffineExpr"); err != nil {
		return Expr{}, err
	}
	return Expr{e.c, capi.MlirSimplifyAffineExpr(t, e.raw, uint32(numDims), uint32(numSymbols))}, nil
}
