package vmap

import (
	"slices"

	"github.com/calliope-mlir/calliope/internal/transform"
)

// The short names of what the rules use of package transform.
var (
	check      = transform.Check
	dims       = transform.Dims
	element    = transform.Element
	fail       = transform.Fail
	isControl  = transform.IsControl
	isPure     = transform.IsPure
	operations = transform.Operations
	rank       = transform.Rank
	refuse     = transform.Refuse
	upTo       = transform.UpTo
)

func must[T any](v T, err error) T { return transform.Must(v, err) }

// after returns the dimensions after the one of the batch.
func after(list []int64) []int64 {
	shifted := slices.Clone(list)
	for i := range shifted {
		shifted[i]++
	}
	return shifted
}

// first returns a list with x before the others.
func first[T any](x T, list []T) []T { return slices.Insert(slices.Clone(list), 0, x) }
