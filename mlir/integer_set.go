package mlir

import (
	"fmt"
	"iter"

	"github.com/calliope-mlir/calliope/experimental/capi"
)

// An IntegerSet is the set of points that satisfy affine constraints: (d0)[s0] : (d0 >= 0,
// s0 - d0 == 0). Its context uniques sets, so equal sets are equal values.
type IntegerSet struct {
	life *lifetime
	raw  capi.MlirIntegerSet
}

// A Constraint requires that an expression is at least zero or, with Equality, that it is
// zero.
type Constraint struct {
	Expr     AffineExpr
	Equality bool
}

// IntegerSet returns the set of points that satisfy all constraints. Without constraints,
// it contains every point. It panics if a constraint uses a dimension or symbol that the
// set does not have.
func (c *Context) IntegerSet(numDims, numSymbols int, constraints ...Constraint) IntegerSet {
	t := c.life.check("Context.IntegerSet")
	checkAffineCount("Context.IntegerSet", numDims, numSymbols)
	if len(constraints) == 0 { // MLIR's form of a set without constraints
		constraints = []Constraint{{Expr: c.AffineConstant(0), Equality: true}}
	}
	raw, equal := make([]capi.MlirAffineExpr, len(constraints)), make([]bool, len(constraints))
	for i, k := range constraints {
		raw[i], equal[i] = k.Expr.in(c, "Context.IntegerSet"), k.Equality
		mustUse("Context.IntegerSet", numDims, numSymbols, k.Expr)
	}
	return IntegerSet{c.life, capi.MlirIntegerSetGet(t, c.raw, numDims, numSymbols, len(raw), first(raw), first(equal))}
}

// EmptyIntegerSet returns the set without points in its canonical form, 1 == 0.
func (c *Context) EmptyIntegerSet(numDims, numSymbols int) IntegerSet {
	t := c.life.check("Context.EmptyIntegerSet")
	checkAffineCount("Context.EmptyIntegerSet", numDims, numSymbols)
	return IntegerSet{c.life, capi.MlirIntegerSetEmptyGet(t, c.raw, numDims, numSymbols)}
}

// ParseIntegerSet parses a set, for example "(d0)[s0] : (d0 - s0 >= 0)".
func (c *Context) ParseIntegerSet(text string) (IntegerSet, error) {
	a, err := c.ParseAttribute("affine_set<" + text + ">")
	if err != nil {
		return IntegerSet{}, err
	}
	s, ok := a.IntegerSetValue()
	if !ok {
		return IntegerSet{}, fmt.Errorf("mlir: %q is not an integer set", text)
	}
	return s, nil
}

// IsNil reports whether s is the zero IntegerSet.
func (s IntegerSet) IsNil() bool { return s.raw.Ptr == nil }

// Equal reports whether both sets have the same constraints, not only the same points.
func (s IntegerSet) Equal(other IntegerSet) bool { return s.raw == other.raw }

func (s IntegerSet) check(method string) *capi.Table {
	api := s.life.check(method)
	if s.IsNil() {
		panic("mlir: " + method + " was given the nil integer set")
	}
	return api
}

func (s IntegerSet) in(c *Context, method string) capi.MlirIntegerSet {
	s.check(method)
	s.life.mine(c, "an integer set", method)
	return s.raw
}

// Context returns the context of the set.
func (s IntegerSet) Context() *Context {
	s.check("IntegerSet.Context")
	return s.life.ctx
}

// String returns the set as MLIR prints it, for example "(d0)[s0] : (d0 - s0 >= 0)".
func (s IntegerSet) String() string {
	if s.IsNil() {
		return "<nil integer set>"
	}
	api := s.check("IntegerSet.String")
	return string(capi.Collect(func(cb capi.MlirStringCallback, ud pointer) {
		capi.MlirIntegerSetPrint(api, s.raw, cb, ud)
	}))
}

// NumDims returns the number of dimensions.
func (s IntegerSet) NumDims() int {
	return capi.MlirIntegerSetGetNumDims(s.check("IntegerSet.NumDims"), s.raw)
}

// NumSymbols returns the number of symbols.
func (s IntegerSet) NumSymbols() int {
	return capi.MlirIntegerSetGetNumSymbols(s.check("IntegerSet.NumSymbols"), s.raw)
}

// NumInputs returns the number of dimensions and symbols together.
func (s IntegerSet) NumInputs() int {
	return capi.MlirIntegerSetGetNumInputs(s.check("IntegerSet.NumInputs"), s.raw)
}

// NumConstraints returns the number of constraints.
func (s IntegerSet) NumConstraints() int {
	return capi.MlirIntegerSetGetNumConstraints(s.check("IntegerSet.NumConstraints"), s.raw)
}

// NumEqualities returns the number of constraints that are equalities.
func (s IntegerSet) NumEqualities() int {
	return capi.MlirIntegerSetGetNumEqualities(s.check("IntegerSet.NumEqualities"), s.raw)
}

// NumInequalities returns the number of constraints that are not equalities.
func (s IntegerSet) NumInequalities() int {
	return capi.MlirIntegerSetGetNumInequalities(s.check("IntegerSet.NumInequalities"), s.raw)
}

// Constraint returns the i-th constraint. It panics if i is out of range.
func (s IntegerSet) Constraint(i int) Constraint {
	api := s.check("IntegerSet.Constraint")
	inRange("IntegerSet.Constraint", i, capi.MlirIntegerSetGetNumConstraints(api, s.raw))
	return Constraint{
		Expr:     AffineExpr{s.life, capi.MlirIntegerSetGetConstraint(api, s.raw, i)},
		Equality: capi.MlirIntegerSetIsConstraintEq(api, s.raw, i),
	}
}

// Constraints returns an iterator over the constraints.
func (s IntegerSet) Constraints() iter.Seq2[int, Constraint] {
	return indexed(s.NumConstraints(), s.Constraint)
}

// IsCanonicalEmpty reports whether s is the set that EmptyIntegerSet returns. Other sets
// may be empty, too.
func (s IntegerSet) IsCanonicalEmpty() bool {
	return capi.MlirIntegerSetIsCanonicalEmpty(s.check("IntegerSet.IsCanonicalEmpty"), s.raw)
}

// Replace returns s with all dimensions and symbols replaced by expressions. The new set
// has numDims dimensions and numSymbols symbols. Replace panics if an expression uses
// more.
func (s IntegerSet) Replace(dims, symbols []AffineExpr, numDims, numSymbols int) IntegerSet {
	api := s.check("IntegerSet.Replace")
	checkAffineCount("IntegerSet.Replace", numDims, numSymbols)
	if len(dims) != s.NumDims() || len(symbols) != s.NumSymbols() {
		panic(fmt.Sprintf("mlir: IntegerSet.Replace: %s has %d dimensions and %d symbols, not %d and %d",
			s, s.NumDims(), s.NumSymbols(), len(dims), len(symbols)))
	}
	most := 1
	for _, k := range s.Constraints() {
		most = max(most, k.Expr.parts())
	}
	rawDims, rawSymbols := make([]capi.MlirAffineExpr, len(dims)), make([]capi.MlirAffineExpr, len(symbols))
	for i, e := range dims {
		rawDims[i] = e.in(s.life.ctx, "IntegerSet.Replace")
	}
	for i, e := range symbols {
		rawSymbols[i] = e.in(s.life.ctx, "IntegerSet.Replace")
	}
	mustUse("IntegerSet.Replace", numDims, numSymbols, dims...)
	mustUse("IntegerSet.Replace", numDims, numSymbols, symbols...)
	mustStaySmall("IntegerSet.Replace", most*max(mostParts(dims...), mostParts(symbols...)))
	return IntegerSet{s.life,
		capi.MlirIntegerSetReplaceGet(api, s.raw, first(rawDims), first(rawSymbols), numDims, numSymbols)}
}

// Contains reports whether a point is in the set. Its errors are those of AffineExpr.Eval,
// and one if the number of values is wrong.
func (s IntegerSet) Contains(dims, symbols []int64) (bool, error) {
	s.check("IntegerSet.Contains")
	if len(dims) != s.NumDims() || len(symbols) != s.NumSymbols() {
		return false, fmt.Errorf("mlir: %s takes %d dimensions and %d symbols, not %d and %d",
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
