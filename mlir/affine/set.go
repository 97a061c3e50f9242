package affine

import (
	"fmt"

	"github.com/calliope-mlir/calliope/experimental/capi"
	"github.com/calliope-mlir/calliope/internal/ir/raw"
	"github.com/calliope-mlir/calliope/mlir"
)

// A Set is the set of integer points that satisfy constraints: (d0)[s0] : (d0 >= 0, s0 - d0 == 0). Two sets are == if
// they have the same constraints, not if they only have the same points.
type Set struct {
	c   *mlir.Context
	raw capi.MlirIntegerSet
}

// A Constraint requires that an expression is at least zero or, with Equality, that it is zero.
type Constraint struct {
	Expr     Expr
	Equality bool
}

// NewSet returns the set of points that satisfy all constraints. Without constraints, it contains every point. It
// panics if a constraint uses a dimension or symbol that the set does not have.
func NewSet(c *mlir.Context, numDims, numSymbols int, constraints ...Constraint) Set {
	const method = "affine.NewSet"
	t := raw.Use(c, method)
	checkCount(method, numDims, numSymbols)
	if len(constraints) == 0 { // MLIR's form of a set without constraints
		constraints = []Constraint{{Expr: Constant(c, 0), Equality: true}}
	}
	list, equal := make([]capi.MlirAffineExpr, len(constraints)), make([]bool, len(constraints))
	for i, k := range constraints {
		list[i], equal[i] = k.Expr.in(c, method), k.Equality
		mustUse(method, numDims, numSymbols, k.Expr)
	}
	return Set{c, capi.MlirIntegerSetGet(t, raw.Context(c), numDims, numSymbols, len(list), raw.First(list),
		raw.First(equal))}
}

// EmptySet returns the set without points in its canonical form, 1 == 0. Other sets may be empty, too.
func EmptySet(c *mlir.Context, numDims, numSymbols int) Set {
	return NewSet(c, numDims, numSymbols, Constraint{Expr: Constant(c, 1), Equality: true})
}

// ParseSet parses a set, for example "(d0)[s0] : (d0 - s0 >= 0)". The error is an *mlir.DiagnosticError with the
// library's messages.
func ParseSet(c *mlir.Context, text string) (Set, error) {
	a, err := c.ParseAttribute("affine_set<" + text + ">")
	if err != nil {
		return Set{}, err
	}
	s, ok := SetOf(a)
	if !ok {
		return Set{}, fmt.Errorf("affine: %q is not an integer set", text)
	}
	return s, nil
}

// SetOf returns the set in an integer set attribute, and whether a is one.
func SetOf(a mlir.Attribute) (Set, bool) {
	if a.IsNil() {
		return Set{}, false
	}
	c, h := raw.UnwrapAttribute(a, "affine.SetOf")
	if t := raw.Table(c); capi.MlirAttributeIsAIntegerSet(t, h) {
		return Set{c, capi.MlirIntegerSetAttrGetValue(t, h)}, true
	}
	return Set{}, false
}

// IsNil reports whether s is the zero Set.
func (s Set) IsNil() bool { return s.raw.Ptr == nil }

func (s Set) check(method string) *capi.Table {
	if s.IsNil() {
		panic("mlir: " + method + " was given the nil set")
	}
	return raw.Use(s.c, method)
}

// Context returns the context of the set.
func (s Set) Context() *mlir.Context {
	s.check("affine.Set.Context")
	return s.c
}

// Attribute returns affine_set<s>.
func (s Set) Attribute() mlir.Attribute {
	t := s.check("affine.Set.Attribute")
	return raw.WrapAttribute(s.c, capi.MlirIntegerSetAttrGet(t, s.raw))
}

// String returns the set as MLIR prints it, for example "(d0)[s0] : (d0 - s0 >= 0)".
func (s Set) String() string {
	if s.IsNil() {
		return "<nil integer set>"
	}
	t := s.check("affine.Set.String")
	return text(func(cb capi.MlirStringCallback, ud pointer) { capi.MlirIntegerSetPrint(t, s.raw, cb, ud) })
}

// NumDims returns the number of dimensions.
func (s Set) NumDims() int {
	return capi.MlirIntegerSetGetNumDims(s.check("affine.Set.NumDims"), s.raw)
}

// NumSymbols returns the number of symbols.
func (s Set) NumSymbols() int {
	return capi.MlirIntegerSetGetNumSymbols(s.check("affine.Set.NumSymbols"), s.raw)
}

// Constraints returns the constraints. There is always one at least.
func (s Set) Constraints() []Constraint {
	t := s.check("affine.Set.Constraints")
	list := make([]Constraint, capi.MlirIntegerSetGetNumConstraints(t, s.raw))
	for i := range list {
		list[i] = Constraint{Expr: Expr{s.c, capi.MlirIntegerSetGetConstraint(t, s.raw, i)},
			Equality: capi.MlirIntegerSetIsConstraintEq(t, s.raw, i)}
	}
	return list
}

// Replace returns s with all dimensions and symbols replaced by expressions. The new set has numDims dimensions and
// numSymbols symbols. Replace panics if an expression uses more.
func (s Set) Replace(dims, symbols []Expr, numDims, numSymbols int) Set {
	const method = "affine.Set.Replace"
	t := s.check(method)
	checkCount(method, numDims, numSymbols)
	if len(dims) != s.NumDims() || len(symbols) != s.NumSymbols() {
		panic(fmt.Sprintf("mlir: %s: %s has %d dimensions and %d symbols, not %d and %d", method, s, s.NumDims(),
			s.NumSymbols(), len(dims), len(symbols)))
	}
	parts := 1
	for _, k := range s.Constraints() {
		parts = max(parts, k.Expr.parts())
	}
	d, y := handles(s.c, method, dims), handles(s.c, method, symbols)
	mustUse(method, numDims, numSymbols, dims...)
	mustUse(method, numDims, numSymbols, symbols...)
	mustStaySmall(method, parts*max(mostParts(dims...), mostParts(symbols...)))
	return Set{s.c, capi.MlirIntegerSetReplaceGet(t, s.raw, raw.First(d), raw.First(y), numDims, numSymbols)}
}

// Contains reports whether a point is in the set. Its errors are those of Expr.Eval, and one if the number of values is
// wrong.
func (s Set) Contains(dims, symbols []int64) (bool, error) {
	s.check("affine.Set.Contains")
	if len(dims) != s.NumDims() || len(symbols) != s.NumSymbols() {
		return false, fmt.Errorf("affine: %s takes %d dimensions and %d symbols, not %d and %d",
			s, s.NumDims(), s.NumSymbols(), len(dims), len(symbols))
	}
	for _, k := range s.Constraints() {
		v, err := k.Expr.Eval(dims, symbols)
		if err != nil {
			return false, err
		}
		if v < 0 || k.Equality && v != 0 {
			return false, nil
		}
	}
	return true, nil
}
