package affine

import (
	"fmt"

	"github.com/calliope-mlir/calliope/experimental/capi"
)

// Kind returns the kind of the expression.
func (e Expr) Kind() Kind {
	t := e.check("affine.Expr.Kind")
	switch {
	case capi.MlirAffineExprIsADim(t, e.raw):
		return KindDim
	case capi.MlirAffineExprIsASymbol(t, e.raw):
		return KindSymbol
	case capi.MlirAffineExprIsAConstant(t, e.raw):
		return KindConstant
	case capi.MlirAffineExprIsAAdd(t, e.raw):
		return KindAdd
	case capi.MlirAffineExprIsAMul(t, e.raw):
		return KindMul
	case capi.MlirAffineExprIsAMod(t, e.raw):
		return KindMod
	case capi.MlirAffineExprIsAFloorDiv(t, e.raw):
		return KindFloorDiv
	}
	return KindCeilDiv
}

// Constant returns the value of e and whether e is a constant.
func (e Expr) Constant() (int64, bool) {
	t := e.check("affine.Expr.Constant")
	if !capi.MlirAffineExprIsAConstant(t, e.raw) {
		return 0, false
	}
	return capi.MlirAffineConstantExprGetValue(t, e.raw), true
}

// Position returns the number of e and whether e is a dimension or symbol.
func (e Expr) Position() (int, bool) {
	t := e.check("affine.Expr.Position")
	switch {
	case capi.MlirAffineExprIsADim(t, e.raw):
		return capi.MlirAffineDimExprGetPosition(t, e.raw), true
	case capi.MlirAffineExprIsASymbol(t, e.raw):
		return capi.MlirAffineSymbolExprGetPosition(t, e.raw), true
	}
	return 0, false
}

// Operands returns the two operands of a sum, product, remainder or division. ok is false for any other expression.
func (e Expr) Operands() (left, right Expr, ok bool) {
	t := e.check("affine.Expr.Operands")
	if !capi.MlirAffineExprIsABinary(t, e.raw) {
		return Expr{}, Expr{}, false
	}
	return Expr{e.c, capi.MlirAffineBinaryOpExprGetLHS(t, e.raw)},
		Expr{e.c, capi.MlirAffineBinaryOpExprGetRHS(t, e.raw)}, true
}

// Walk calls visit once for each distinct expression in e, after its operands. It stops if visit returns false. Walk
// reports whether it visited all of them.
func (e Expr) Walk(visit func(Expr) bool) bool {
	e.check("affine.Expr.Walk")
	// The stack is explicit and each expression is visited once, because the number of
	// occurrences of shared expressions can be exponential.
	type frame struct {
		e    Expr
		last bool
	}
	seen := map[Expr]bool{}
	for stack := []frame{{e: e}}; len(stack) > 0; {
		f := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if f.last {
			if !visit(f.e) {
				return false
			}
			continue
		}
		if seen[f.e] {
			continue
		}
		seen[f.e] = true
		stack = append(stack, frame{f.e, true})
		if left, right, ok := f.e.Operands(); ok {
			stack = append(stack, frame{e: right}, frame{e: left})
		}
	}
	return true
}

// IsSymbolicOrConstant reports whether e contains no dimension.
func (e Expr) IsSymbolicOrConstant() bool {
	return capi.MlirAffineExprIsSymbolicOrConstant(e.check("affine.Expr.IsSymbolicOrConstant"), e.raw)
}

// IsPureAffine reports whether e is affine in the strict sense: one operand of each product is constant, and divisions
// and remainders are by constants.
func (e Expr) IsPureAffine() bool {
	return capi.MlirAffineExprIsPureAffine(e.check("affine.Expr.IsPureAffine"), e.raw)
}

// LargestKnownDivisor returns the largest number that is known to divide e for all values of its dimensions and
// symbols.
func (e Expr) LargestKnownDivisor() int64 {
	return capi.MlirAffineExprGetLargestKnownDivisor(e.check("affine.Expr.LargestKnownDivisor"), e.raw)
}

// IsMultipleOf reports whether e is known to be a multiple of factor. It panics if factor is below one.
func (e Expr) IsMultipleOf(factor int64) bool {
	t := e.check("affine.Expr.IsMultipleOf")
	if factor < 1 {
		panic(fmt.Sprintf("mlir: affine.Expr.IsMultipleOf(%d): the factor must be above zero", factor))
	}
	return capi.MlirAffineExprIsMultipleOf(t, e.raw, factor)
}

// DependsOnDim reports whether the dimension d<i> occurs in e.
func (e Expr) DependsOnDim(i int) bool {
	t := e.check("affine.Expr.DependsOnDim")
	return i >= 0 && i < most && capi.MlirAffineExprIsFunctionOfDim(t, e.raw, i)
}
