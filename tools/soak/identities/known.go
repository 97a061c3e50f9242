package identities

import (
	"context"
	"slices"
	"strings"

	"github.com/calliope-mlir/calliope/internal/test/progen"
	"github.com/calliope-mlir/calliope/tensor"
)

// A reason is a section of docs/reference/xla-deviations.md about a deviation that is there without simplification,
// too.
type reason struct {
	title string
	pjrt  string // the version of the only plugin that has it, or ""
	// fits reports whether an operation on floating-point numbers may have the deviation.
	fits func(e *expression, isConstant func(*expression) bool) bool
	way  way
}

// A way round a deviation is another module.
type way struct {
	hidden   bool // constants are behind optimization barriers
	separate bool // products are behind selects, so that they are rounded
}

var reasons = []reason{
	{title: "Products that are added", way: way{separate: true},
		fits: func(e *expression, _ func(*expression) bool) bool {
			return (e.op == "add" || e.op == "subtract") &&
				e.has(func(part *expression) bool { return part.op == "multiply" })
		}},
	{title: "Sums with zero", way: way{hidden: true},
		fits: func(e *expression, isConstant func(*expression) bool) bool {
			return e.op == "add" && slices.ContainsFunc(e.args, isConstant)
		}},
	{title: "Signs of constants", way: way{hidden: true},
		fits: func(e *expression, isConstant func(*expression) bool) bool {
			return e.op == "sign" && isConstant(e)
		}},
	{title: "Extremes of constants", pjrt: "0.81", way: way{hidden: true},
		fits: func(e *expression, isConstant func(*expression) bool) bool {
			return slices.Contains([]string{"maximum", "minimum", "clamp"}, e.op) && isConstant(e)
		}},
}

// known returns the titles of the reasons for which XLA makes something else of an expression: one whose way round
// makes it right, or all that fit if their ways do so together. It returns "" if they do not.
func (r *runner) known(ctx context.Context, e *expression, want tensor.View) (string, error) {
	isConstant := func(e *expression) bool {
		return !e.has(func(part *expression) bool { return part.isParameter() && (!r.folded || part.t == tensor.Pred) })
	}
	var titles []string
	var all way
	for _, k := range reasons {
		if k.pjrt != "" && k.pjrt != r.pjrt ||
			!e.has(func(part *expression) bool { return progen.IsFloat(part.t) && k.fits(part, isConstant) }) {
			continue
		}
		if right, err := r.isRight(ctx, e, want, k.way); err != nil || right {
			return k.title, err
		}
		titles = append(titles, k.title)
		all = way{all.hidden || k.way.hidden, all.separate || k.way.separate}
	}
	if len(titles) > 1 {
		if right, err := r.isRight(ctx, e, want, all); err != nil || right {
			return strings.Join(titles, ", "), err
		}
	}
	return "", nil
}

// isRight reports whether XLA makes of an expression what is wanted, with a way round.
func (r *runner) isRight(ctx context.Context, e *expression, want tensor.View, w way) (bool, error) {
	_, got, err := r.both(ctx, []*expression{e}, w)
	if err != nil {
		return false, err
	}
	at, err := r.deviates(ctx, e, want, got[0])
	return at < 0, err
}
