package autodiff

import (
	"github.com/calliope-mlir/calliope/internal/transform"
	"github.com/calliope-mlir/calliope/mlir"
)

// The short names of what the rules use of package transform.
var (
	check      = transform.Check
	dims       = transform.Dims
	element    = transform.Element
	fail       = transform.Fail
	home       = transform.Home
	isComplex  = transform.IsComplex
	isControl  = transform.IsControl
	isFloat    = transform.IsFloat
	isNested   = transform.IsNested
	isPure     = transform.IsPure
	isUsed     = transform.IsUsed
	ones       = transform.Ones
	operations = transform.Operations
	option     = transform.Option
	rank       = transform.Rank
	refuse     = transform.Refuse
	replace    = transform.Replace
	upTo       = transform.UpTo
	without    = transform.Without
)

func must[T any](v T, err error) T { return transform.Must(v, err) }

func filter[T any](list []T, keep []bool) []T { return transform.Filter(list, keep) }

// differentiable reports whether values of a type have tangents.
func differentiable(t mlir.Type) bool { return t.IsRankedTensor() && (isFloat(t) || isComplex(t)) }
