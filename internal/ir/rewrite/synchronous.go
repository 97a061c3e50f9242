package rewrite

import (
	"errors"
	"slices"

	"github.com/calliope-mlir/calliope/mlir"
)

// Synchronous puts the operations in the region of an async_start in its place, and their results in that of each
// async_done of its future. It reports whether it did: a future that is used in another way stays.
func Synchronous(start mlir.Operation) (done bool, err error) {
	uses := slices.Collect(start.Result(0).Uses())
	if slices.ContainsFunc(uses, func(u mlir.Use) bool { return u.Owner.Name() != "stablehlo.async_done" }) {
		return false, nil
	}
	body := start.Region(0).First()
	for i, v := range body.Arguments() {
		v.ReplaceAllUses(start.Operand(i))
	}
	end := body.Terminator()
	for op := range body.Operations() {
		if !op.Equal(end) {
			op.MoveBefore(start)
		}
	}
	for _, u := range uses {
		for i, v := range u.Owner.Results() {
			v.ReplaceAllUses(end.Operand(i))
		}
		err = errors.Join(err, u.Owner.Erase())
	}
	return true, errors.Join(err, start.Erase())
}
