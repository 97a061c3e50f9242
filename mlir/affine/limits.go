package affine

import (
	"fmt"
	"unsafe"

	"github.com/calliope-mlir/calliope/experimental/capi"
)

type pointer = unsafe.Pointer

// most bounds the dimensions and symbols of a map. It is far above what any loop nest or tensor has. The library
// reserves memory for each of them.
const most = 1 << 16

func checkCount(method string, counts ...int) {
	for _, n := range counts {
		if n < 0 || n > most {
			panic(fmt.Sprintf("mlir: %s: %d is not a valid number of dimensions, symbols or results: use 0 to 65536",
				method, n))
		}
	}
}

// inRange panics if an index is out of range.
func inRange(method string, i, n int) {
	if i < 0 || i >= n {
		panic(fmt.Sprintf("mlir: %s(%d): index out of range with length %d", method, i, n))
	}
}

// mustUse panics if an expression uses a dimension or symbol outside the given counts.
func mustUse(method string, dims, symbols int, exprs ...Expr) {
	for _, e := range exprs {
		e.Walk(func(f Expr) bool {
			of := dims
			if f.Kind() == KindSymbol {
				of = symbols
			}
			if i, ok := f.Position(); ok && i >= of {
				panic(fmt.Sprintf("mlir: %s: %s uses more than %d dimensions and %d symbols", method, e, dims, symbols))
			}
			return true
		})
	}
}

// maxParts bounds the parts of an expression; a shared part counts once for each use. The library visits them all
// recursively when it makes a larger expression. A few dozen steps that each use one expression twice would not end in
// any reasonable time.
const maxParts = 1 << 12

// parts counts the parts of e. It stops slightly above maxParts.
func (e Expr) parts() int {
	n := 0
	for stack := []Expr{e}; len(stack) > 0 && n <= maxParts; n++ {
		top := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if left, right, ok := top.Operands(); ok {
			stack = append(stack, left, right)
		}
	}
	return n
}

// mostParts returns the number of parts of the largest expression.
func mostParts(exprs ...Expr) int {
	n := 1
	for _, e := range exprs {
		n = max(n, e.parts())
	}
	return n
}

func mustStaySmall(method string, parts int) {
	if parts > maxParts {
		panic(fmt.Sprintf("mlir: %s: an affine expression of more than %d parts is too large for MLIR", method, maxParts))
	}
}

// text returns what a function of the library prints.
func text(print func(capi.MlirStringCallback, pointer)) string { return string(capi.Collect(print)) }
